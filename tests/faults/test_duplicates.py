"""What is delivered twice is done once; where the answer is lost, it was done or it was not, and trying again is right."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from faults.ground import Ground
from faults.plans import Plan, planned
from pointsman.pipeline.job_worker import call_off, revive
from pointsman.ports.job_store import Fenced, JobStore
from store.jobs.makes import advanced, change, executing, one, sound, submission, submitted, there


@pytest.fixture
async def store(ground: Ground) -> AsyncIterator[JobStore]:
    store = ground.opened()
    yield store
    await store.close()


async def test_a_step_that_comes_twice_is_one_step(store: JobStore) -> None:
    job = await executing(store)
    step = change(job, "stepped", hold=True)
    first = await store.advance(job.held, step)
    assert await store.advance(job.held, step) == first
    assert await sound(store, job.id) == ["submitted", "admitted", "matched", "dispatched", "stepped"]


async def test_an_end_that_comes_twice_ends_once_and_counts_once(store: JobStore) -> None:
    parent = await executing(store)
    spawn = tuple(submission(number, id=f"{parent.id}.{number}", parent=parent.id) for number in (10, 11))
    await store.advance(parent.held, change(parent, "parked", left=2, spawn=spawn))
    child = (await store.claim(("interactive",), "w", 1, 60.0))[0]
    end = change(child, "admitted", "ended:ok")
    assert await store.advance(child.held, end) == await store.advance(child.held, end)
    after = await there(store, parent.id)
    assert (after.left, after.spent, after.place.disposition) == (1, 1, "parked")


async def test_another_step_from_the_same_point_is_refused(store: JobStore) -> None:
    """The token is the same; only the version has gone on."""
    job = await executing(store)
    await store.advance(job.held, change(job, "stepped", hold=True))
    with pytest.raises(Fenced):
        await store.advance(job.held, change(job, "ended:ok"))
    assert await sound(store, job.id) == ["submitted", "admitted", "matched", "dispatched", "stepped"]


async def test_two_people_revive_it_at_once(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "died")
    places = [change(job, "revived", again=True), change(job, "revived", again=True)]
    await store.advance(job.held, places[0])
    with pytest.raises(Fenced):
        await store.advance(job.held, places[1])
    await revive(store, job.id, 1.0, "third")
    assert (await there(store, job.id)).generation == 2
    assert await sound(store, job.id) == ["submitted", "died", "revived"]


async def test_a_submission_that_comes_twice_is_one_job(store: JobStore) -> None:
    given = submission(key="k", digest=b"d")
    first = await store.submit([given])
    second = await store.submit([given])
    assert [each.created for each in first + second] == [True, False]
    assert len(await store.claim(("interactive",), "w", 10, 60.0)) == 1


async def test_called_off_twice(store: JobStore) -> None:
    job = await executing(store)
    for op in ("one", "one", "two"):
        ended = await call_off(store, job.id, 1.0, op, lambda job, place, at: ())
        assert ended is not None
        assert ended.place.outcome == "cancelled"
    assert (await sound(store, job.id)).count("ended") == 1


async def test_every_other_answer_is_lost(ground: Ground) -> None:
    """A worker leaves what it does not know the outcome of; when the lease ran out it is taken up where it is."""
    plans = [Plan(steps=2), Plan(fails=1), Plan(children=2), Plan(again=True)]
    assert await ground.submit(*plans, lose=2) == 0
    assert len(ground.noted("acked")) == len(plans)
    assert await ground.run(lose=7, lost=99) == 0
    assert await ground.check() == {"ok": 6}


async def test_two_clients_submit_the_same_jobs(ground: Ground) -> None:
    plans = [Plan()] * 20
    clients = [ground.start(f"client{each}", verb="submit", jobs=tuple(enumerate(plans)), lose=3) for each in range(3)]
    assert [await client.over() for client in clients] == [0, 0, 0]
    workers = [ground.start(f"w{each}") for each in range(3)]
    assert [await worker.over() for worker in workers] == [0, 0, 0]
    assert await ground.check() == {"ok": 20}
    store = ground.opened()
    found = await there(store, planned(7, Plan()).id)
    await store.close()
    assert found.lost == 0
