"""A real Prometheus scrapes a gateway under load, and answers every query of the dashboards and every rule."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from deploy.test_deploy import DEPLOY, RULES, dashboards, queries
from ruling import cases
from running import process

pytestmark = pytest.mark.skipif(
    shutil.which("prometheus") is None or not DEPLOY.exists(), reason="Prometheus is not installed"
)

RULE = f"- {{id: hello, when: {{any: [hello]}}, answer: Hi., {cases('hello')}}}\n"
MODELS = {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}}


class Prometheus:
    def __init__(self, base: str) -> None:
        self._base = base

    def api(self, path: str, **query: str) -> Any:
        with urllib.request.urlopen(f"{self._base}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=10) as reply:
            return json.load(reply)["data"]

    def value(self, query: str) -> float | None:
        """The sum of what it finds; None where there is nothing."""
        found = self.api("query", query=query)["result"]
        return sum(float(each["value"][1]) for each in found) if found else None


def until(done: Any, seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while True:
        try:
            if found := done():
                return found
        except OSError:
            pass
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)


@contextmanager
def prometheus(folder: Path, target: str) -> Iterator[Prometheus]:
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    config["global"] = {"scrape_interval": "500ms", "evaluation_interval": "500ms"}
    config["rule_files"] = [str(RULES)]
    config["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    path = folder / "prometheus.yml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        "prometheus", f"--config.file={path}", f"--storage.tsdb.path={folder / 'tsdb'}", f"--web.listen-address={address}",
        "--log.level=warn",
    ]  # fmt: skip
    with (folder / "prometheus.log").open("wb") as log:
        started = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield Prometheus(f"http://{address}")
        finally:
            started.terminate()
            started.wait(20)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_real_prometheus_reads_it_all(tmp_path: Path, workers: int) -> None:
    (tmp_path / "rules.yaml").write_text(RULE, encoding="utf-8")
    config = {"models": MODELS, "rules": {"packs": [], "files": ["rules.yaml"]}, "fallback": {"max_retries": 0}}
    (tmp_path / "pointsman.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    arguments = ["-c", str(tmp_path / "pointsman.yaml"), "--port", "0", "--data-dir", str(tmp_path / "data")]
    with process([*arguments, "--workers", str(workers)]) as gateway:
        target = gateway.base.removeprefix("http://")
        with prometheus(tmp_path, target) as there, httpx.Client(base_url=gateway.base, timeout=30) as client:
            until(lambda: there.value("up") == 1)

            def ask(number: int) -> int:
                text = "hello" if number % 4 else f"something open {number}"
                body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
                return client.post("/v1/chat/completions", json=body).status_code

            with ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(ask, range(200)))
            assert answers.count(200) == 150
            until(lambda: there.value("sum(pointsman_requests_total)") == 200)
            assert there.value('sum(pointsman_requests_total{stage="l0"})') == 150
            assert there.value("sum(pointsman_request_duration_seconds_count)") == 200
            assert there.value("sum(pointsman_errors_total)") == 50
            for title, expr in queries(dashboards()["en"]):
                for name, value in (("$__rate_interval", "30s"), ("$__range", "1m"), ("$instance", ".*")):
                    expr = expr.replace(name, value)
                assert there.api("query", query=expr)["resultType"] in ("vector", "scalar"), title
            until(lambda: there.value("pointsman:l0_hit:ratio30m") is not None)
            groups = there.api("rules")["groups"]
            assert all(rule["health"] == "ok" for group in groups for rule in group["rules"]), groups
            assert there.api("targets")["activeTargets"][0]["lastError"] == ""
