"""Jobs are done, tried again, given up, called off, taken over: with the store's twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from pointsman.domain.job import Job, Submission
from pointsman.domain.lifecycle import Place, step
from pointsman.domain.said import Said
from pointsman.pipeline.job_worker import JobWorker, Terms, backoff, call_off, revive, tries_within
from pointsman.pipeline.passage import PROGRESS, Finished, Handler, Passage, TryAgain, Waiting
from pointsman.ports.clock import SystemClock
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.store.jobs.memory import MemoryJobStore

CLOCK = SystemClock()
QUICK = Terms(concurrency=2, lease=0.6, poll=0.05, failures=3, lost=2, backoff=0.01)


class Doing:
    """A handler made of a function."""

    def __init__(self, do: Callable[[Passage], Any]) -> None:
        self.do = do

    async def handle(self, passage: Passage) -> Finished | Waiting:
        done: Finished | Waiting = await self.do(passage)
        return done


@contextlib.asynccontextmanager
async def working(
    store: JobStore, terms: Terms = QUICK, name: str = "w1", **handlers: Handler
) -> AsyncIterator[JobWorker]:
    worker = JobWorker(store, handlers, CLOCK, terms, name, lambda job, place, at: ())
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def job(name: str = "job_a", **other: Any) -> Submission:
    given: dict[str, Any] = {"queue": "interactive", "kind": "request", "caller": "ann", "created": 1.0, "body": b"b"}
    return Submission(id=name, **{**given, **other})


async def until(store: JobStore, name: str, wanted: Callable[[Job], bool]) -> Job:
    async with asyncio.timeout(20):
        while True:
            found = await store.get(name)
            if found is not None and wanted(found):
                return found
            await asyncio.sleep(0.01)


async def events(store: JobStore, name: str) -> list[str]:
    """Of its trace, which is legal."""
    place = Place()
    steps = await store.trace(name)
    assert [one.number for one in steps] == list(range(1, len(steps) + 1))
    for one in steps[1:]:
        outcome = None
        if one.event == "ended":
            found = await store.get(name)
            outcome = found.place.outcome if found else None
        place = step(place, one.event, outcome)  # type: ignore[arg-type]
        assert (place.state, place.disposition) == (one.state, one.disposition)
    return [one.event for one in steps]


async def good(passage: Passage) -> Finished:
    await passage.begin("because")
    return Finished(result=b"done")


async def test_a_job_is_done():
    store = MemoryJobStore()
    await store.submit([job()])
    async with working(store, request=Doing(good)):
        done = await until(store, "job_a", lambda job: job.over)
    assert (done.place.outcome, done.result, done.error) == ("ok", b"done", None)
    assert await events(store, "job_a") == ["submitted", "admitted", "matched", "dispatched", "ended"]
    [_, first, *_] = await store.trace("job_a")
    assert (first.worker, first.token, first.why) == ("w1", 1, ("because", "because"))


async def test_a_failed_try_is_repeated_and_the_last_one_is_the_end():
    store, tries = MemoryJobStore(), 0

    async def fails(passage: Passage) -> Finished:
        nonlocal tries
        tries += 1
        await passage.begin("because")
        raise TryAgain(Said("no luck", "没成功"), "luck", 0.01)

    await store.submit([job()])
    async with working(store, request=Doing(fails)):
        dead = await until(store, "job_a", lambda job: job.over)
        assert (tries, dead.failures, dead.place.disposition, dead.error) == (3, 3, "dead", "luck")
        assert (await store.trace("job_a"))[-1].why == ("no luck", "没成功")
        again = await revive(store, "job_a", 2.0, "op")
        assert again is not None and (again.generation, again.failures, again.place.disposition) == (2, 0, "active")
        await until(store, "job_a", lambda job: job.over)
    assert tries == 6
    first = ["submitted", "admitted", "matched", "dispatched", "failed", "resumed", "failed", "resumed", "died"]
    second = ["revived", "resumed", "failed", "resumed", "failed", "resumed", "died"]
    assert await events(store, "job_a") == [*first, *second]


async def test_a_handler_that_breaks_is_a_failed_try_and_tells_nothing_of_what_it_held(
    caplog: pytest.LogCaptureFixture,
):
    store = MemoryJobStore()

    async def breaks(passage: Passage) -> Finished:
        raise ValueError("secret" + " prompt")

    await store.submit([job()])
    async with working(store, request=Doing(breaks)):
        dead = await until(store, "job_a", lambda job: job.over)
    assert (dead.place.state, dead.error) == ("received", "internal")
    assert "secret prompt" not in caplog.text and "ValueError" in caplog.text


async def test_a_handler_may_have_tries_of_its_own():
    store, tries = MemoryJobStore(), 0

    async def fails(passage: Passage) -> Finished:
        nonlocal tries
        tries += 1
        raise TryAgain("no", "no", 0.0, 5)

    await store.submit([job()])
    async with working(store, request=Doing(fails)):
        await until(store, "job_a", lambda job: job.over)
    assert tries == 5


async def test_a_job_that_only_waits_is_tried_for_longer():
    store, tries = MemoryJobStore(), 0

    async def waits(passage: Passage) -> Finished:
        nonlocal tries
        tries += 1
        raise TryAgain("busy", "busy", 0.0, waits=True)

    await store.submit([job()])
    async with working(store, Terms(poll=0.05, failures=2, backoff=1.0, patience=100.0), request=Doing(waits)):
        await until(store, "job_a", lambda job: job.over)
    assert tries == tries_within(1.0, 100.0) == 8  # 1 + 2 + 4 + … + 64 seconds of pauses


async def test_an_unknown_kind_and_an_expired_job_come_to_an_end():
    store = MemoryJobStore()
    await store.submit([job("job_a", kind="action"), job("job_b", expires=CLOCK.wall() - 1)])
    async with working(store, request=Doing(good)):
        unknown = await until(store, "job_a", lambda job: job.over)
        expired = await until(store, "job_b", lambda job: job.over)
    assert (unknown.place.disposition, unknown.error) == ("dead", "unknown_kind")
    assert (expired.place.outcome, expired.error) == ("expired", "expired")


async def test_what_kills_its_workers_is_given_up():
    store = MemoryJobStore()
    await store.submit([job()])
    for _ in range(3):  # three workers that take it and are never heard of again
        async with asyncio.timeout(20):
            while not await store.claim(("interactive",), "gone", 1, 0.01):
                await asyncio.sleep(0.01)
    async with working(store, request=Doing(good)):
        dead = await until(store, "job_a", lambda job: job.over)
    assert (dead.place.disposition, dead.error, dead.lost >= 2, dead.failures) == ("dead", "worker_lost", True, 0)


async def test_a_job_whose_worker_died_is_taken_up_where_it_was():
    store, seen = MemoryJobStore(), []

    async def looks(passage: Passage) -> Finished:
        seen.append((passage.place.state, passage.job.data))
        return await good(passage)

    await store.submit([job()])
    [claimed] = await store.claim(("interactive",), "gone", 1, 0.05)
    lost = Passage(claimed, store, CLOCK, "gone")
    await lost.begin("because")
    await lost.go("stepped", data=b"half")
    async with working(store, request=Doing(looks)):
        await until(store, "job_a", lambda job: job.over)
    assert seen == [("execution", b"half")]
    assert (await events(store, "job_a"))[-2:] == ["resumed", "ended"]


async def test_a_long_job_keeps_its_lease():
    store = MemoryJobStore()

    async def slow(passage: Passage) -> Finished:
        await asyncio.sleep(3 * QUICK.lease)
        return await good(passage)

    await store.submit([job()])
    async with working(store, request=Doing(slow)), working(store, name="w2", request=Doing(slow)):
        done = await until(store, "job_a", lambda job: job.over)
    assert (done.lost, done.token) == (0, 1)


async def test_a_job_that_is_called_off_stops():
    store, began, stopped = MemoryJobStore(), asyncio.Event(), asyncio.Event()

    async def hangs(passage: Passage) -> Finished:
        await passage.begin("because")
        began.set()
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.set()
        raise AssertionError

    await store.submit([job()])
    async with working(store, request=Doing(hangs)):
        await began.wait()
        gone = await call_off(store, "job_a", 5.0, "op", lambda job, place, at: ())
        assert gone is not None and gone.place == Place("completed", "cancelled", "cancelled")
        async with asyncio.timeout(20):
            await stopped.wait()  # told by the next renewal
    assert (await events(store, "job_a"))[-1] == "ended"
    assert await call_off(store, "job_a", 6.0, "op2", lambda job, place, at: ()) == gone
    assert await call_off(store, "job_b", 6.0, "op2", lambda job, place, at: ()) is None


async def test_a_worker_that_stops_gives_back_what_it_has():
    store, began = MemoryJobStore(), asyncio.Event()

    async def hangs(passage: Passage) -> Finished:
        await passage.begin("because")
        began.set()
        await asyncio.sleep(3600)
        raise AssertionError

    await store.submit([job()])
    async with working(store, Terms(lease=3600.0), request=Doing(hangs)):
        await began.wait()
    left = await store.get("job_a")
    assert left is not None and (left.worker, left.failures, left.lost) == ("", 0, 0)
    async with working(store, request=Doing(good)):
        await until(store, "job_a", lambda job: job.over)


async def test_a_parent_waits_for_its_children():
    store, rounds = MemoryJobStore(), 0

    async def parent(passage: Passage) -> Finished | Waiting:
        nonlocal rounds
        rounds += 1
        await passage.begin("because")
        if rounds > 1:
            await passage.tell(2, 2)
            return Finished(result=b"all")
        await passage.go("stepped", left=2)
        await store.submit([job(f"batch_a.{n}", parent="batch_a", queue="batch") for n in (1, 2)])
        return Waiting()

    await store.submit([job("batch_a", kind="batch", queue="batch")])
    async with working(store, request=Doing(good), batch=Doing(parent)):
        done = await until(store, "batch_a", lambda job: job.over)
    assert (done.result, done.spent, done.left) == (b"all", 2, 0)
    assert await store.read(PROGRESS + "batch_a") == b"\x92\x02\x02"
    assert (await events(store, "batch_a"))[-5:] == ["stepped", "parked", "unparked", "resumed", "ended"]


async def test_a_store_that_fails_is_asked_again():
    class Failing(MemoryJobStore):
        left = 2

        async def claim(self, *given: Any) -> list[Job]:
            self.left -= 1
            if self.left >= 0:
                raise StoreError(Said("no room", "没有空间"))
            return await super().claim(*given)

    store = Failing()
    await store.submit([job()])
    async with working(store, request=Doing(good)):
        await until(store, "job_a", lambda job: job.over)


async def test_no_more_jobs_at_a_time_than_it_may_do():
    store, now, most = MemoryJobStore(), 0, 0

    async def counts(passage: Passage) -> Finished:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1
        return await good(passage)

    await store.submit([job(f"job_{n:02}") for n in range(10)])
    async with working(store, request=Doing(counts)):
        for n in range(10):
            await until(store, f"job_{n:02}", lambda job: job.over)
    assert most == QUICK.concurrency


def test_pauses_double_up_to_a_bound_and_differ_a_little():
    pauses = [backoff(2.0, n, "job_a") for n in range(1, 12)]
    assert all(b / a == pytest.approx(2) for a, b in itertools.pairwise(pauses[:7]))
    assert 1.8 <= pauses[0] <= 2.2 and pauses[-1] <= 330
    assert backoff(2.0, 1, "job_b") != pauses[0]


async def test_slow_webhooks_and_batches_leave_room_for_others():
    store, release = MemoryJobStore(), asyncio.Event()

    async def hangs(passage: Passage) -> Finished:
        await release.wait()
        return await good(passage)

    hooks = [job(f"webhook_{n:02}", kind="webhook", queue="webhook") for n in range(20)]
    rest = [job(f"job_{n:02}", kind="batch", queue="batch") for n in range(5)]
    await store.submit([*hooks, *rest])
    async with working(store, request=Doing(good), webhook=Doing(hangs), batch=Doing(hangs)):
        async with asyncio.timeout(20):
            while (await store.counts()).get("webhook.running", 0) < 16 or not (await store.counts()).get(
                "batch.running"
            ):
                await asyncio.sleep(0.01)
        await store.submit([job("job_now")])
        await until(store, "job_now", lambda job: job.over)
        assert (await store.counts())["batch.running"] == 1, "one of the two places is left to others"
        release.set()
        for one in (*hooks, *rest):
            await until(store, one.id, lambda job: job.over)


async def test_a_job_that_takes_too_long_expires_while_it_runs():
    store, stopped = MemoryJobStore(), asyncio.Event()

    async def hangs(passage: Passage) -> Finished:
        await passage.begin("because")
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.set()
        raise AssertionError

    await store.submit([job(expires=CLOCK.wall() + 0.3)])
    async with working(store, request=Doing(hangs)):
        done = await until(store, "job_a", lambda job: job.over)
    assert done.place.outcome == "expired" and stopped.is_set()


async def test_a_pause_does_not_put_off_the_end():
    store = MemoryJobStore()

    async def fails(passage: Passage) -> Finished:
        raise TryAgain("no", "no", 3600.0)

    await store.submit([job(expires=CLOCK.wall() + 0.3)])
    async with working(store, request=Doing(fails)):
        assert (await until(store, "job_a", lambda job: job.over)).place.outcome == "expired"


async def test_what_went_wrong_is_told_with_the_end():
    store = MemoryJobStore()

    async def ends(passage: Passage) -> Finished:
        await passage.begin("because")
        return Finished(outcome="failed", error="bad", why=Said("no such thing", "没有"))

    await store.submit([job()])
    async with working(store, request=Doing(ends)):
        await until(store, "job_a", lambda job: job.over)
    assert (await store.trace("job_a"))[-1].why == ("no such thing", "没有")


async def test_a_worker_that_rests_ends_what_it_has_and_leaves_the_rest_to_others():
    store, go_on = MemoryJobStore(), asyncio.Event()

    async def slow(passage: Passage) -> Finished:
        await passage.begin("because")
        await go_on.wait()
        return Finished(result=b"done")

    await store.submit([job()])
    async with working(store, request=Doing(slow)) as worker:
        await until(store, "job_a", lambda job: job.place.state == "execution")
        resting = asyncio.create_task(worker.rest(20))
        await asyncio.sleep(0)
        await store.submit([job("job_b")])
        go_on.set()
        await resting
        assert (await until(store, "job_a", lambda job: job.over)).result == b"done"
        async with working(store, name="w2", request=Doing(good)):
            await until(store, "job_b", lambda job: job.over)
    assert {step.worker for step in await store.trace("job_b")} == {"", "w2"}
