"""The compose file: Docker's own compose takes it, its commands and its config are known, and Prometheus gets in."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.words import DEPLOY, HASH, built, options_of, program
from pointsman.config.schema import parse_span

HERE = DEPLOY / "compose"

pytestmark = pytest.mark.skipif(not HERE.exists(), reason="the wheel is tested without the repository")


@pytest.fixture
def composed(tmp_path: Path) -> dict[str, Any]:
    """As compose reads it, with the variables of the example."""
    compose = program("docker-compose")
    text = (HERE / "compose.yaml").read_text().replace("env_file: .env", "env_file: example.env")
    file = tmp_path / "compose.yaml"
    file.write_text(text)
    done = subprocess.run(
        [
            compose,
            "-f",
            file,
            "--project-directory",
            HERE,
            "--env-file",
            HERE / "example.env",
            "config",
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def test_compose_takes_it_and_its_commands_are_known(composed: dict[str, Any]) -> None:
    services = composed["services"]
    assert set(services) == {"gateway", "worker", "valkey", "prometheus", "grafana"}
    for name in ("gateway", "worker"):
        options_of(services[name]["command"])
        assert services[name]["read_only"] and services[name]["cap_drop"] == ["ALL"]
    for service in services.values():
        for volume in service.get("volumes", ()):
            assert volume["type"] == "volume" or Path(volume["source"]).exists(), volume
        for port in service.get("ports", ()):
            assert port["host_ip"] == "127.0.0.1"


def test_the_config_is_one_and_the_stack_waits_for_longer_than_it(
    composed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = dict(re.findall(r"^(\w+)=(.*)$", (HERE / "example.env").read_text(), re.MULTILINE))
    for name in ("CLIENT_KEY_HASH", "METRICS_KEY_HASH"):
        assert HASH.startswith(given[name])
        given[name] = HASH.replace("0", "1" if name[0] == "C" else "2")
    given["LINK_KEY"] = "k" * 16
    config = built((HERE / "pointsman.yaml").read_text(), tmp_path, monkeypatch, **given).config
    assert config.store == "redis://valkey:6379" and "valkey" in composed["services"]
    for name in ("gateway", "worker"):
        allowed = re.fullmatch(r"(?:(\d+)m)?(?:(\d+)s)?", composed["services"][name]["stop_grace_period"])
        assert allowed is not None
        assert int(allowed[1] or 0) * 60 + int(allowed[2] or 0) > parse_span(config.server.grace)
    assert config.jobs.concurrency == 0, "the worker does them"


def test_every_variable_is_in_the_example() -> None:
    example = (HERE / "example.env").read_text()
    for file in ("pointsman.yaml", "compose.yaml"):
        for name in re.findall(r"\$\{(\w+)\}", (HERE / file).read_text()):
            assert f"\n{name}=" in example, name
    for name in re.findall(r"environment: (\w+)", (HERE / "compose.yaml").read_text()):
        assert f"\n{name}=" in example, name


def test_prometheus_scrapes_the_gateway_and_grafana_finds_prometheus() -> None:
    prometheus = yaml.safe_load((HERE / "prometheus.yml").read_text())
    [job] = prometheus["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["gateway:8900"]}]
    assert job["authorization"]["credentials_file"] == "/run/secrets/metrics_key"
    [source] = yaml.safe_load((HERE / "grafana/datasources/prometheus.yaml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    [provider] = yaml.safe_load((HERE / "grafana/dashboards/pointsman.yaml").read_text())["providers"]
    assert f"../grafana:{provider['options']['path']}:ro" in (HERE / "compose.yaml").read_text()
