"""The contract in plain Python: for tests, and the yardstick of the stores that last."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from pointsman.domain.job import Change, Held, Job, Queue, Step, Submission, Submitted
from pointsman.domain.said import Said
from pointsman.ports.job_store import Fenced, Standing, StoreError, Wanted
from pointsman.store.jobs.changes import begun, changed, child_ended, first_step, held_on

_LOOK = 0.05  # seconds between two looks at what time alone makes claimable


@dataclass
class _Kept:
    """`due`: when the lease of who has it runs out, else when it may be claimed. `op` is the last change's, `led_to` what
    it gave. `counted`: in its parent."""

    job: Job
    order: int
    digest: bytes
    steps: list[Step]
    due: float
    leased: bool = False
    op: str = ""
    led_to: Held | None = None
    counted: bool = False

    def phase(self) -> str:
        if self.job.place.disposition == "dead":
            return "dead"
        if self.job.over:
            return "over"
        if self.job.place.disposition == "parked":
            return "parked"
        return "running" if self.leased else "waiting"

    def shows(self, wanted: Wanted) -> bool:
        return all(
            asked in (None, found)
            for asked, found in (
                (wanted.phase, self.phase()),
                (wanted.caller, self.job.caller),
                (wanted.queue, self.job.queue),
                (wanted.kind, self.job.kind),
                (wanted.parent, self.job.parent),
            )
        )


class MemoryJobStore:
    """`clock` gives seconds that only grow: leases, delays and values that are to be forgotten follow it. Nothing of it
    outlives the process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._jobs: dict[str, _Kept] = {}
        self._keys: dict[tuple[str, str], str] = {}
        self._values: dict[str, tuple[bytes, float]] = {}
        self._order = itertools.count()
        self._news = asyncio.Event()
        self._closed = False

    async def check(self) -> list[Said]:
        return []

    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        self._changes()
        return [self._submit(submission) for submission in submissions]

    async def claim(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Job]:
        self._changes()
        now = self._clock()
        due = [kept for queue in queues for kept in self._claimable(queue, now)][:most]
        for kept in due:
            lost = kept.job.lost + kept.leased
            kept.job = replace(kept.job, token=kept.job.token + 1, worker=worker, lost=lost)
            kept.leased, kept.due = True, now + lease
        return [kept.job for kept in due]

    async def advance(self, held: Held, change: Change) -> Held:
        self._changes()
        kept = self._jobs.get(held.id)
        if kept is None:
            raise Fenced(held.id)
        if kept.led_to is not None and kept.op == change.op:
            return kept.led_to
        if held != kept.job.held:
            raise Fenced(held.id)
        before = kept.job
        kept.job, steps = changed(before, change)
        kept.steps += steps
        if change.data is not None:
            kept.job = replace(kept.job, data=change.data)
        if change.result is not None:
            kept.job = replace(kept.job, result=change.result)
        if not held_on(before, kept.job, change):
            self._release(kept, 0.0 if len(steps) > len(change.events) else change.delay)
        kept.op, kept.led_to = change.op, kept.job.held
        for submission in change.spawn:
            self._submit(submission)
        if kept.job.over and not kept.counted:
            kept.counted = True
            self._count(kept.job.parent, change.at)
        return kept.led_to

    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        self._changes()
        return [self._renew(one, lease) for one in held]

    async def get(self, job_id: str) -> Job | None:
        kept = self._jobs.get(job_id)
        return kept.job if kept else None

    async def find(self, caller: str, key: str) -> str | None:
        return self._keys.get((caller, key))

    async def trace(self, job_id: str) -> list[Step]:
        kept = self._jobs.get(job_id)
        return list(kept.steps) if kept else []

    async def ls(self, wanted: Wanted, most: int, before: str | None = None) -> list[Job]:
        ids = (job_id for job_id in sorted(self._jobs, reverse=True) if before is None or job_id < before)
        shown = (_bare(self._jobs[job_id].job) for job_id in ids if self._jobs[job_id].shows(wanted))
        return list(itertools.islice(shown, most))

    async def counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for kept in self._jobs.values():
            if (phase := kept.phase()) != "over":
                name = f"{kept.job.queue}.{phase}"
                counts[name] = counts.get(name, 0) + 1
        return counts

    async def purge(self, before: float, most: int = 1000) -> list[Job]:
        self._changes()
        return list(itertools.islice(self._purged(before), most))

    async def wait(self, queues: Sequence[Queue], seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._closed and not any(self._claimable(queue, self._clock()) for queue in queues):
                    self._news.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(_LOOK):
                            await self._news.wait()

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        self._changes()
        self._values[key] = (value, self._clock() + seconds)

    async def read(self, key: str) -> bytes | None:
        return (await self.scan(key)).get(key)

    async def delete(self, key: str) -> None:
        self._changes()
        self._values.pop(key, None)

    async def scan(self, prefix: str) -> dict[str, bytes]:
        now = self._clock()
        self._values = {key: kept for key, kept in self._values.items() if kept[1] > now}
        return {key: value for key, (value, _) in self._values.items() if key.startswith(prefix)}

    async def close(self) -> None:
        self._closed = True
        self._news.set()

    def _changes(self) -> None:
        if self._closed:
            raise StoreError(Said("the job store is closed", "任务库已关闭"))

    def _submit(self, submission: Submission) -> Submitted:
        if submission.id in self._jobs:
            return Submitted(submission.id, created=False)
        if submission.key is not None:
            there = self._keys.setdefault((submission.caller, submission.key), submission.id)
            if there != submission.id:
                return Submitted(there, created=False, conflict=self._jobs[there].digest != submission.digest)
        steps = [first_step(submission)]
        self._jobs[submission.id] = _Kept(begun(submission), next(self._order), submission.digest, steps, self._clock())
        self._news.set()
        return Submitted(submission.id, created=True)

    def _claimable(self, queue: Queue, now: float) -> list[_Kept]:
        """Those whose lease ran out before the others, in the order in which it did; else the oldest first."""
        due = [
            kept
            for kept in self._jobs.values()
            if kept.job.queue == queue and kept.phase() in ("waiting", "running") and kept.due <= now
        ]
        return sorted(
            due, key=lambda kept: (not kept.leased, kept.due if kept.leased else kept.job.created, kept.order)
        )

    def _release(self, kept: _Kept, delay: float) -> None:
        kept.job = replace(kept.job, worker="")
        kept.leased, kept.due = False, self._clock() + delay
        self._news.set()

    def _count(self, parent: str | None, at: float) -> None:
        """One more of the parent's children has come to its end."""
        kept = self._jobs.get(parent) if parent is not None else None
        if kept is not None:
            kept.job, steps = child_ended(kept.job, at)
            kept.steps += steps
            if steps:
                self._release(kept, 0.0)

    def _renew(self, held: Held, lease: float) -> Standing:
        kept = self._jobs.get(held.id)
        if kept is None or not kept.leased or kept.job.token != held.token:
            return "lost"
        kept.due = self._clock() + lease
        return "held"

    def _purged(self, before: float) -> Iterator[Job]:
        """Removes them as it gives them, children before their parents. A job stays while a child of it does, or its parent
        is not over."""
        parents = {kept.job.parent for kept in self._jobs.values()}
        under_way = {kept.job.id for kept in self._jobs.values() if not kept.job.over}
        gone = [
            kept.job
            for kept in self._jobs.values()
            if kept.job.over
            and kept.job.updated < before
            and kept.job.id not in parents
            and kept.job.parent not in under_way
        ]
        for job in sorted(gone, key=lambda job: job.updated):
            del self._jobs[job.id]
            if job.key is not None:
                del self._keys[job.caller, job.key]
            yield _bare(job)
        if gone:
            yield from self._purged(before)


def _bare(job: Job) -> Job:
    return replace(job, body=b"", data=b"", result=b"")
