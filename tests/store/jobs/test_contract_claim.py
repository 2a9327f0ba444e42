"""What every store gives out, to whom, in which order."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from pointsman.domain.job import QUEUES
from pointsman.ports.job_store import JobStore
from store.jobs.makes import (
    LONG,
    SHORT,
    advanced,
    claimed,
    ids,
    one,
    sound,
    submission,
    submitted,
    there,
)
from store.jobs.stores import SHARED, Grounds


async def test_there_is_nothing(store: JobStore) -> None:
    assert await claimed(store, 10) == []


async def test_a_claimed_job_is_its_workers(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    (taken,) = await claimed(store, worker="w1")
    assert taken == replace(job, worker="w1", token=taken.token, updated=taken.updated)
    assert taken.token > job.token
    assert await there(store, job.id) == taken


async def test_claiming_is_no_entry_of_the_trace(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    before = await store.trace(job.id)
    (taken,) = await claimed(store)
    assert taken.version == job.version == 1
    assert await store.trace(job.id) == before


async def test_what_is_claimed_is_nobody_elses(store: JobStore) -> None:
    await submitted(store, submission())
    await one(store)
    assert await claimed(store, 10, worker="other") == []
    assert await claimed(store, 10) == []


async def test_a_claimed_job_has_all_that_its_handler_needs(store: JobStore) -> None:
    (job,) = await submitted(store, submission(expires=5.0, webhook="https://x.example", key="k"))
    taken = await one(store)
    await advanced(store, taken, "admitted", data=b"data", result=b"result", error="e", failures=2, left=3)
    again = await one(store)
    assert (again.body, again.data, again.result, again.error) == (job.body, b"data", b"result", "e")
    assert (again.failures, again.left, again.expires, again.webhook, again.key) == (2, 3, 5.0, job.webhook, "k")
    assert again.place.state == "l0_routing"


async def test_at_most_so_many(store: JobStore) -> None:
    await store.submit([submission(number) for number in range(10)])
    assert await claimed(store, 0) == []
    assert len(await claimed(store, 3)) == 3
    assert len(await claimed(store, 1)) == 1
    assert len(await claimed(store, 100)) == 6
    assert await claimed(store, 100) == []


async def test_the_oldest_come_first(store: JobStore) -> None:
    numbers = [5, 2, 9, 1, 7, 3]  # ids say nothing of age
    for age, number in enumerate(numbers):
        await store.submit([submission(number, created=1.7e9 + age)])
    assert ids(await claimed(store, 2)) == ["job_000005", "job_000002"]
    assert ids(await claimed(store, 10)) == ["job_000009", "job_000001", "job_000007", "job_000003"]


async def test_those_of_one_call_in_its_order(store: JobStore) -> None:
    await store.submit([submission(number, created=1.7e9) for number in (4, 8, 2, 6)])
    assert ids(await claimed(store, 10)) == ["job_000004", "job_000008", "job_000002", "job_000006"]


async def test_one_queue_alone(store: JobStore) -> None:
    await store.submit([submission(number, queue=QUEUES[number % 3]) for number in range(6)])
    assert {job.queue for job in await claimed(store, 10, queues=("batch",))} == {"batch"}
    assert await claimed(store, 10, queues=("batch",)) == []
    assert await claimed(store, 10, queues=()) == []
    assert len(await claimed(store, 10)) == 4


@pytest.mark.parametrize("queues", [QUEUES, QUEUES[::-1], ("webhook", "batch", "interactive")])
async def test_queues_in_the_order_in_which_they_are_named(store: JobStore, queues: tuple[str, ...]) -> None:
    await store.submit([submission(number, queue=QUEUES[number % 3]) for number in range(9)])
    taken = await claimed(store, 7, queues=queues)
    assert [job.queue for job in taken] == [queues[0]] * 3 + [queues[1]] * 3 + [queues[2]]
    assert ids(taken)[:3] == sorted(ids(taken)[:3])


async def test_what_a_worker_lost_comes_before_what_is_fresh(store: JobStore) -> None:
    await submitted(store, submission(1))
    await one(store, SHORT)
    await submitted(store, submission(2), submission(3, queue="batch"))
    await asyncio.sleep(2 * SHORT)
    assert ids(await claimed(store, 10, worker="x")) == ["job_000001", "job_000002", "job_000003"]


async def test_of_those_that_were_lost_the_first_first(store: JobStore) -> None:
    for number in (3, 1, 2):
        await submitted(store, submission(number))
    first, second, third = await claimed(store, 3, LONG)
    for job in (second, third, first):
        assert await store.renew([job.held], SHORT) == ["held"]
        await asyncio.sleep(2 * SHORT)
    assert ids(await claimed(store, 2, worker="x")) == [second.id, third.id]
    assert ids(await claimed(store, 2, worker="x")) == [first.id]


@pytest.mark.parametrize("grounds", ["sqlite"], indirect=True)
async def test_also_where_another_instance_had_them(grounds: Grounds) -> None:
    """A worker that is just started takes over in the same order, where ends are kept and not observed."""
    before = await grounds.open()
    await submitted(before, *(submission(number) for number in range(4)))
    jobs = await claimed(before, 4)
    lost = [jobs[number] for number in (2, 0, 3, 1)]
    for job in lost:
        assert await before.renew([job.held], SHORT) == ["held"]
        await asyncio.sleep(2 * SHORT)
    await submitted(before, submission(9))
    after = await grounds.open()
    taken = [*await claimed(after, 1), *await claimed(after, 2), *await claimed(after, 9)]
    assert ids(taken) == [*ids(lost), "job_000009"]


async def test_a_first_queues_fresh_job_comes_before_a_later_ones_lost_one(store: JobStore) -> None:
    await submitted(store, submission(1, queue="batch"))
    await one(store, SHORT)
    await asyncio.sleep(2 * SHORT)
    await submitted(store, submission(2, queue="interactive"))
    assert ids(await claimed(store, 10)) == ["job_000002", "job_000001"]


async def test_what_has_expired_is_handed_out_all_the_same(store: JobStore) -> None:
    """Else it would never come to an end: who has it ends it."""
    await submitted(store, submission(expires=1.0))
    assert (await one(store)).expires == 1.0


async def test_two_workers_never_get_the_same_job(store: JobStore) -> None:
    await store.submit([submission(number) for number in range(60)])
    got = await asyncio.gather(*(claimed(store, 7, worker=f"w{number}") for number in range(12)))
    given = [job.id for jobs in got for job in jobs]
    assert len(given) == len(set(given)) == 60
    for number, jobs in enumerate(got):
        assert {job.worker for job in jobs} <= {f"w{number}"}


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_nor_do_those_of_several_instances(grounds: Grounds) -> None:
    stores = [await grounds.open() for _ in range(3)]
    sent = [submission(number, queue=QUEUES[number % 3]) for number in range(90)]
    await asyncio.gather(*(stores[number % 3].submit([each]) for number, each in enumerate(sent)))
    given: list[str] = []

    async def work(store: JobStore, worker: str) -> None:
        while jobs := await claimed(store, 4, worker=worker):
            given.extend(ids(jobs))
            await asyncio.gather(*(advanced(store, job, "ended:ok") for job in jobs))

    await asyncio.gather(*(work(store, f"w{number}") for number, store in enumerate(stores * 2)))
    while jobs := await claimed(stores[0], 4):
        given.extend(ids(jobs))
    assert sorted(given) == [each.id for each in sent]


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_what_one_instance_changed_the_other_sees(grounds: Grounds) -> None:
    here, other = await grounds.open(), await grounds.open()
    await submitted(here, submission())
    taken = await one(other, worker="other")
    assert await there(here, taken.id) == taken
    ended = await advanced(here, taken, "ended:ok", result=b"r")
    assert await there(other, taken.id) == ended
    assert await sound(other, taken.id) == ["submitted", "ended"]


async def test_tokens_grow_with_each_claim(store: JobStore) -> None:
    await submitted(store, submission())
    tokens = []
    for _ in range(5):
        job = await one(store)
        tokens.append(job.token)
        await advanced(store, job, "failed")
    assert tokens == sorted(set(tokens))


@pytest.mark.parametrize("end", ["ended:ok", "ended:failed", "ended:cancelled", "ended:expired", "died"])
async def test_what_is_over_is_never_claimed(store: JobStore, end: str) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store, SHORT), end)
    assert job.over
    assert job.worker == ""
    await asyncio.sleep(2 * SHORT)
    assert await claimed(store, 10) == []


async def test_what_ended_unclaimed_is_never_claimed(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    await advanced(store, job, "ended:cancelled", fence=True)
    assert await claimed(store, 10) == []


async def test_what_is_dead_is_claimed_once_it_was_revived(store: JobStore) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "admitted", "died", failures=1)
    assert await claimed(store, 10) == []
    await advanced(store, job, "revived", again=True)
    again = await one(store)
    assert (again.id, again.place.state, again.place.disposition) == (job.id, "l0_routing", "active")
    assert again.token > job.token
    assert await sound(store, job.id) == ["submitted", "admitted", "died", "revived"]
