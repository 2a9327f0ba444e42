"""The gauge of signs: what holds over the time of looks and of the log."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pointsman.app import scaling
from pointsman.app.scaling import Scaling
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.store.log_writer import LogWriter
from pointsman.telemetry.counts import Counts, Tally

NOW = 1.9e9 // 60 * 60


def counts(memory: float, pushed_out: int = 0) -> Counts:
    found = Counts.begun()
    found.levels["node_memory_used_bytes"] = {(): memory * 1e9}
    found.levels["node_memory_bytes"] = {(): 1e9}
    found.tallies["model_unloads"] = {("m@b", "room"): Tally(0.0, pushed_out), ("m@b", "asked"): Tally(0.0, 99)}
    return found


def looked(monkeypatch: pytest.MonkeyPatch, scaling_of: Scaling, minutes: int, memory: float, each: int) -> set[str]:
    """A look a minute; `each` models make room in every one."""

    async def look() -> dict[tuple[str, ...], float]:
        levels = {}
        for minute in range(minutes):
            monkeypatch.setattr(scaling.time, "time", lambda at=NOW + 60 * minute: at)
            levels = await scaling_of.levels(counts(memory, each * minute))
        return levels

    levels = asyncio.run(look())
    assert set(levels) == {("queue_wait",), ("p99_rising",), ("memory",), ("models",)}
    return {cause for (cause,), value in levels.items() if value}


def test_memory_and_models_are_of_the_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert looked(monkeypatch, Scaling(tmp_path), 40, 0.95, 1) == {"memory", "models"}
    assert looked(monkeypatch, Scaling(tmp_path), 40, 0.5, 0) == set()
    assert looked(monkeypatch, Scaling(tmp_path), 5, 0.95, 1) == set()


def test_waits_are_of_the_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Those from before this process began, too."""
    writer = LogWriter(tmp_path, "off", 1e10)
    for number in range(1200):
        at = NOW - 3600 + 3 * number
        request = Request(f"req_{number}", "chat", "auto", (), now=at)
        writer.put(Record(request, at, "ok", timings=Timings(0.1, 6000.0, 9000.0, 5000.0)), None, None)
    writer.close()
    assert looked(monkeypatch, Scaling(tmp_path), 1, 0.5, 0) == {"queue_wait"}
