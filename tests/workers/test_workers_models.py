"""Models that take turns in memory are kept once, however many processes serve. With the real engine and model."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from running import Process
from workers.lines import Line, one_to_each, until, workers
from workers.test_workers_engine import engines

MODEL = "builtin:smollm2-135m"


def backend(name: str) -> dict[str, Any]:
    load = {"when": "demand", "memory": "200MB"}
    return {"engine": "embedded", "model": MODEL, "name": name, "threads": 1, "context": 512, "load": load}


def ask(line: Line, model: str) -> int:
    asked = {"model": model, "max_tokens": 2, "messages": [{"role": "user", "content": "Name a fruit."}]}
    return int(line.post("/v1/chat/completions", asked).status)


def stages(line: Line) -> dict[str, str]:
    return {each["target"].rpartition("@")[2]: each["stage"] for each in line.get("/admin/models").json["models"]}


def test_one_keeper_for_all_workers(started: Callable[..., Process]) -> None:
    models = {name: {"backends": [backend(name)]} for name in ("one", "two")}
    gateway = started(models=models, memory={"budget": "300MB"})
    first, second = one_to_each(gateway)
    assert engines(gateway) == []
    assert ask(first, "one") == 200
    assert len(engines(gateway)) == 1
    until(lambda: stages(second) == {"one": "ready", "two": "absent"})
    assert ask(second, "two") == 200
    assert len(engines(gateway)) == 1
    until(lambda: stages(first) == {"one": "unloaded", "two": "ready"})

    with ThreadPoolExecutor(2) as pool:  # both at once, each in its own process
        assert list(pool.map(ask, (first, second), ("one", "two"))) == [200, 200]
    assert len(engines(gateway)) == 1

    unloading = first.post(f"/admin/models/{MODEL}@one/unload")
    assert unloading.status == 200 and unloading.json["stage"] == "unloaded"
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: first.pid not in workers(gateway) and len(workers(gateway)) == 2)
    new = next(line for line in one_to_each(gateway) if line.pid != second.pid)
    assert ask(new, "one") == 200 and ask(second, "one") == 200
    assert len(engines(gateway)) == 1
