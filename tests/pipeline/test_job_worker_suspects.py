"""Jobs over which workers died are begun one at a time; a handler's own timeouts are failures like others."""

from __future__ import annotations

import asyncio
import time

from msgspec.structs import replace

from pipeline.test_job_worker import QUICK, Doing, good, job, until, working
from pointsman.domain.job import QUEUES
from pointsman.pipeline.passage import Finished, Passage
from pointsman.store.jobs.memory import MemoryJobStore

SUSPECTS = 3


async def _lost_once(store: MemoryJobStore) -> None:
    """Each of them is dead if one more worker dies over it."""
    await store.submit([job(f"job_{number}") for number in range(SUSPECTS)])
    await store.claim(QUEUES, "dead", SUSPECTS, 0.01)
    await asyncio.sleep(0.02)


async def test_suspects_are_done_one_at_a_time_and_the_others_have_gone_back_before():
    store, together = MemoryJobStore(), []

    async def look(passage: Passage) -> Finished:
        counts = await store.counts()
        together.append(counts.get("interactive.running", 0))
        return await good(passage)

    await _lost_once(store)
    async with working(store, replace(QUICK, concurrency=SUSPECTS), request=Doing(look)):
        for number in range(SUSPECTS):
            done = await until(store, f"job_{number}", lambda job: job.over)
            assert (done.place.outcome, done.lost, done.failures) == ("ok", 1, 0)
    assert together == [1] * SUSPECTS
    told = [step for step in await store.trace("job_2") if step.event == "failed"]
    assert told and all(step.why and step.why[0].startswith("its workers died") for step in told)


async def test_others_go_on_beside_a_suspect():
    store, gate = MemoryJobStore(), asyncio.Event()

    async def waits(passage: Passage) -> Finished:
        if passage.job.lost:
            await gate.wait()
        return await good(passage)

    await _lost_once(store)
    await store.submit([job("job_fresh")])
    async with working(store, request=Doing(waits)):
        await until(store, "job_fresh", lambda job: job.over)
        gate.set()
        for number in range(SUSPECTS):
            await until(store, f"job_{number}", lambda job: job.over)


async def test_a_timeout_in_a_handler_is_a_failed_try():
    store = MemoryJobStore()

    async def slow(passage: Passage) -> Finished:
        async with asyncio.timeout(0):
            await asyncio.sleep(1)
        raise AssertionError

    await store.submit([job(), job("job_b", expires=time.time() + 600.0)])
    async with working(store, request=Doing(slow)):
        for name in ("job_a", "job_b"):
            dead = await until(store, name, lambda job: job.over)
            assert (dead.place.disposition, dead.error, dead.failures, dead.lost) == (
                ("dead", "internal", QUICK.failures, 0)
            )
