"""What every store makes of a change: all of it or nothing, once, and in the trace for good."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from msgspec.structs import replace

from pointsman.domain.job import Change, Held, Step
from pointsman.ports.job_store import Fenced, JobStore
from store.jobs.makes import (
    SHORT,
    advanced,
    cancelling,
    change,
    child,
    claimed,
    executing,
    held,
    ids,
    one,
    one_at_last,
    sound,
    submission,
    submitted,
    there,
)
from store.jobs.stores import SHARED, Grounds


async def refused(store: JobStore, stale: Held, what: Change) -> None:
    """Fenced, and nothing was changed: neither job nor trace, and no child is there."""
    before, trace = await store.get(stale.id), await store.trace(stale.id)
    with pytest.raises(Fenced):
        await store.advance(stale, what)
    assert (await store.get(stale.id), await store.trace(stale.id)) == (before, trace)
    for each in what.spawn:
        assert await store.get(each.id) is None


async def test_a_change_is_made_whole(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store)
    what = change(job, "admitted", hold=True, data=b"d", result=b"r", error="e", failures=2, left=3)
    after = await store.advance(job.held, what)
    assert after == Held(job.id, 2, job.token)
    assert await there(store, job.id) == replace(
        job, place=what.last, version=2, updated=what.at, data=b"d", result=b"r", error="e", failures=2, left=3
    )


async def test_what_is_not_named_stays(store: JobStore) -> None:
    job = await executing(store)
    job = await advanced(store, job, "stepped", hold=True, data=b"d", result=b"r", error="e", failures=1, left=2)
    after = await advanced(store, job, "stepped", hold=True)
    assert after == replace(job, version=job.version + 1, updated=after.updated)


async def test_values_can_be_emptied(store: JobStore) -> None:
    job = await advanced(store, await executing(store), "stepped", hold=True, data=b"d", result=b"r", error="e")
    after = await advanced(store, job, "stepped", hold=True, data=b"", result=b"", error="")
    assert (after.data, after.result, after.error) == (b"", b"", "")


async def test_failures_add_up(store: JobStore) -> None:
    await submitted(store, submission())
    for number in range(1, 4):
        job = await advanced(store, await one(store), "failed", failures=1, error=f"e{number}")
        assert (job.failures, job.lost, job.error) == (number, 0, f"e{number}")


async def test_steps_say_what_happened(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store, worker="w1")
    why, about = ("it fits", "合适"), {"policy": "p1", "": "", "目标": "🚂"}
    what = change(job, "admitted", "matched", "dispatched", worker="w1", why=why, about=about, hold=True)
    await store.advance(job.held, what)
    steps = await store.trace(job.id)
    assert steps[1:] == [
        Step(2, "admitted", "l0_routing", "active", what.at, "w1", job.token, why, about),
        Step(3, "matched", "l0_matched", "active", what.at, "w1", job.token, why, about),
        Step(4, "dispatched", "execution", "active", what.at, "w1", job.token, why, about),
    ]
    assert (await there(store, job.id)).version == 4


async def test_several_events_are_numbered_without_a_gap(store: JobStore) -> None:
    job = await executing(store)
    job = await advanced(store, job, *["stepped"] * 20, hold=True)
    job = await advanced(
        store, job, "restarted", "missed", "arbitrated", "clarified", "missed", "dispatched", hold=True
    )
    assert (job.version, job.place.asked) == (30, 1)
    await advanced(store, job, "stepped", "ended:handed_over")
    assert len(await sound(store, job.id)) == 32
    assert (await there(store, job.id)).place.outcome == "handed_over"


async def test_a_long_life(store: JobStore) -> None:
    job = await executing(store)
    events = ["submitted", "admitted", "matched", "dispatched"]
    for round_ in range(60):
        job = await advanced(store, job, "stepped", hold=True, data=b"%d" % round_)
        job = await advanced(store, job, "failed", failures=1)
        job = await advanced(store, await one(store), "resumed", hold=True)
        events += ["stepped", "failed", "resumed"]
    assert await sound(store, job.id) == events
    assert (job.data, job.failures) == (b"59", 60)


async def test_a_stale_version_is_refused(store: JobStore) -> None:
    job = await executing(store)
    for version in (0, 1, job.version - 1, job.version + 1, 99):
        await refused(store, held(job, version=version), change(job, "ended:ok", spawn=(child(job.id, 1),)))


async def test_a_stale_token_is_refused(store: JobStore) -> None:
    job = await executing(store)
    for token in (0, job.token - 1, job.token + 1, 99):
        await refused(store, held(job, token=token), change(job, "ended:ok", spawn=(child(job.id, 1),)))


async def test_an_unknown_job_is_refused(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    await refused(store, held(job, id="job_000009"), change(job, "admitted", spawn=(child("job_000009", 1),)))


async def test_an_unclaimed_job_can_be_changed_by_who_saw_it(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    ended = await advanced(store, job, "ended:cancelled", fence=True, error="cancelled", why=("called off", "已取消"))
    assert (ended.place.disposition, ended.error) == ("cancelled", "cancelled")
    await refused(store, job.held, change(job, "admitted"))


async def test_the_same_change_twice_is_made_once(store: JobStore) -> None:
    job = await executing(store)
    what = change(job, "stepped", "stepped", hold=True, failures=1, data=b"d", spawn=(child(job.id, 1),))
    first = await store.advance(job.held, what)
    after = await there(store, job.id)
    for _ in range(3):
        assert await store.advance(job.held, what) == first
    assert await there(store, job.id) == after
    assert (await sound(store, job.id))[-3:] == ["dispatched", "stepped", "stepped"]
    assert (await store.advance(first, change(after, "ended:ok"))).version == after.version + 1


@pytest.mark.parametrize(
    ("events", "other"),
    [
        (("ended:ok",), {"result": b"r"}),
        (("ended:cancelled",), {"fence": True}),
        (("failed",), {"failures": 1}),
        (("failed",), {"delay": 3600.0}),
        (("failed",), {"fence": True}),
        (("died",), {}),
        (("parked",), {"left": 1}),
        (("parked",), {}),
    ],
)
async def test_also_where_it_left_its_worker(store: JobStore, events: tuple[str, ...], other: dict[str, bytes]) -> None:
    job = await executing(store)
    what = change(job, *events, **other)
    first = await store.advance(job.held, what)
    after, trace = await there(store, job.id), await store.trace(job.id)
    assert first == after.held
    assert await store.advance(job.held, what) == first
    assert (await there(store, job.id), await store.trace(job.id)) == (after, trace)


async def test_a_change_that_was_made_by_name_is_not_made_by_another(store: JobStore) -> None:
    job = await executing(store)
    await store.advance(job.held, change(job, "ended:ok"))
    await refused(store, job.held, change(job, "ended:ok"))


async def test_names_of_changes_are_a_jobs_own(store: JobStore) -> None:
    await submitted(store, submission(1), submission(2))
    first, second = await claimed(store, 2)
    await store.advance(first.held, change(first, "ended:ok", op="same"))
    await store.advance(second.held, change(second, "admitted", op="same"))
    assert await sound(store, second.id) == ["submitted", "admitted"]


async def repeated(store: JobStore, stale: Held, what: Change, first: Held) -> None:
    """A change that was made before others changed the job: it is refused, or known; but it is not made again."""
    before, trace = await there(store, stale.id), await store.trace(stale.id)
    with suppress(Fenced):
        assert await store.advance(stale, what) == first
    assert (await there(store, stale.id), await store.trace(stale.id)) == (before, trace)


async def test_a_change_is_not_made_again_after_others_changed_the_job(store: JobStore) -> None:
    await submitted(store, submission())
    job = await one(store)
    what = change(job, "admitted", failures=1, worker="w")
    first = await store.advance(job.held, what)
    other = await one(store, worker="other")
    await repeated(store, job.held, what, first)
    other = await advanced(store, other, "matched", hold=True)
    await repeated(store, job.held, what, first)
    await advanced(store, other, "ended:ok")
    await repeated(store, job.held, what, first)
    assert await sound(store, job.id) == ["submitted", "admitted", "matched", "ended"]


async def test_a_change_that_is_repeated_late_gives_no_right_to_what_another_has(store: JobStore) -> None:
    """The answer was lost, the lease ran out, another took over: it may be told that its step was made, but not the
    other's token."""
    await submitted(store, submission())
    job = await one(store, SHORT)
    what = change(job, "admitted", hold=True)
    first = await store.advance(job.held, what)
    other = await one_at_last(store, "other")
    try:
        again = await store.advance(job.held, what)
    except Fenced:
        again = first
    assert again == first
    await refused(store, again, change(what.last, "ended:ok"))
    assert await there(store, job.id) == other


async def test_of_two_that_change_it_at_once_one_does(store: JobStore) -> None:
    job = await executing(store)

    async def attempt(number: int) -> bool:
        try:
            await store.advance(job.held, change(job, "stepped", hold=True, data=b"%d" % number))
        except Fenced:
            return False
        return True

    for _ in range(5):
        made = await asyncio.gather(*(attempt(number) for number in range(20)))
        assert made.count(True) == 1
        assert (await there(store, job.id)).data == b"%d" % made.index(True)
        job = await there(store, job.id)


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_of_two_instances_that_change_it_at_once_one_does(grounds: Grounds) -> None:
    stores = [await grounds.open() for _ in range(4)]
    job = await executing(stores[0])

    async def attempt(store: JobStore) -> bool:
        try:
            await store.advance(job.held, change(job, "stepped", hold=True))
        except Fenced:
            return False
        return True

    for _ in range(10):
        assert (await asyncio.gather(*map(attempt, stores))).count(True) == 1
        job = await there(stores[0], job.id)
    assert job.version == 14


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_a_change_repeated_through_another_instance_is_made_once(grounds: Grounds) -> None:
    here, other = await grounds.open(), await grounds.open()
    job = await executing(here)
    what = change(job, "stepped", hold=True, failures=1)
    assert await here.advance(job.held, what) == await other.advance(job.held, what)
    assert (await there(here, job.id)).failures == 1


async def test_beginning_anew_by_hand(store: JobStore) -> None:
    await submitted(store, submission())
    await one(store, SHORT)
    job = await one_at_last(store)
    job = await advanced(store, job, "admitted", "died", failures=3, error="e", data=b"d")
    assert (job.generation, job.failures, job.lost) == (1, 3, 1)
    revived = await advanced(store, job, "revived", again=True)
    assert (revived.generation, revived.failures, revived.lost) == (2, 0, 0)
    assert (revived.data, revived.place.state, revived.place.disposition) == (b"d", "l0_routing", "active")
    again = await advanced(store, await one(store), "failed", failures=1)
    assert (again.generation, again.failures, again.lost) == (2, 1, 0)


async def test_a_revived_job_waits_for_its_delay(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "died")
    await advanced(store, job, "revived", again=True, delay=0.2)
    assert (await one_at_last(store)).generation == 2


async def test_spawned_jobs_come_with_the_change(store: JobStore) -> None:
    job = await executing(store)
    spawn = (
        child(job.id, 1, key="k"),
        child(job.id, 2, queue="interactive"),
        submission(1, id="webhook_000001", queue="webhook"),
    )
    after = await advanced(store, job, "stepped", hold=True, left=2, spawn=spawn)
    assert (after.left, after.spent, after.version) == (2, 0, job.version + 1)
    for each in spawn:
        found = await there(store, each.id)
        assert (found.body, found.parent, found.version) == (each.body, each.parent, 1)
        assert await sound(store, each.id) == ["submitted"]
    assert await store.find("ann", "k") == spawn[0].id
    assert ids(await claimed(store, 10)) == [spawn[1].id, spawn[2].id, spawn[0].id]


async def test_spawning_what_is_there_makes_it_no_second_time(store: JobStore) -> None:
    job = await executing(store)
    job = await advanced(store, job, "stepped", hold=True, left=1, spawn=(child(job.id, 1),))
    (taken,) = await claimed(store, 5)
    await advanced(store, taken, "admitted", hold=True)
    job = await advanced(store, job, "stepped", hold=True, left=2, spawn=(child(job.id, 1), child(job.id, 2)))
    assert await sound(store, taken.id) == ["submitted", "admitted"]
    assert ids(await claimed(store, 5)) == [f"{job.id}.000002"]
    assert job.left == 2


async def test_an_end_that_spawns(store: JobStore) -> None:
    job = await executing(store)
    hook = submission(1, id="webhook_000001", kind="webhook", queue="webhook")
    await advanced(store, job, "ended:ok", result=b"r", spawn=(hook,))
    assert (await one(store)).id == hook.id


SIZES = {"empty": b"", "1 MB": bytes(range(251)) * 4178, "bytes": bytes(range(256))}


@pytest.mark.parametrize("size", SIZES)
async def test_data_and_results_survive_byte_for_byte(store: JobStore, size: str) -> None:
    value = SIZES[size]
    job = await executing(store)
    job = await advanced(store, job, "stepped", data=value, result=value, error="错误 \0🚂", worker="工人")
    assert (job.data, job.result, job.error) == (value, value, "错误 \0🚂")
    taken = await one(store)
    assert (taken.data, taken.result) == (value, value)


@pytest.mark.parametrize("outcome", ["ok", "refused", "failed", "cancelled", "expired", "handed_over"])
async def test_outcomes(store: JobStore, outcome: str) -> None:
    job = await advanced(store, await executing(store), f"ended:{outcome}")
    assert job.place.outcome == outcome
    assert await sound(store, job.id) == ["submitted", "admitted", "matched", "dispatched", "ended"]


async def test_the_end_stays(store: JobStore) -> None:
    job = await executing(store)
    ended = await advanced(store, job, "ended:ok", result=b"r")
    await refused(store, job.held, cancelling(job))
    assert await there(store, job.id) == ended
