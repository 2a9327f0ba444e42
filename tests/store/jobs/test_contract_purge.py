"""What every store removes, and what it leaves."""

from __future__ import annotations

from pointsman.domain.job import Submitted
from pointsman.ports.job_store import JobStore, Wanted
from store.jobs.makes import NOON, advanced, child, claimed, executing, ids, one, submission, submitted, there

LATER = NOON + 1e6


async def ended(store: JobStore, number: int, at: float, *events: str, **other: object) -> str:
    """A job that came to its end at that moment."""
    (job,) = await submitted(store, submission(number, **other))
    (job,) = [each for each in await claimed(store, 100) if each.id == job.id]
    return (await advanced(store, job, *events or ("ended:ok",), at=at, result=b"result", data=b"data")).id


async def emptied(store: JobStore, before: float = LATER, most: int = 1000) -> list[str]:
    """What goes, purge by purge."""
    gone: list[str] = []
    while removed := await store.purge(before, most):
        assert len(removed) <= most
        gone += ids(removed)
    return gone


async def test_nothing_is_old(store: JobStore) -> None:
    assert await store.purge(LATER) == []
    await submitted(store, submission())
    assert await store.purge(LATER) == []


async def test_what_is_removed_is_gone(store: JobStore) -> None:
    job_id = await ended(store, 1, NOON, key="k", digest=b"d")
    (removed,) = await store.purge(LATER)
    assert removed.id == job_id
    assert await store.get(job_id) is None
    assert await store.trace(job_id) == []
    assert await store.find("ann", "k") is None
    assert await store.ls(Wanted(), 10) == []
    assert await store.purge(LATER) == []


async def test_removed_jobs_are_told_as_lists_are(store: JobStore) -> None:
    await ended(store, 1, NOON, key="k")
    await ended(store, 2, NOON, "died")
    listed = await store.ls(Wanted(), 10)
    removed = await store.purge(LATER)
    assert sorted(removed, key=lambda job: job.id, reverse=True) == listed
    assert {(job.body, job.data, job.result) for job in removed} == {(b"", b"", b"")}


async def test_only_what_was_changed_before(store: JobStore) -> None:
    for number, at in enumerate((NOON, NOON + 10, NOON + 9.999, NOON + 20)):
        await ended(store, number, at)
    assert sorted(ids(await store.purge(NOON + 10))) == ["job_000000", "job_000002"]
    assert sorted(ids(await store.purge(NOON + 10.001))) == ["job_000001"]
    assert sorted(ids(await store.purge(LATER))) == ["job_000003"]


async def test_only_what_is_over(store: JobStore) -> None:
    await submitted(store, *(submission(number) for number in range(5)))
    running, parked, delayed, dead, _ = await claimed(store, 5)
    await advanced(store, running, "admitted", hold=True, at=NOON)
    await advanced(store, parked, "parked", left=1, at=NOON)
    await advanced(store, delayed, "failed", delay=3600.0, at=NOON)
    await advanced(store, dead, "died", at=NOON)
    await submitted(store, submission(9))
    cancelled = await there(store, "job_000009")
    await advanced(store, cancelled, "ended:cancelled", fence=True, at=NOON)
    assert sorted(await emptied(store)) == [dead.id, cancelled.id]
    assert len(await store.ls(Wanted(), 10)) == 4


async def test_a_revived_job_is_not_over(store: JobStore) -> None:
    job_id = await ended(store, 1, NOON, "died")
    await advanced(store, await there(store, job_id), "revived", again=True, at=NOON)
    assert await store.purge(LATER) == []
    await advanced(store, await one(store), "ended:ok", at=NOON + 50)
    assert await store.purge(NOON + 50) == []
    assert ids(await store.purge(NOON + 51)) == [job_id]


async def test_at_most_so_many(store: JobStore) -> None:
    for number in range(7):
        await ended(store, number, NOON + number)
    sizes = []
    while removed := await store.purge(LATER, 3):
        sizes.append(len(removed))
    assert sizes == [3, 3, 1]


async def test_keys_are_free_again(store: JobStore) -> None:
    await ended(store, 1, NOON, key="k", digest=b"d")
    assert await store.submit([submission(2, key="k", digest=b"e")]) == [Submitted("job_000001", False, True)]
    await store.purge(LATER)
    assert await store.submit([submission(2, key="k", digest=b"e")]) == [Submitted("job_000002", True)]
    assert await store.find("ann", "k") == "job_000002"


async def test_purging_leaves_a_key_that_is_anothers(store: JobStore) -> None:
    await ended(store, 1, NOON, key="k")
    await submitted(store, submission(2, key="k", caller="bob"), submission(3, key="l"))
    await store.purge(LATER)
    assert await store.find("bob", "k") == "job_000002"
    assert await store.find("ann", "l") == "job_000003"


async def test_an_id_that_was_removed_makes_a_job_again(store: JobStore) -> None:
    job_id = await ended(store, 1, NOON, "died")
    await store.purge(LATER)
    assert await store.submit([submission(1, body=b"new")]) == [Submitted(job_id, True)]
    job = await one(store)
    assert (job.version, job.body, job.data, job.result, job.generation) == (1, b"new", b"", b"", 1)
    assert len(await store.trace(job_id)) == 1


async def test_children_go_with_or_before_their_parents(store: JobStore) -> None:
    parent = await executing(store)
    parent = await advanced(store, parent, "parked", left=3, spawn=tuple(child(parent.id, n) for n in range(3)))
    for number, each in enumerate(await claimed(store, 3)):
        await advanced(store, each, ("ended:ok", "died", "ended:failed")[number], at=NOON)
    await advanced(store, await one(store), "ended:ok", at=NOON)
    names = {parent.id, *(f"{parent.id}.{number:06}" for number in range(3))}
    for _ in range(4):
        await store.purge(LATER, 1)
        here = set(ids(await store.ls(Wanted(), 10)))
        assert parent.id in here or not here
    assert not names & set(ids(await store.ls(Wanted(), 10)))


async def test_a_parent_stays_while_a_child_does(store: JobStore) -> None:
    """The child is not over yet, or was changed later."""
    parent = await executing(store)
    spawn = tuple(child(parent.id, number) for number in range(2))
    parent = await advanced(store, parent, "ended:cancelled", left=2, spawn=spawn, fence=True, at=NOON)
    first, second = await claimed(store, 2)
    assert await store.purge(NOON + 10) == []
    await advanced(store, first, "ended:ok", at=NOON)
    assert await emptied(store, NOON + 10) == [first.id]
    await advanced(store, second, "ended:ok", at=NOON + 20)
    assert await emptied(store, NOON + 10) == []
    assert await there(store, parent.id)
    assert sorted(await emptied(store, NOON + 30)) == [parent.id, second.id]


async def test_parents_that_stay_do_not_stand_in_the_way_of_others(store: JobStore) -> None:
    for number in range(5):
        parent = await executing(store, number)
        await advanced(store, parent, "ended:ok", spawn=(child(parent.id, 1),), fence=True, at=NOON)
    other = await ended(store, 9, NOON + 1)
    assert await emptied(store, most=2) == [other]


async def test_children_alone_are_removed(store: JobStore) -> None:
    """Of a parent that is over, but stays for another child's sake."""
    parent = await executing(store)
    await submitted(store, child(parent.id, 0), child(parent.id, 1))
    first, second = await claimed(store, 2)
    await advanced(store, first, "ended:ok", at=NOON)
    await advanced(store, await there(store, parent.id), "ended:cancelled", at=NOON)
    assert await emptied(store) == [first.id]
    await advanced(store, second, "ended:ok", at=NOON)
    assert sorted(await emptied(store)) == [parent.id, second.id]


async def test_purging_leaves_values_alone(store: JobStore) -> None:
    job_id = await ended(store, 1, NOON)
    await store.put(job_id, b"v", 3600)
    await store.purge(LATER)
    assert await store.read(job_id) == b"v"


async def test_what_stays_is_whole(store: JobStore) -> None:
    for number in range(10):
        await ended(store, number, NOON + number)
    await submitted(store, submission(20))
    before = {job.id: (job, await store.trace(job.id)) for job in await store.ls(Wanted(), 100)}
    gone = await emptied(store, NOON + 5)
    assert len(gone) == 5
    for job in await store.ls(Wanted(), 100):
        assert before[job.id] == (job, await store.trace(job.id))
    assert ids(await claimed(store, 10)) == ["job_000020"]


async def test_children_stay_until_their_parent_is_over(store: JobStore) -> None:
    """It has yet to read what they gave."""
    parent = await executing(store, 1, id="batch_x", kind="batch")
    await submitted(store, child(parent.id, 2))
    done = await advanced(store, await one(store), "ended:ok", at=NOON)
    assert await store.purge(LATER) == []
    await advanced(store, await there(store, parent.id), "ended:ok", at=NOON + 1)
    assert sorted(await emptied(store)) == [parent.id, done.id]
