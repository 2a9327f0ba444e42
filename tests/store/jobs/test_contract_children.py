"""What every store does for a job that waits for its children."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from pointsman.domain.job import Job
from pointsman.ports.job_store import JobStore
from store.jobs.makes import (
    SHORT,
    advanced,
    cancelling,
    change,
    child,
    claimed,
    executing,
    ids,
    one,
    one_at_last,
    sound,
    submission,
    submitted,
    there,
)
from store.jobs.stores import SHARED, Grounds

ENDS = ("ended:ok", "ended:failed", "ended:cancelled", "died")


async def family(store: JobStore, count: int, *, parked: bool = True) -> tuple[Job, list[Job]]:
    """A parent that waits, or is held, and its children, each held by a worker."""
    parent = await executing(store)
    spawn = tuple(child(parent.id, number) for number in range(count))
    parent = await advanced(store, parent, "stepped", hold=True, left=count, spawn=spawn)
    children = await claimed(store, count)
    assert ids(children) == [each.id for each in spawn]
    if parked:
        parent = await advanced(store, parent, "parked")
    return parent, children


async def test_a_parked_job_is_nobodys_and_not_claimed(store: JobStore) -> None:
    parent, _ = await family(store, 2)
    assert (parent.place.state, parent.place.disposition, parent.worker) == ("execution", "parked", "")
    assert (parent.left, parent.spent) == (2, 0)
    assert await claimed(store, 10) == []


async def test_nor_when_the_lease_runs_out_that_it_had(store: JobStore) -> None:
    await submitted(store, submission())
    await advanced(store, await one(store, SHORT), "parked", left=1)
    await asyncio.sleep(3 * SHORT)
    assert await claimed(store, 10) == []


async def test_one_parked_without_a_child_waits_for_whoever_unparks_it_and_has_its_old_place(store: JobStore) -> None:
    jobs = await submitted(store, *map(submission, (1, 2, 3)))
    for job in await claimed(store, 2):
        await advanced(store, job, "parked", left=1)
    assert ids(await claimed(store, 10)) == [jobs[2].id]
    await submitted(store, submission(4))
    for job in jobs[:2]:
        await advanced(store, await there(store, job.id), "unparked", left=0)
    assert ids(await claimed(store, 10)) == [jobs[0].id, jobs[1].id, submission(4).id]
    assert await sound(store, jobs[0].id) == ["submitted", "parked", "unparked"]


@pytest.mark.parametrize("end", ENDS)
async def test_the_last_child_unparks_it(store: JobStore, end: str) -> None:
    parent, (first, second) = await family(store, 2)
    await advanced(store, first, "ended:ok")
    between = await there(store, parent.id)
    assert between == replace(parent, left=1, spent=1)
    assert await claimed(store, 10) == []
    last = await advanced(store, second, end)
    after = await there(store, parent.id)
    assert (after.left, after.spent, after.version) == (0, 2, parent.version + 1)
    assert after.place == replace(parent.place, disposition="active")
    taken = await one(store)
    assert (taken.id, taken.lost) == (parent.id, 0)
    assert taken.token > parent.token
    assert (await sound(store, parent.id))[-2:] == ["parked", "unparked"]
    assert (await store.trace(parent.id))[-1].at == last.updated


async def test_a_child_counts_at_its_first_end_alone(store: JobStore) -> None:
    parent, (first, _) = await family(store, 2)
    first = await advanced(store, first, "died", failures=3)
    counted = await there(store, parent.id)
    assert (counted.left, counted.spent) == (1, 1)
    await advanced(store, first, "revived", again=True)
    assert await there(store, parent.id) == counted
    await advanced(store, await one(store), "ended:ok")
    assert await there(store, parent.id) == counted
    assert await claimed(store, 10) == []


async def test_also_when_it_died_twice(store: JobStore) -> None:
    parent, (first, second) = await family(store, 2)
    for _ in range(2):
        dead = await advanced(store, first, "died")
        await advanced(store, dead, "revived", again=True)
        first = await one(store)
    assert (await there(store, parent.id)).spent == 1
    await advanced(store, second, "ended:ok")
    assert (await one(store)).id == parent.id


async def test_a_childs_end_repeated_counts_once(store: JobStore) -> None:
    parent, (first, _) = await family(store, 2)
    what = change(first, "ended:ok")
    for _ in range(3):
        await store.advance(first.held, what)
    assert (await there(store, parent.id)).spent == 1


async def test_what_is_no_end_does_not_count(store: JobStore) -> None:
    parent, (first,) = await family(store, 1)
    first = await advanced(store, first, "admitted", hold=True)
    await advanced(store, first, "failed", failures=1)
    first = await advanced(store, await one(store), "parked", left=1)
    await advanced(store, first, "unparked")
    assert await there(store, parent.id) == parent


async def test_a_parent_that_is_held_goes_on_undisturbed(store: JobStore) -> None:
    parent, (first, second) = await family(store, 2, parked=False)
    await advanced(store, first, "ended:ok")
    await advanced(store, second, "ended:ok")
    after = await there(store, parent.id)
    assert after == replace(parent, left=0, spent=2)
    assert await store.renew([parent.held], 60) == ["held"]
    assert await claimed(store, 10) == []
    assert (await advanced(store, parent, "stepped", hold=True)).version == parent.version + 1


async def test_a_parent_that_parks_when_all_have_ended_goes_on_at_once(store: JobStore) -> None:
    parent, (first,) = await family(store, 1, parked=False)
    await advanced(store, first, "ended:ok")
    what = change(parent, "parked", worker="w")
    after = await store.advance(parent.held, what)
    job = await there(store, parent.id)
    assert after == job.held
    assert (job.version, job.place, job.worker) == (parent.version + 2, parent.place, "")
    assert (await sound(store, parent.id))[-2:] == ["parked", "unparked"]
    assert (await store.trace(parent.id))[-1].at == what.at
    assert (await one(store)).id == parent.id


async def test_so_does_one_that_has_none_at_all(store: JobStore) -> None:
    job = await executing(store)
    job = await advanced(store, job, "stepped", "parked", delay=3600.0)
    assert job.place.disposition == "active"
    assert (await one(store)).id == job.id
    assert (await sound(store, job.id))[-3:] == ["stepped", "parked", "unparked"]


async def test_parking_with_its_children(store: JobStore) -> None:
    job = await executing(store)
    job = await advanced(store, job, "stepped", "parked", left=1, spawn=(child(job.id, 1),))
    assert job.place.disposition == "parked"
    await advanced(store, await one(store), "ended:ok")
    assert (await one(store)).id == job.id


async def test_children_that_ended_before_their_number_was_told(store: JobStore) -> None:
    """A parent submits them by and by, and only then says how many they are."""
    job = await executing(store)
    await submitted(store, *(child(job.id, number) for number in range(3)))
    first, second, third = await claimed(store, 5)
    await advanced(store, first, "ended:ok")
    await advanced(store, second, "ended:ok")
    told = await there(store, job.id)
    assert (told.left, told.spent, told.held) == (0, 2, job.held)
    told = await advanced(store, told, "stepped", hold=True, left=3)
    assert (told.left, told.spent) == (1, 2)
    told = await advanced(store, told, "parked", left=3)
    assert (told.place.disposition, told.left, told.spent) == ("parked", 1, 2)
    await advanced(store, third, "ended:ok")
    assert (await one(store)).id == job.id


async def test_all_of_which_ended_before(store: JobStore) -> None:
    job = await executing(store)
    await submitted(store, child(job.id, 1))
    (only,) = await claimed(store, 5)
    await advanced(store, only, "ended:ok")
    job = await advanced(store, job, "parked", left=1)
    assert (job.place.disposition, job.left, job.spent) == ("active", 0, 1)


async def test_a_parent_may_wait_again(store: JobStore) -> None:
    parent, (first,) = await family(store, 1)
    await advanced(store, first, "ended:ok")
    taken = await one(store)
    await advanced(store, taken, "parked", left=2, spawn=(child(parent.id, 7),))
    assert (await there(store, parent.id)).left == 1
    await advanced(store, await one(store), "ended:ok")
    taken = await one(store)
    assert (taken.id, taken.left, taken.spent) == (parent.id, 0, 2)
    assert (await sound(store, parent.id)).count("unparked") == 2


@pytest.mark.parametrize("end", ["ended:cancelled", "ended:failed", "died"])
async def test_a_parent_that_is_over_stays_so(store: JobStore, end: str) -> None:
    parent, (first,) = await family(store, 1)
    over = await advanced(store, parent, end, fence=True)
    await advanced(store, first, "ended:ok")
    after = await there(store, parent.id)
    assert (after.version, after.place) == (over.version, over.place)
    assert await claimed(store, 10) == []


async def test_a_child_without_a_parent_ends_all_the_same(store: JobStore) -> None:
    await submitted(store, child("job_000009", 1))
    job = await advanced(store, await one(store), "ended:ok")
    assert job.place.outcome == "ok"
    assert await store.get("job_000009") is None


async def test_a_parked_job_can_be_unparked_by_hand(store: JobStore) -> None:
    parent, (first,) = await family(store, 1)
    job = await advanced(store, parent, "unparked")
    assert (await one(store)).id == job.id
    await advanced(store, first, "ended:ok")
    assert (await sound(store, job.id)).count("unparked") == 1


async def test_a_child_called_off_before_anybody_had_it_counts(store: JobStore) -> None:
    parent = await executing(store)
    parent = await advanced(store, parent, "parked", left=1, spawn=(child(parent.id, 1),))
    waiting = await there(store, f"{parent.id}.000001")
    await store.advance(waiting.held, cancelling(waiting))
    assert (await one(store)).id == parent.id


async def test_grandchildren(store: JobStore) -> None:
    parent, (middle,) = await family(store, 1)
    small = submission(9, id=f"{parent.id}.000009", parent=middle.id)
    await advanced(store, middle, "parked", left=1, spawn=(small,))
    await advanced(store, await one(store), "ended:ok")
    assert (await there(store, parent.id)).left == 1
    middle = await one(store)
    await advanced(store, middle, "ended:ok")
    assert (await one(store)).id == parent.id


async def test_many_children_that_end_at_once(store: JobStore) -> None:
    parent, children = await family(store, 100)
    await asyncio.gather(*(advanced(store, each, ENDS[n % 4]) for n, each in enumerate(children)))
    taken = await one(store)
    assert (taken.id, taken.left, taken.spent) == (parent.id, 0, 100)
    assert (await sound(store, parent.id)).count("unparked") == 1


async def test_the_last_ends_while_the_parent_parks(store: JobStore) -> None:
    """In whichever order: it goes on once, and does not wait for ever."""
    for number in range(1, 11):
        parent = await executing(store, number)
        parent = await advanced(store, parent, "stepped", hold=True, left=1, spawn=(child(parent.id, 1),))
        only = await one(store)
        await asyncio.gather(advanced(store, only, "ended:ok"), store.advance(parent.held, change(parent, "parked")))
        taken = await one_at_last(store)
        assert taken.id == parent.id
        assert (await sound(store, parent.id)).count("unparked") == 1
        await advanced(store, taken, "ended:ok")


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_children_in_several_instances(grounds: Grounds) -> None:
    stores = [await grounds.open() for _ in range(3)]
    parent, children = await family(stores[0], 30)
    await asyncio.gather(*(advanced(stores[n % 3], each, "ended:ok") for n, each in enumerate(children)))
    taken = await one_at_last(stores[1])
    assert (taken.id, taken.left, taken.spent) == (parent.id, 0, 30)
