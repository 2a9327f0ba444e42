"""What every store shows of its jobs: one, lists, counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from pointsman.domain.job import Job
from pointsman.ports.job_store import JobStore, Wanted
from store.jobs.makes import (
    LONG,
    advanced,
    cancelling,
    child,
    claimed,
    executing,
    ids,
    one,
    submission,
    submitted,
    there,
)

ALL = Wanted()


async def test_what_is_not_there(store: JobStore) -> None:
    assert await store.get("job_000001") is None
    assert await store.trace("job_000001") == []
    assert await store.find("ann", "k") is None
    assert await store.ls(ALL, 10) == []
    assert not any((await store.counts()).values())


async def test_find_takes_the_whole_of_caller_and_key(store: JobStore) -> None:
    await store.submit([submission(key="key")])
    assert await store.find("ann", "key") == "job_000001"
    for caller, key in (("ann", "KEY"), ("ann", "ke"), ("ann", "key "), ("an", "key"), ("", "key"), ("ann", "")):
        assert await store.find(caller, key) is None


async def test_a_key_is_found_also_when_its_job_is_over(store: JobStore) -> None:
    job = await advanced(store, await executing(store, 1, key="k"), "ended:ok")
    assert await store.find("ann", "k") == job.id


async def test_newest_first_by_id(store: JobStore) -> None:
    await store.submit([submission(number) for number in (3, 1, 2)])
    await store.submit([submission(0, id="job_000002.000001"), submission(0, id="webhook_000001")])
    assert ids(await store.ls(ALL, 10)) == [
        "webhook_000001",
        "job_000003",
        "job_000002.000001",
        "job_000002",
        "job_000001",
    ]


async def test_lists_are_light(store: JobStore) -> None:
    job = await executing(
        store, 1, key="k", digest=b"d", parent="job_000001.5", expires=9.0, webhook="https://x.example"
    )
    job = await advanced(
        store, job, "stepped", hold=True, data=b"data", result=b"result", error="e", left=2, failures=1
    )
    assert await store.ls(ALL, 10) == [replace(job, body=b"", data=b"", result=b"")]


async def test_paging(store: JobStore) -> None:
    await store.submit([submission(number) for number in range(25)])
    seen: list[str] = []
    while page := await store.ls(ALL, 10, seen[-1] if seen else None):
        seen += ids(page)
        assert len(seen) in (10, 20, 25)
    assert seen == [f"job_{number:06}" for number in range(24, -1, -1)]


async def test_paging_within_a_filter(store: JobStore) -> None:
    await store.submit([submission(number, caller="bob" if number % 5 else "ann") for number in range(40)])
    seen: list[str] = []
    while page := await store.ls(Wanted(caller="ann"), 3, seen[-1] if seen else None):
        assert {job.caller for job in page} == {"ann"}
        seen += ids(page)
    assert seen == [f"job_{number:06}" for number in range(35, -1, -5)]


async def test_paging_goes_on_while_new_ones_come(store: JobStore) -> None:
    await store.submit([submission(number) for number in range(4)])
    page = await store.ls(ALL, 2)
    await store.submit([submission(number) for number in range(4, 8)])
    assert ids(await store.ls(ALL, 10, page[-1].id)) == ["job_000001", "job_000000"]


async def test_where_to_go_on_need_not_be_a_job(store: JobStore) -> None:
    await store.submit([submission(number) for number in range(4)])
    assert ids(await store.ls(ALL, 10, "job_000001.5")) == ["job_000001", "job_000000"]
    assert ids(await store.ls(ALL, 10, "zzz")) == ["job_000003", "job_000002", "job_000001", "job_000000"]
    assert await store.ls(ALL, 10, "a") == []
    assert await store.ls(ALL, 10, "job_000000") == []
    assert await store.ls(ALL, 0) == []


async def world(store: JobStore) -> dict[str, Job]:
    """One job in each phase, and an own parent, kind and caller for some."""
    await submitted(store, *(submission(number) for number in range(7)))
    names = ("running", "parked", "over", "called off", "dead", "delayed", "gone on")
    jobs = dict(zip(names, await claimed(store, 7, LONG), strict=True))
    jobs["gone on"] = await advanced(store, jobs["gone on"], "admitted", hold=True)
    jobs["parked"] = await advanced(store, jobs["parked"], "parked", left=1)
    jobs["over"] = await advanced(store, jobs["over"], "ended:ok")
    await store.advance(jobs["called off"].held, cancelling(jobs["called off"]))
    jobs["dead"] = await advanced(store, jobs["dead"], "died")
    jobs["delayed"] = await advanced(store, jobs["delayed"], "failed", delay=LONG)
    (jobs["waiting"],) = await submitted(store, submission(7))
    (jobs["child"],) = await submitted(store, child(jobs["parked"].id, 1, caller="bob"))
    (jobs["hook"],) = await submitted(store, submission(8, queue="webhook", kind="webhook", caller="bob"))
    return {name: await there(store, job.id) for name, job in jobs.items()}


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"phase": "waiting"}, {"delayed", "waiting", "child", "hook"}),
    ({"phase": "running"}, {"running", "gone on"}),
    ({"phase": "parked"}, {"parked"}),
    ({"phase": "over"}, {"over", "called off"}),
    ({"phase": "dead"}, {"dead"}),
    ({"caller": "bob"}, {"child", "hook"}),
    ({"caller": "nobody"}, set()),
    ({"queue": "batch"}, {"child"}),
    ({"queue": "webhook"}, {"hook"}),
    ({"kind": "webhook"}, {"hook"}),
    ({"kind": "nothing"}, set()),
    ({"parent": "job_000001"}, {"child"}),
    ({"parent": "job_000000"}, set()),
    ({"caller": "bob", "kind": "request"}, {"child"}),
    ({"caller": "bob", "queue": "webhook", "kind": "webhook", "phase": "waiting"}, {"hook"}),
    ({"caller": "bob", "queue": "webhook", "phase": "running"}, set()),
    ({"parent": "job_000001", "phase": "waiting"}, {"child"}),
]


@pytest.mark.parametrize(
    ("wanted", "names"), FILTERS, ids=lambda each: "-".join(map(str, each.values())) if isinstance(each, dict) else ""
)
async def test_filters(store: JobStore, wanted: dict[str, Any], names: set[str]) -> None:
    jobs = await world(store)
    shown = await store.ls(Wanted(**wanted), 100)
    assert shown == sorted((replace(jobs[name], body=b"") for name in names), key=lambda job: job.id, reverse=True)


async def test_counts(store: JobStore) -> None:
    await world(store)
    counts = await store.counts()
    assert {name: counts[name] for name in counts if counts[name] and not name.endswith(".over")} == {
        "interactive.waiting": 2,
        "interactive.running": 2,
        "interactive.parked": 1,
        "interactive.dead": 1,
        "batch.waiting": 1,
        "webhook.waiting": 1,
    }


async def test_counts_follow_a_jobs_life(store: JobStore) -> None:
    async def phases() -> list[str]:
        return sorted(
            name for name, count in (await store.counts()).items() for _ in range(count) if not name.endswith(".over")
        )

    (job,) = await submitted(store, submission())
    assert await phases() == ["interactive.waiting"]
    job = await one(store)
    assert await phases() == ["interactive.running"]
    job = await advanced(store, job, "admitted", hold=True)
    assert await phases() == ["interactive.running"]
    await advanced(store, job, "failed")
    assert await phases() == ["interactive.waiting"]
    job = await advanced(store, await one(store), "parked", left=1, spawn=(child(job.id, 1),))
    assert await phases() == ["batch.waiting", "interactive.parked"]
    await advanced(store, await one(store), "ended:ok")
    assert await phases() == ["interactive.waiting"]
    job = await advanced(store, await one(store), "died")
    assert await phases() == ["interactive.dead"]
    job = await advanced(store, job, "revived", again=True)
    assert await phases() == ["interactive.waiting"]
    await store.advance(job.held, cancelling(job))
    assert await phases() == []


async def test_counts_after_many_at_once(store: JobStore) -> None:
    await asyncio.gather(*(store.submit([submission(number)]) for number in range(100)))
    jobs = await claimed(store, 60)
    await asyncio.gather(*(advanced(store, job, "ended:ok") for job in jobs[:40]))
    counts = await store.counts()
    assert (counts["interactive.waiting"], counts["interactive.running"]) == (40, 20)
