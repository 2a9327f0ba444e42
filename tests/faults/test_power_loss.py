"""SQLite: the power is cut at every moment of some work, and whatever was not synced may be on the disk, or not, or torn."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from faults.lossy_disk import Cut, Event, Loss, RecordingDisk, all_lost, cuts, nothing_lost, torn
from pointsman.domain.job import Held
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import LONG, QUEUES, change, sound, submission, submitted, there

_OVER, _PURGED = 6, 10_000
"""Versions of a job that is over, and of one that is no more."""


async def _work(store: SqliteJobStore, disk: RecordingDisk, jobs: int, seed: int, *, large: int = 0) -> None:
    """Of everything that is acknowledged the disk is told (job, version)."""
    chance = random.Random(seed)

    async def submit(numbers: Sequence[int]) -> None:
        await store.submit([submission(number, body=chance.randbytes(large or 20)) for number in numbers])
        for number in numbers:
            disk.tell((submission(number).id, 1))

    async def one(name: str) -> None:
        while found := await store.claim(QUEUES, name, 3, LONG):
            for job in found:
                held, place = job.held, job.place
                for events in (("admitted", "matched"), ("dispatched",), ("stepped",), ("ended:ok",)):
                    step = change(place, *events, hold=events != ("ended:ok",), data=chance.randbytes(large or 10))
                    held = await store.advance(held, step)
                    place = step.last
                    disk.tell((held.id, held.version))

    for first in range(0, jobs, 4):
        await submit(range(first, min(first + 4, jobs)))
        await asyncio.gather(*(one(f"w{number}") for number in range(3)))


async def _recorded(folder: Path, jobs: int, *, large: int = 0, purge: bool = False) -> list[Event]:
    disk = RecordingDisk()
    store = SqliteJobStore(folder / "jobs.sqlite", vfs=disk.name, boot="before")
    await _work(store, disk, jobs, seed=jobs, large=large)
    if purge:
        await store.purge(1e12, 3)  # empties the log, so that it begins anew
        for job_id in [f"job_{number:06}" for number in range(jobs)]:
            if await store.get(job_id) is None:
                disk.tell((job_id, _PURGED))
        await _work(store, disk, jobs + 8, seed=1, large=large)
    await store.close()
    shutil.rmtree(folder, ignore_errors=True)
    return disk.events


async def _goes_on(cut: Cut, folder: Path) -> None:
    """Sound, with all that was told; and it can be worked with."""
    cut.lay(folder)
    path = folder / "jobs.sqlite"
    store = SqliteJobStore(path, boot="after")
    try:
        for job_id, version in cut.told.items():
            if version < _PURGED:
                job = await store.get(job_id)
                # a job may be gone in the moment before its removal is told
                assert job is not None or version == _OVER, f"{job_id} was acknowledged, and is gone"
                if job is not None:
                    assert job.version >= version, f"{job_id} was at {version}, and is at {job.version}"
                    await sound(store, job_id)
        for job in await store.claim(QUEUES, "after", 100, LONG):
            await store.advance(Held(job.id, job.version, job.token), change(job, "ended:ok"))
            await sound(store, job.id)
        await submitted(store, submission(999_999))
        assert (await there(store, "job_999999")).version == 1
    finally:
        await store.close()
    connection = apsw.Connection(str(path))
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()
    shutil.rmtree(folder)


async def _all(events: list[Event], losses: Sequence[Loss], folder: Path, *, every: bool) -> int:
    count = 0
    for cut in cuts(events, losses, lambda event: every or event.kind in ("sync", "told")):
        count += 1
        try:
            await _goes_on(cut, folder / str(count))
        except Exception as error:
            raise AssertionError(f"cut after {cut.events} of {len(events)} events: {error}") from error
    return count


async def test_after_each_sync_and_answer(tmp_path: Path) -> None:
    events = await _recorded(tmp_path / "before", 4)
    assert await _all(events, [all_lost, torn(1)], tmp_path, every=False) > 40


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2))
async def test_at_every_moment(tmp_path: Path, seed: int) -> None:
    events = await _recorded(tmp_path / "before", 8 + 4 * seed, purge=True)
    assert await _all(events, [nothing_lost, all_lost, torn(seed)], tmp_path, every=True) > 1000


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_while_the_log_is_written_back(tmp_path: Path) -> None:
    """More than a thousand pages, so that SQLite does it by itself in the midst of work."""
    events = await _recorded(tmp_path / "before", 24, large=60_000)
    main = [event for event in events if event.file == "jobs.sqlite" and event.kind == "write"]
    assert len(main) > 500
    assert await _all(events, [all_lost, torn(7)], tmp_path, every=False) > 100
