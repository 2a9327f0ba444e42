"""The systemd units: systemd takes them, and what they start can be started so."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.words import DEPLOY, built, options_of
from pointsman.config.schema import Server, parse_span

UNITS = DEPLOY / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))

pytestmark = pytest.mark.skipif(not UNITS.exists(), reason="the wheel is tested without the repository")


class _Unit(configparser.RawConfigParser):
    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit(path: Path) -> _Unit:
    read = _Unit(strict=True, comment_prefixes=("#",), delimiters=("=",))
    read.read_string(path.read_text())
    return read


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_them(tmp_path: Path) -> None:
    program = tmp_path / "pointsman"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    units = []
    for path in (*SERVICES, *UNITS.glob("*.socket")):
        units.append(tmp_path / path.name)
        units[-1].write_text(path.read_text().replace("/opt/pointsman/bin/pointsman", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, units)],
        capture_output=True,
        text=True,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_what_they_start_is_known() -> None:
    verbs = set()
    for path in SERVICES:
        service = unit(path)["Service"]
        for key in ("ExecStart", "ExecStartPre"):
            if key in service:
                program, *words = shlex.split(service[key].replace("$NODE_OPTIONS", ""))
                assert program == "/opt/pointsman/bin/pointsman"
                options_of(words)
                verbs.add(words[0])
                assert "--data-dir" not in words or words[words.index("--data-dir") + 1] == "/var/lib/pointsman"
        assert service["StateDirectory"] == service["User"] == "pointsman"
    assert verbs == {"serve", "check", "worker", "node"}
    [options] = [
        line for line in (UNITS / "pointsman-node.service").read_text().splitlines() if "NODE_OPTIONS=" in line
    ]
    options_of(["node", *options.split("NODE_OPTIONS=")[1].split()])


def test_they_wait_for_longer_than_the_gateway_does() -> None:
    service = unit(UNITS / "pointsman.service")["Service"]
    assert int(service["TimeoutStopSec"]) > parse_span(Server().grace) + 15
    assert service["Type"] == "notify", "it says when it serves"


def test_they_are_shut_in() -> None:
    for path in SERVICES:
        service = unit(path)["Service"]
        assert service["ProtectSystem"] == "strict" and service["NoNewPrivileges"] == "true"
        assert service["CapabilityBoundingSet"] == ""


def test_the_socket_is_the_one_that_the_service_needs() -> None:
    [name] = [path.name for path in UNITS.glob("*.socket")]
    assert name == unit(UNITS / "pointsman.service")["Unit"]["Requires"]
    assert unit(UNITS / name)["Socket"]["ListenStream"] == f"{Server().host}:{Server().port}"


def test_the_config_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = built((UNITS / "pointsman.yaml").read_text(), tmp_path, monkeypatch).config
    assert not config.server.watch
