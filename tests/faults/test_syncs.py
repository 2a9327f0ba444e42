"""SQLite: a process is killed around the sync that makes its changes durable, on a disk that takes its time."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from faults.ground import Ground
from faults.plans import Plan
from faults.strikes import Strike


@pytest.fixture
def sqlite(tmp_path: Path):
    ground = Ground(tmp_path, str(tmp_path / "jobs.sqlite"))
    yield ground
    ground.end()


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_what_was_answered_is_there(sqlite: Ground, when: str, number: int) -> None:
    plans = [Plan()] * 6
    assert await sqlite.submit(*plans, strikes=(Strike(when, "sync", number),)) == -signal.SIGKILL
    assert await sqlite.submit(Plan(), first=10, strikes=(Strike("before", "sync", 99),)) == 0
    assert await sqlite.run(strikes=(Strike(when, "sync", number),)) == -signal.SIGKILL
    assert await sqlite.run() == 0
    ends = await sqlite.check()
    assert set(ends) == {"ok"}
