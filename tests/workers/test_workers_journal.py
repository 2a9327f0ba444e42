"""Streams whose process dies with SIGKILL in the middle: the log and the trace tell of them, and of no others."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from pathlib import Path
from typing import Any

import pytest

from pointsman.store.log_reader import LogReader
from running import Process, process
from workers.conftest import RULES, write
from workers.held_engine import HeldEngine, held_engine
from workers.lines import CHAT, Line, Reply, close_all, connected, one_to_each, until, workers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
Start = Callable[..., Process]
BODY = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me a long story"}]}


def ask(connection: HTTPConnection, engine: HeldEngine) -> tuple[HTTPResponse, str]:
    """A stream that stands still in its middle, and its id."""
    engine.begun.clear()
    connection.request("POST", CHAT, json.dumps(BODY), {"content-type": "application/json"})
    response = connection.getresponse()
    assert engine.begun.wait(60)
    return response, response.headers["x-pointsman-request-id"]


def rows(folder: Path, **filters: str) -> dict[str, dict[str, Any]]:
    try:
        reader = LogReader(folder / "data")
    except FileNotFoundError:
        return {}
    try:
        return {row["id"]: row for row in reader.rows(filters, None, 100)}
    finally:
        reader.close()


def get(gateway: Process, path: str) -> Any:
    connection = connected(gateway)
    connection.request("GET", path)
    reply = Reply(connection.getresponse())
    assert reply.status == 200, reply.body
    return reply.json


def check_died(gateway: Process, folder: Path, name: str) -> None:
    summary = get(gateway, f"/v1/requests/{name}")
    assert [summary[what] for what in ("state", "outcome", "status", "error")] == [
        *("completed", "failed", 502, "gateway_died")
    ]
    trace = get(gateway, f"/v1/requests/{name}/trace")
    assert [step["event"] for step in trace["path"]] == ["received", "admitted", "missed", "dispatched", "ended"]
    assert trace["decision"]["targets"][0]["target"] == summary["target"]
    [row] = rows(folder, id=name).values()
    assert (row["outcome"], row["error"], row["under_way"]) == ("failed", "gateway_died", False)


def test_a_gateway_that_dies(tmp_path: Path) -> None:
    with held_engine() as engine:
        write(tmp_path, RULES, models=engine.models)
        serve = ["-c", str(tmp_path / "pointsman.yaml"), "--port", "0", "--data-dir", str(tmp_path / "data")]
        try:
            with process(serve) as gateway:
                response, name = ask(connected(gateway), engine)
                until(lambda: rows(tmp_path).get(name, {}).get("target"))
                assert rows(tmp_path)[name]["under_way"]
                assert get(gateway, f"/v1/requests/{name}")["state"] == "execution"
                gateway.signal(signal.SIGKILL)
                with pytest.raises((IncompleteRead, OSError)):
                    response.read()
            with process(serve) as gateway:
                check_died(gateway, tmp_path, name)
                engine.go_on.set()
                response, other = ask(connected(gateway), engine)
                assert response.read().endswith(b"data: [DONE]\n\n")
                until(lambda: rows(tmp_path).get(other, {}).get("outcome") == "ok")
                check_died(gateway, tmp_path, name)
        finally:
            close_all()


def test_a_worker_that_dies_takes_nobody_elses_along(started: Start, tmp_path: Path) -> None:
    with held_engine() as engine:
        gateway = started(models=engine.models)
        first, second = one_to_each(gateway)
        _, doomed = ask(first.http, engine)
        going_on, other = ask(second.http, engine)
        until(lambda: all(rows(tmp_path).get(name, {}).get("target") for name in (doomed, other)))
        os.kill(first.pid, signal.SIGKILL)
        until(lambda: first.pid not in workers(gateway) and len(workers(gateway)) == 2)
        until(lambda: not rows(tmp_path)[doomed]["under_way"])
        check_died(gateway, tmp_path, doomed)
        assert rows(tmp_path)[other]["under_way"]
        for line in one_to_each(gateway):  # whichever process is asked
            assert line.get(f"/v1/requests/{other}").json["state"] == "execution"
        engine.go_on.set()
        assert going_on.read().endswith(b"data: [DONE]\n\n")
        until(lambda: rows(tmp_path)[other]["outcome"] == "ok")
        assert list(rows(tmp_path)) == [other, doomed]


def test_a_process_that_did_not_serve_it_tells_where_it_is(started: Start, tmp_path: Path) -> None:
    with held_engine() as engine:
        lines: list[Line] = one_to_each(started(models=engine.models))
        _, name = ask(lines[0].http, engine)
        until(lambda: rows(tmp_path).get(name, {}).get("target"))
        summary = lines[1].get(f"/v1/requests/{name}").json
        assert [summary[what] for what in ("state", "outcome", "status", "error", "total_ms")] == [
            *("execution", None, None, None, None)
        ]
        trace = lines[1].get(f"/v1/requests/{name}/trace").json
        assert [step["event"] for step in trace["path"]] == ["received", "admitted", "missed", "dispatched"]
