"""Processes that die or are told to stop: what goes on, what is finished, what is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path

import psutil
import pytest

from running import Process
from workers.conftest import RULES, write
from workers.held_engine import held_engine
from workers.lines import CHAT, Line, connected, figure, one_to_each, until, workers

Start = Callable[..., Process]


def replaced(gateway: Process, pid: int, count: int = 2) -> None:
    until(lambda: pid not in workers(gateway) and len(workers(gateway)) == count)


def test_a_worker_that_is_killed_comes_back_and_nothing_else_notices(started: Start) -> None:
    gateway = started()
    first, second = one_to_each(gateway)
    for _ in range(5):
        first.say("hello")
        second.say("hello")
    assert figure(second, "pointsman_requests_total") == 10
    os.kill(first.pid, signal.SIGKILL)
    assert figure(second, "pointsman_requests_total") == 10
    replaced(gateway, first.pid)
    gateway.wait_for(r"worker \d \(pid \d+\) ended \(killed by SIGKILL\); it is started again")
    new = next(line for line in one_to_each(gateway) if line.pid != second.pid)
    assert new.say("hello").text == "one"
    for line in (second, new):
        assert figure(line, "pointsman_requests_total") == 11
    os.kill(new.pid, signal.SIGKILL)
    assert figure(second, "pointsman_requests_total") == 11
    assert second.say("hello").text == "one"


def test_who_waits_to_be_served_is_served_by_the_next_worker(started: Start) -> None:
    gateway = started()
    old = workers(gateway)
    for pid in old:
        os.kill(pid, signal.SIGSTOP)
    waiting = connected(gateway)
    waiting.request("GET", "/health")
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    assert waiting.getresponse().read() == b'{"status":"ok"}'


def test_a_worker_that_is_told_to_stop_ends_its_requests_and_comes_back(started: Start) -> None:
    with held_engine() as engine:
        gateway = started(models=engine.models)
        line, other = one_to_each(gateway)
        body = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]}
        response = stream(line, body)
        assert engine.begun.wait(60)
        os.kill(line.pid, signal.SIGTERM)
        assert other.say("hello").text == "one"
        until(lambda: not listens(line.pid))
        engine.go_on.set()
        assert response.read().endswith(b"data: [DONE]\n\n")
        replaced(gateway, line.pid)
        gateway.wait_for(r"worker \d \(pid \d+\) ended \(exit status 0\); it is started again")
        assert figure(other, "pointsman_requests_total", stage="model", outcome="ok") == 1


def test_nothing_is_left_when_the_hub_is_killed(started: Start) -> None:
    gateway = started()
    gone = workers(gateway)
    os.kill(gateway.pid, signal.SIGKILL)
    until(lambda: not any(psutil.pid_exists(pid) for pid in gone))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stream_under_way_is_finished_when_the_gateway_is_told_to_stop(started: Start, number: int) -> None:
    with held_engine() as engine:
        gateway = started(models=engine.models)
        pids = workers(gateway)
        line = Line(gateway)
        response = stream(line, {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]})
        assert engine.begun.wait(60)
        gateway.signal(number)
        until(lambda: refuses(gateway))
        assert psutil.pid_exists(line.pid)
        engine.go_on.set()
        read = response.read()
        assert b"second" in read and read.endswith(b"data: [DONE]\n\n")
        assert ended(gateway) == 0
        assert not any(psutil.pid_exists(pid) for pid in pids)
        assert not any("it is started again" in line or "Traceback" in line for line in gateway.lines)


def test_ctrl_c_reaches_all_processes_and_still_lets_a_stream_end(started: Start) -> None:
    with held_engine() as engine:
        gateway = started(models=engine.models)
        pids = workers(gateway)
        line = Line(gateway)
        response = stream(line, {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]})
        assert engine.begun.wait(60)
        for pid in (*pids, gateway.pid, *pids):
            os.kill(pid, signal.SIGINT)
        until(lambda: refuses(gateway))
        engine.go_on.set()
        assert response.read().endswith(b"data: [DONE]\n\n")
        assert ended(gateway) == 0


def test_a_second_signal_ends_all_at_once(started: Start) -> None:
    with held_engine() as engine:
        gateway = started(models=engine.models)
        pids = workers(gateway)
        stream(Line(gateway), {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]})
        assert engine.begun.wait(60)
        gateway.signal(signal.SIGTERM)
        until(lambda: refuses(gateway))
        gateway.signal(signal.SIGTERM)
        assert ended(gateway) == -signal.SIGTERM
        until(lambda: not any(psutil.pid_exists(pid) for pid in pids))


def test_what_a_worker_cannot_use_ends_the_start(tmp_path: Path) -> None:
    write(tmp_path, RULES)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log.sqlite").write_bytes(b"no database " * 1000)
    told = {}
    for count in ("1", "2"):
        arguments = ["-c", str(tmp_path / "pointsman.yaml"), "--port", "0", "--data-dir", str(tmp_path / "data")]
        done = subprocess.run(
            [sys.executable, "-m", "pointsman", "serve", *arguments, "--workers", count],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1
        told[count] = done.stderr
    assert told["1"] == told["2"] and "server.data_dir" in told["2"] and "log.sqlite" in told["2"]


def stream(line: Line, body: dict[str, object]) -> HTTPResponse:
    line.http.request("POST", CHAT, json.dumps(body).encode(), {"content-type": "application/json"})
    return line.http.getresponse()


def ended(gateway: Process) -> int:
    """How it ended by itself."""
    until(lambda: psutil.Process(gateway.pid).status() == psutil.STATUS_ZOMBIE)
    return gateway.stop()


def refuses(gateway: Process) -> bool:
    try:
        connected(gateway).close()
    except ConnectionError:
        return True
    return False


def listens(pid: int) -> bool:
    """Whether that worker takes connections."""
    return any(c.status == psutil.CONN_LISTEN for c in psutil.Process(pid).net_connections("tcp"))
