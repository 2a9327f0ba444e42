"""Where jobs are kept, so that nothing that was acknowledged is lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from pointsman.domain.job import Change, Held, Job, Queue, Step, Submission, Submitted
from pointsman.domain.said import Said

Standing = Literal["held", "lost"]
Phase = Literal["waiting", "running", "parked", "over", "dead"]


class Fenced(Exception):
    """The job is not what it was taken for: another has it, it was called off, or it is gone. Nothing was changed."""


class StoreError(Exception):
    """The store cannot do it now: the disk is full, the server is gone. Nothing that failed so was acknowledged; it may
    have been done all the same, and may be tried again under the same name. The message is for people, in both languages."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs a list is to show; None: any. `over` are those that are completed; what is dead is `dead` alone."""

    caller: str | None = None
    queue: Queue | None = None
    kind: str | None = None
    parent: str | None = None
    phase: Phase | None = None


class JobStore(Protocol):
    """What it says is done survives the end of any process, and the machine's, as far as the store's own settings go.

    Work is given out at least once. Who got it holds it for `lease` seconds, and longer if it renews; after that, others
    may get it, with a higher token, and what the first one still wants to change is refused (Fenced). Leases and delays do
    not follow the wall clock. A trace is complete and without a gap. Methods raise StoreError; one event loop uses a
    store."""

    async def check(self) -> list[Said]:
        """What of the store's own settings endangers jobs, for people. Raises StoreError where it is of no use at all."""

    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        """In the order of `submissions`; returns once all of them are durable. Each is a job in state `received`, with one
        entry in its trace, `submitted`. With a parent it is one of its children, whether or not that one is there."""

    async def claim(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Job]:
        """At most so many jobs that nobody has, held by `worker` from now on: those of the first queue first, and of each
        queue those whose lease ran out first (`lost` has grown then), else the oldest. Which lease ran out first is known
        to who saw them begin: a store that only observes leases may take those before its own start in any order.
        Claiming is no entry of the trace: the version stays, the token grows."""

    async def advance(self, held: Held, change: Change) -> Held:
        """All of `change`, durable, or none of it. Raises Fenced where version or token are not the store's; a change of
        that name that was just made succeeds again, and gives what it gave. A child that comes to its end (over, for the
        first time) counts in its parent; the last one unparks it."""

    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        """Another `lease` seconds from now for each that is still held, judged by its token alone: also where the lease ran
        out, if nobody took it. What was given back is lost."""

    async def get(self, job_id: str) -> Job | None: ...

    async def find(self, caller: str, key: str) -> str | None:
        """The id of the job that this caller submitted under that key."""

    async def trace(self, job_id: str) -> list[Step]:
        """Oldest first; empty where there is no such job."""

    async def ls(self, wanted: Wanted, most: int, before: str | None = None) -> list[Job]:
        """Newest first by id (as ASCII), those after `before` in that order, without `body`, `data` and `result`."""

    async def counts(self) -> dict[str, int]:
        """How many jobs are waiting, running, parked, dead, by `queue.phase`; what is 0 may be missing."""

    async def purge(self, before: float, most: int = 1000) -> list[Job]:
        """Removes jobs that are over and were last changed before that moment (seconds since the epoch), at most so many,
        with all that belongs to them; gives them as `ls` does. Children go with or before their parents, one whose
        child stays, stays; and not before their parents are over."""

    async def wait(self, queues: Sequence[Queue], seconds: float) -> None:
        """Returns when there may be something to claim, at the latest after so many seconds."""

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        """A value that is forgotten after so many seconds, and may be before."""

    async def read(self, key: str) -> bytes | None: ...

    async def delete(self, key: str) -> None: ...

    async def scan(self, prefix: str) -> dict[str, bytes]:
        """All whose keys begin with exactly these characters."""

    async def close(self) -> None:
        """What was begun is done, or refused with StoreError; who waits, waits no more. After it, nothing can be changed:
        StoreError."""
