"""An embedded model is there once, however many processes serve it. With the real engine and model."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil

from running import Process
from workers.conftest import RULES, write
from workers.lines import Line, one_to_each, until, workers

MODEL = {"light": {"backends": [{"engine": "embedded", "model": "builtin:smollm2-135m", "threads": 1, "context": 512}]}}


def engines(gateway: Process) -> list[int]:
    found = []
    for child in psutil.Process(gateway.pid).children(recursive=True):
        try:
            if "pointsman.fleet.child" in child.cmdline():
                found.append(child.pid)
        except psutil.NoSuchProcess:
            pass
    return found


def answers(line: Line) -> bool:
    asked = {"model": "light", "max_tokens": 4, "messages": [{"role": "user", "content": "Name a fruit."}]}
    return line.post("/v1/chat/completions", asked).status == 200


def is_up(line: Line) -> bool:
    return line.get("/ready").json["ready"]


def test_one_engine_for_all_through_deaths_and_reloads(started: Callable[..., Process], tmp_path: Path) -> None:
    gateway = started(models=MODEL)
    first, second = one_to_each(gateway)
    [engine] = engines(gateway)
    assert answers(first) and answers(second)

    os.kill(first.pid, signal.SIGKILL)
    until(lambda: first.pid not in workers(gateway) and len(workers(gateway)) == 2)
    new = next(line for line in one_to_each(gateway) if line.pid != second.pid)
    assert answers(new) and engines(gateway) == [engine]

    write(tmp_path, RULES.replace("one", "two"), models=MODEL)
    assert new.post("/admin/reload").status == 200
    assert engines(gateway) == [engine] and answers(new) and answers(second)

    os.kill(engine, signal.SIGKILL)
    until(lambda: engine not in engines(gateway) and len(engines(gateway)) == 1)
    for line in (new, second):
        until(lambda line=line: is_up(line))
        assert answers(line)

    write(tmp_path, RULES)
    assert second.post("/admin/reload").status == 200
    until(lambda: engines(gateway) == [])
    assert new.get("/v1/models").json["data"] == second.get("/v1/models").json["data"]
    assert any("is up (pid" in line for line in gateway.lines)
    assert sum("is up (pid" in line for line in gateway.lines) == 2, "the hub alone says so, once a start"
