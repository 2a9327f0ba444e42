"""What every store does of who waits, is cancelled, or is still there when it is closed. Time limits here are for tests
that would hang; none tells how fast something is."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from pointsman.domain.job import QUEUES
from pointsman.ports.job_store import JobStore, StoreError, Wanted
from store.jobs.makes import (
    LONG,
    advanced,
    cancelling,
    change,
    child,
    claimed,
    executing,
    ids,
    one,
    sound,
    submission,
    submitted,
)
from store.jobs.stores import SHARED, Grounds

HANGS = 30.0


async def ends(waiting: Awaitable[Any]) -> Any:
    """What it gives; it does not take for ever."""
    async with asyncio.timeout(HANGS):
        return await waiting


async def waiter(store: JobStore, *queues: Any) -> asyncio.Task[None]:
    """Somebody who waits, and has begun to."""
    task = asyncio.create_task(store.wait(queues or QUEUES, LONG))
    await asyncio.sleep(0.05)
    assert not task.done()
    return task


async def test_waiting_comes_to_an_end(store: JobStore) -> None:
    await ends(store.wait(QUEUES, 0.05))
    await ends(store.wait(QUEUES, 0.0))


async def test_who_is_cancelled_as_work_comes_waits_no_more(store: JobStore) -> None:
    """Python's `wait_for`, before 3.12, would take the news and lose the cancellation: no worker could be stopped."""
    waiting = await waiter(store)
    await store.submit([submission()])
    over = waiting.done()
    waiting.cancel()
    await asyncio.wait((waiting,), timeout=HANGS)
    assert over or waiting.cancelled()


async def test_what_is_there_is_not_waited_for(store: JobStore) -> None:
    await submitted(store, submission())
    await ends(store.wait(QUEUES, LONG))
    await ends(store.wait(("interactive",), LONG))


async def test_a_submission_wakes(store: JobStore) -> None:
    waiting = await waiter(store)
    await submitted(store, submission(queue="batch"))
    await ends(waiting)
    assert len(await claimed(store)) == 1


async def test_it_wakes_all_who_wait(store: JobStore) -> None:
    waiting = await asyncio.gather(*(waiter(store) for _ in range(3)))
    await submitted(store, *(submission(number) for number in range(3)))
    await ends(asyncio.gather(*waiting))


async def test_what_is_given_back_wakes(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store)
    waiting = await waiter(store)
    await advanced(store, job, "failed")
    await ends(waiting)


async def test_what_is_revived_wakes(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "died")
    waiting = await waiter(store)
    await advanced(store, job, "revived", again=True)
    await ends(waiting)


async def test_what_is_spawned_wakes(store: JobStore) -> None:
    job = await executing(store)
    waiting = await waiter(store)
    await advanced(store, job, "stepped", hold=True, left=1, spawn=(child(job.id, 1),))
    await ends(waiting)


async def test_what_is_unparked_wakes(store: JobStore) -> None:
    job = await executing(store)
    await advanced(store, job, "parked", left=1, spawn=(child(job.id, 1),))
    last = await one(store)
    waiting = await waiter(store)
    await advanced(store, last, "ended:ok")
    await ends(waiting)


async def test_the_end_of_a_delay_wakes(store: JobStore) -> None:
    await submitted(store, submission())
    await advanced(store, await one(store), "failed", delay=0.3)
    waiting = asyncio.create_task(store.wait(QUEUES, LONG))
    await ends(waiting)


async def test_the_end_of_a_lease_wakes(store: JobStore) -> None:
    await submitted(store, submission())
    await one(store, 0.3)
    waiting = asyncio.create_task(store.wait(QUEUES, LONG))
    await ends(waiting)


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_another_instance_wakes(grounds: Grounds) -> None:
    here, other = await grounds.open(), await grounds.open()
    waiting = await waiter(here)
    await submitted(other, submission())
    await ends(waiting)
    assert len(await claimed(here)) == 1


async def test_a_wait_that_is_cancelled_ends(store: JobStore) -> None:
    waiting = await waiter(store)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ends(waiting)
    await submitted(store, submission())
    await ends(store.wait(QUEUES, LONG))


async def test_those_who_wait_hold_up_nobody(store: JobStore) -> None:
    waiting = await asyncio.gather(*(waiter(store) for _ in range(20)))
    await ends(store.put("k", b"v", LONG))
    assert await ends(store.get("job_000001")) is None
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_cancelled_caller_does_no_harm_to_others(store: JobStore) -> None:
    """Others' submissions are all there; those of callers who were cancelled are there whole, or not at all."""
    dice = random.Random(7)
    tasks = {
        number: asyncio.create_task(store.submit([submission(number), submission(1000 + number)]))
        for number in range(100)
    }
    left = set(dice.sample(range(100), 50))
    for turn, number in enumerate(left):
        if turn % 3 == 0:
            await asyncio.sleep(0)
        tasks[number].cancel()
    results = await asyncio.gather(*tasks.values(), return_exceptions=True)
    for number, result in enumerate(results):
        if not isinstance(result, asyncio.CancelledError):
            assert [each.created for each in result] == [True, True]
            assert await sound(store, f"job_{number:06}") == ["submitted"]
        pair = [await store.get(f"job_{number:06}"), await store.get(f"job_{1000 + number:06}")]
        assert pair[0] is not None or number in left
        for job in pair:
            assert job is None or await sound(store, job.id) == ["submitted"]
    assert (await store.submit([submission(5000)]))[0].created


async def test_a_cancelled_step_is_made_or_not_made(store: JobStore) -> None:
    await submitted(store, *(submission(number) for number in range(60)))
    jobs = await claimed(store, 60)
    what = {job.id: change(job, "admitted", "matched", hold=True, data=b"d") for job in jobs}
    tasks = [asyncio.create_task(store.advance(job.held, what[job.id])) for job in jobs]
    for number, task in enumerate(tasks):
        if number % 5 == 0:
            await asyncio.sleep(0)
        if number % 2:
            task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    for number, (job, result) in enumerate(zip(jobs, results, strict=True)):
        events = await sound(store, job.id)
        if number % 2 and len(events) == 1:
            assert isinstance(result, asyncio.CancelledError)
        else:
            assert events == ["submitted", "admitted", "matched"]
        again = await store.advance(job.held, what[job.id])  # its caller may try again under the same name
        assert again.version == 3
        assert await sound(store, job.id) == ["submitted", "admitted", "matched"]


async def test_a_cancelled_claim_loses_nothing(store: JobStore) -> None:
    """What it may have taken comes back when its lease runs out."""
    await submitted(store, *(submission(number) for number in range(20)))
    task = asyncio.create_task(claimed(store, 20, 0.1))
    await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    got: set[str] = set()
    async with asyncio.timeout(HANGS):
        while len(got) < 20:
            got |= set(ids(await claimed(store, 20, LONG)))
            await asyncio.sleep(0.01)
    assert (await advanced(store, (await store.ls(Wanted(), 1))[0], "ended:cancelled", fence=True)).over


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_nothing_is_lost_when_it_is_closed(grounds: Grounds) -> None:
    """Operations are under way: what was acknowledged is there, what was not was refused as the port says."""
    first, other = await grounds.open(), await grounds.open()
    await submitted(other, *(submission(1000 + number) for number in range(30)))
    jobs = await claimed(other, 30)
    what = {job.id: change(job, "ended:ok", result=b"r") for job in jobs}
    submits = [asyncio.create_task(first.submit([submission(number)])) for number in range(100)]
    steps = [asyncio.create_task(first.advance(job.held, what[job.id])) for job in jobs]
    await asyncio.sleep(0)
    await ends(first.close())
    results = await ends(asyncio.gather(*submits, *steps, return_exceptions=True))
    for number, result in enumerate(results):
        if number < 100:
            made = await other.get(f"job_{number:06}")
            assert made is not None if isinstance(result, list) else isinstance(result, StoreError)
        else:
            job = jobs[number - 100]
            events = await sound(other, job.id)
            assert events[-1] == "ended" if not isinstance(result, BaseException) else isinstance(result, StoreError)


async def test_who_waits_when_it_is_closed_waits_no_more(store: JobStore) -> None:
    waiting = await waiter(store)
    await ends(store.close())
    with suppress(StoreError):
        await ends(waiting)


async def test_a_closed_store_does_nothing_more(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    await store.close()
    calls: list[Callable[[], Awaitable[Any]]] = [
        lambda: store.submit([submission(2)]),
        lambda: store.advance(job.held, cancelling(job)),
        lambda: store.claim(QUEUES, "w", 1, 1.0),
        lambda: store.renew([job.held], 1.0),
    ]
    for call in calls:
        with pytest.raises(StoreError):
            await ends(call())


async def test_closing_twice_is_closing(store: JobStore) -> None:
    await store.close()
    await ends(store.close())


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_all_is_there_when_it_is_opened_again(grounds: Grounds) -> None:
    first = await grounds.open()
    job = await executing(first, 1, key="k")
    await submitted(first, submission(2))
    waiting = await advanced(first, await one(first), "failed", failures=1)
    trace = await first.trace(job.id)
    await first.close()
    second = await grounds.open()
    assert await second.get(job.id) == job
    assert await second.trace(job.id) == trace
    assert await second.find("ann", "k") == job.id
    assert await second.renew([job.held], LONG) == ["held"]
    again = await one(second)
    assert (again.id, again.failures) == (waiting.id, 1)
    assert again.token > waiting.token
    assert (await advanced(second, job, "ended:ok")).place.outcome == "ok"
