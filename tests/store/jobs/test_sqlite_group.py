"""What is done together: made durable once, and a mistake in one is that one's alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from pointsman.domain.job import Held
from pointsman.domain.said import Said
from pointsman.ports.job_store import Fenced, StoreError
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.faulty_disk import FaultyDisk
from store.jobs.makes import change, claimed, executing, ids, sound, submission, submitted, there

SAYS = {"full": ("no room", "磁盘已满"), "broken": ("no sync", "读写磁盘出错")}


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
async def store(tmp_path: Path, disk: FaultyDisk) -> AsyncIterator[SqliteJobStore]:
    store = SqliteJobStore(tmp_path / "jobs.sqlite", vfs=disk.name)
    yield store
    await store.close()


async def test_what_comes_together_is_synced_once(store: SqliteJobStore, disk: FaultyDisk) -> None:
    await submitted(store, submission(0))
    before = disk.syncs
    results = await asyncio.gather(*(store.submit([submission(number)]) for number in range(1, 65)))
    assert all(result[0].created for result in results)
    assert disk.syncs == before + 1


async def test_those_who_were_answered_together_come_together_again(store: SqliteJobStore, disk: FaultyDisk) -> None:
    async def lives(number: int) -> None:
        await store.submit([submission(number)])
        for job in await claimed(store):
            held = await store.advance(job.held, change(job, "admitted", hold=True))
            assert held.version == 2

    await submitted(store, submission(0))
    before = disk.syncs
    await asyncio.gather(*(lives(number) for number in range(1, 65)))
    assert disk.syncs == before + 3
    assert await store.counts() == {"interactive.running": 64, "interactive.waiting": 1}


async def test_who_is_fenced_harms_no_other(store: SqliteJobStore) -> None:
    jobs = [await executing(store, number) for number in range(1, 6)]
    stale = [Held(job.id, job.version, job.token - (number % 2)) for number, job in enumerate(jobs)]
    results = await asyncio.gather(
        *(store.advance(held, change(job, "ended:ok")) for held, job in zip(stale, jobs, strict=True)),
        store.advance(Held("job_none", 1, 1), change(jobs[0], "ended:ok")),
        store.submit([submission(9)]),
        return_exceptions=True,
    )
    assert [isinstance(result, Fenced) for result in results] == [False, True, False, True, False, True, False]
    for number, job in enumerate(jobs):
        events = await sound(store, job.id)
        assert ("ended" in events) == (number % 2 == 0)


async def test_a_mistake_is_its_makers_alone(store: SqliteJobStore) -> None:
    """Half a surrogate pair is no text that a database takes."""
    job = await executing(store, 1)
    results = await asyncio.gather(
        store.submit([submission(2), submission(3, caller="\ud800")]),
        store.advance(job.held, change(job, "stepped", why=("\ud800", ""), data=b"new")),
        store.submit([submission(4)]),
        return_exceptions=True,
    )
    assert [isinstance(result, UnicodeEncodeError) for result in results] == [True, True, False]
    assert await there(store, job.id) == job
    assert [await store.get(f"job_{number:06}") is not None for number in (2, 3, 4)] == [False, False, True]
    await store.advance(job.held, change(job, "ended:ok"))
    assert (await sound(store, job.id))[-1] == "ended"


@pytest.mark.parametrize("fault", ["full", "broken"])
async def test_a_disk_that_fails_refuses_all_and_spoils_nothing(
    store: SqliteJobStore, disk: FaultyDisk, tmp_path: Path, fault: str
) -> None:
    job = await executing(store, 1, body=b"b" * 10_000)
    step = change(job, "ended:ok", result=b"r" * 10_000)
    setattr(disk, fault, True)
    for _ in range(2):
        results = await asyncio.gather(
            store.submit([submission(2)]),
            store.advance(job.held, step),
            store.put("key", b"value", 100.0),
            store.claim(["interactive"], "w", 5, 100.0),
            store.purge(9e9),
            return_exceptions=True,
        )
        for result in results[:3]:
            assert isinstance(result, StoreError)
            assert isinstance(result.args[0], Said)
            assert SAYS[fault][0] in result.args[0]
            assert SAYS[fault][1] in result.args[0].zh
    assert await there(store, job.id) == job
    assert await store.get("job_000002") is None
    setattr(disk, fault, False)
    results = await asyncio.gather(store.submit([submission(2)]), store.advance(job.held, step))
    assert results[0][0].created
    assert (await sound(store, job.id))[-1] == "ended"
    assert ids(await claimed(store, 5)) == ["job_000002"]
    connection = apsw.Connection(str(tmp_path / "jobs.sqlite"))
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


async def test_a_file_that_another_keeps_is_waited_for(store: SqliteJobStore, tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "jobs.sqlite"))
    other.execute("begin immediate")
    waiting = asyncio.create_task(store.submit([submission(1)]))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    assert await store.get("job_000001") is None
    other.execute("commit")
    other.close()
    assert (await waiting)[0].created


async def test_a_claim_that_was_called_off_before_its_turn_takes_nothing(store: SqliteJobStore) -> None:
    await submitted(store, submission(1))
    claim = asyncio.create_task(claimed(store))
    await asyncio.sleep(0)
    claim.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claim
    assert ids(await claimed(store)) == ["job_000001"]
