"""Submissions and changes in few words, legal by the lifecycle, so that tests read like scripts."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from pointsman.domain.job import QUEUES, Change, Held, Job, Step, Submission
from pointsman.domain.lifecycle import Place, step
from pointsman.ports.job_store import JobStore

T = TypeVar("T")
NOON = 1_800_000_000.0
"""When the first submission was made; each one a second after the one before, by its number."""
SHORT = 0.02
"""Seconds of a lease or delay that a test waits for."""
LONG = 3600.0
"""Seconds of one that does not end during a test."""
_OPS = itertools.count(1)


def submission(number: int = 1, **other: Any) -> Submission:
    given: dict[str, Any] = {
        "id": f"job_{number:06}",
        "queue": "interactive",
        "kind": "request",
        "caller": "ann",
        "created": NOON + number,
        "body": b"body %d" % number,
    }
    return Submission(**{**given, **other})


def child(parent: str, number: int, **other: Any) -> Submission:
    return submission(number, **{"id": f"{parent}.{number:06}", "parent": parent, "queue": "batch", **other})


def change(place: Place | Job, *events: str, op: str | None = None, at: float | None = None, **other: Any) -> Change:
    """These events from there on; one that ends it is written `ended:outcome`. `op` is a new name each time."""
    place = place.place if isinstance(place, Job) else place
    pairs: list[tuple[Any, Any]] = []
    places = []
    for text in events:
        event, _, outcome = text.partition(":")
        pairs.append((event, outcome or None))
        place = step(place, *pairs[-1])
        places.append(place)
    number = next(_OPS)
    return Change(
        op=op or f"op-{number}",
        at=NOON + 1000 + number if at is None else at,
        events=tuple(pairs),
        places=tuple(places),
        **other,
    )


def cancelling(job: Job) -> Change:
    return change(job, "ended:cancelled", fence=True)


async def submitted(store: JobStore, *submissions: Submission) -> list[Job]:
    """Submits them; the jobs they made."""
    await store.submit(submissions)
    return [await there(store, each.id) for each in submissions]


async def there(store: JobStore, job_id: str) -> Job:
    job = await store.get(job_id)
    assert job is not None, f"{job_id} is gone"
    return job


async def claimed(
    store: JobStore, most: int = 1, lease: float = LONG, worker: str = "w", queues: Sequence[Any] = QUEUES
) -> list[Job]:
    return await store.claim(queues, worker, most, lease)


async def one(store: JobStore, lease: float = LONG, worker: str = "w", queues: Sequence[Any] = QUEUES) -> Job:
    """The one job that there is to claim."""
    (job,) = await store.claim(queues, worker, 10, lease)
    return job


async def executing(store: JobStore, number: int = 1, **other: Any) -> Job:
    """A job that is submitted, claimed, and held in its execution."""
    (job,) = await submitted(store, submission(number, **other))
    (job,) = [each for each in await claimed(store, 100) if each.id == job.id]
    await store.advance(job.held, change(job, "admitted", "matched", "dispatched", hold=True))
    return await there(store, job.id)


async def advanced(store: JobStore, job: Job, *events: str, **other: Any) -> Job:
    """The job after these events."""
    await store.advance(job.held, change(job, *events, **other))
    return await there(store, job.id)


async def until(found: Callable[[], Awaitable[T]], seconds: float = 20.0) -> T:
    """What it gives as soon as that is something, tried again and again."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not (value := await found()):
        assert asyncio.get_running_loop().time() < deadline, "it never came"
        await asyncio.sleep(0.005)
    return value


async def one_at_last(store: JobStore, worker: str = "w", lease: float = LONG) -> Job:
    """The one job that is going to be there to claim."""
    (job,) = await until(lambda: claimed(store, 10, lease, worker))
    return job


def ids(jobs: Iterable[Job]) -> list[str]:
    return [job.id for job in jobs]


def folded(steps: Sequence[Step]) -> Place:
    """Where a trace leads, each of its steps made by the lifecycle. Of how a job ended, a trace says only whether it was
    called off."""
    first = steps[0]
    assert (first.number, first.event, first.state, first.disposition) == (1, "submitted", "received", "active")
    place = Place()
    for number, each in enumerate(steps[1:], 2):
        assert each.number == number
        assert each.event != "submitted"
        ended = "cancelled" if each.disposition == "cancelled" else "ok"
        place = step(place, each.event, ended if each.event == "ended" else None)
        assert (each.state, each.disposition) == (place.state, place.disposition), each
    return place


async def sound(store: JobStore, job_id: str) -> list[str]:
    """The events of its trace, which is whole, legal, and leads to where the job is."""
    job, steps = await there(store, job_id), await store.trace(job_id)
    place = folded(steps)
    assert job.version == len(steps)
    assert (place.state, place.disposition, place.asked) == (job.place.state, job.place.disposition, job.place.asked)
    assert (job.place.outcome is None) == (place.outcome is None)
    return [each.event for each in steps]


def held(job: Job, **other: Any) -> Held:
    """The same with another version or token."""
    return Held(other.get("id", job.id), other.get("version", job.version), other.get("token", job.token))
