"""Who has a job, for how long, and what remains of it when somebody else does. Nothing here measures time: what is to
run out is short and waited for, what is not is an hour."""

from __future__ import annotations

import asyncio
import time

import pytest

from pointsman.domain.job import Held
from pointsman.ports.job_store import Fenced, JobStore
from store.jobs.makes import (
    LONG,
    SHORT,
    advanced,
    cancelling,
    change,
    claimed,
    held,
    ids,
    one,
    one_at_last,
    sound,
    submission,
    submitted,
    there,
    until,
)


async def test_a_lease_that_ran_out_makes_way_for_others(store: JobStore) -> None:
    await submitted(store, submission())
    first = await one(store, SHORT, "w1")
    second = await one_at_last(store, "w2")
    assert second.id == first.id
    assert (second.worker, second.lost, second.failures, second.version) == ("w2", 1, 0, first.version)
    assert second.token > first.token
    assert await there(store, first.id) == second


async def test_each_worker_that_is_lost_counts(store: JobStore) -> None:
    await submitted(store, submission())
    assert [(await one_at_last(store, lease=SHORT)).lost for _ in range(4)] == [0, 1, 2, 3]


async def test_who_gave_a_job_back_is_not_lost(store: JobStore) -> None:
    await submitted(store, submission())
    await advanced(store, await one(store, SHORT), "failed", failures=1)
    await asyncio.sleep(2 * SHORT)
    again = await one(store)
    assert (again.lost, again.failures) == (0, 1)


async def test_what_the_first_one_still_wants_is_refused(store: JobStore) -> None:
    await submitted(store, submission())
    first = await one(store, SHORT, "w1")
    second = await one_at_last(store, "w2")
    with pytest.raises(Fenced):
        await store.advance(first.held, change(first, "ended:ok", result=b"mine"))
    assert await there(store, first.id) == second
    assert await sound(store, first.id) == ["submitted"]


async def test_a_late_worker_may_go_on_where_nobody_took_over(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store, SHORT)
    await asyncio.sleep(2 * SHORT)
    assert (await advanced(store, job, "ended:ok")).place.outcome == "ok"


async def test_renewing_keeps_a_job(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store, 5.0)
    assert await store.renew([job.held], LONG) == ["held"]
    assert await store.renew([job.held], SHORT) == ["held"]
    assert (await one_at_last(store)).id == job.id


async def test_a_renewed_job_is_not_given_out(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store, 0.3)
    for _ in range(8):
        assert await store.renew([job.held], LONG) == ["held"]
        assert await claimed(store) == []
        await asyncio.sleep(0.05)
    assert (await there(store, job.id)).token == job.token


async def test_renewing_changes_nothing_but_the_lease(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store)
    await store.renew([job.held], LONG)
    assert await there(store, job.id) == job


async def test_renewing_looks_at_the_token_alone(store: JobStore) -> None:
    """A worker renews while its own step is under way."""
    await submitted(store, submission())
    job = await one(store)
    await advanced(store, job, "admitted", hold=True)
    assert await store.renew([job.held, held(job, version=99)], LONG) == ["held", "held"]


async def test_a_lease_that_ran_out_can_be_renewed_where_nobody_took_over(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store, SHORT)
    await asyncio.sleep(2 * SHORT)
    assert await store.renew([job.held], LONG) == ["held"]
    assert await claimed(store) == []


async def test_what_is_lost_cannot_be_renewed(store: JobStore) -> None:
    names = ("taken over", "cancelled", "fenced", "given back", "ended", "dead", "parked", "held")
    await submitted(store, *(submission(number) for number in range(len(names))))
    jobs = dict(zip(names, await claimed(store, len(names)), strict=True))
    await store.renew([jobs["taken over"].held], SHORT)
    await one_at_last(store, "x")
    await store.advance(jobs["cancelled"].held, cancelling(jobs["cancelled"]))
    await advanced(store, jobs["fenced"], "failed", fence=True, delay=LONG)
    await advanced(store, jobs["given back"], "failed")
    await advanced(store, jobs["ended"], "ended:ok")
    await advanced(store, jobs["dead"], "died")
    await advanced(store, jobs["parked"], "parked", left=1)
    unknown = Held("job_999999", 1, 1)
    standings = await store.renew([job.held for job in jobs.values()] + [unknown], LONG)
    assert standings == ["lost"] * 7 + ["held", "lost"]
    assert (await one(store)).id == jobs["given back"].id
    assert await store.renew([], LONG) == []


async def test_a_renewal_of_what_was_given_back_hinders_nobody(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store)
    await advanced(store, job, "failed")
    await store.renew([job.held], LONG)
    assert (await one(store, worker="x")).id == job.id


async def test_going_on_keeps_the_lease(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "admitted", hold=True)
    assert job.worker == "w"
    assert await claimed(store) == []
    job = await advanced(store, job, "matched", "dispatched", hold=True)
    assert await claimed(store) == []
    assert (await advanced(store, job, "ended:ok")).worker == ""


async def test_a_lease_runs_out_also_after_a_step(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store, SHORT)
    await advanced(store, job, "admitted", hold=True)
    taken = await one_at_last(store, "x")
    assert (taken.place.state, taken.lost, taken.version) == ("l0_routing", 1, 2)


async def test_what_is_given_back_is_there_at_once(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "failed", failures=1)
    assert job.worker == ""
    again = await one(store, worker="x")
    assert (again.worker, again.failures) == ("x", 1)


async def test_what_is_given_back_with_a_delay_is_there_after_it(store: JobStore) -> None:
    await submitted(store, submission(1), submission(2))
    first, second = await claimed(store, 2)
    await advanced(store, first, "failed", delay=LONG)
    job = await advanced(store, second, "failed", delay=0.3)
    assert job.worker == ""
    assert (await one_at_last(store)).id == second.id
    assert await claimed(store) == []


async def test_a_delayed_job_can_be_called_off(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "failed", delay=SHORT)
    await store.advance(job.held, cancelling(job))
    await asyncio.sleep(2 * SHORT)
    assert await claimed(store) == []


@pytest.mark.parametrize("jump", [600.0, -600.0, 1e8])
async def test_the_wall_clock_moves_neither_leases_nor_delays(
    store: JobStore, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    await submitted(store, *(submission(number) for number in range(4)))
    kept, delayed, lost, soon = await claimed(store, 4, 300.0)
    await advanced(store, delayed, "failed", delay=300.0)
    await store.renew([lost.held], 0.1)
    await advanced(store, soon, "failed", delay=0.1)
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + jump)
    back: set[str] = set()
    while len(back) < 2:
        back |= set(ids(await until(lambda: claimed(store, 10, worker="x"))))
    assert back == {lost.id, soon.id}
    assert await claimed(store, 10) == []
    assert await store.renew([kept.held], LONG) == ["held"]


async def test_a_fence_takes_the_job_from_its_worker(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store)
    after = await store.advance(job.held, change(job, "failed", fence=True))
    assert after.token > job.token
    for stale in (job.held, held(job, version=after.version)):
        with pytest.raises(Fenced):
            await store.advance(stale, change(job, "ended:ok"))
    assert await store.renew([job.held], LONG) == ["lost"]
    again = await one(store)
    assert again.token > after.token


async def test_who_has_a_job_that_is_called_off_loses_it(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "admitted", hold=True)
    seen = await there(store, job.id)
    await store.advance(seen.held, cancelling(seen))
    assert await store.renew([job.held], LONG) == ["lost"]
    with pytest.raises(Fenced):
        await store.advance(job.held, change(job, "ended:ok", result=b"late"))
    ended = await there(store, job.id)
    assert (ended.place.disposition, ended.place.outcome, ended.result, ended.worker) == (
        "cancelled",
        "cancelled",
        b"",
        "",
    )
    assert await sound(store, job.id) == ["submitted", "admitted", "ended"]
