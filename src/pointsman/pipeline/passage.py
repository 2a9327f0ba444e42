"""A job on its way through its states: each step is durable before the next begins."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Protocol

import msgspec
from msgspec.structs import replace

from pointsman.domain.attempt import Outcome
from pointsman.domain.job import Change, Job, Submission
from pointsman.domain.lifecycle import Event, Place, step
from pointsman.domain.said import Said
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import JobStore

PROGRESS = "progress/"
"""Begins the keys under which stores remember how far jobs are: MessagePack of [done, of how many]."""
_KEPT = 600.0  # seconds that a progress is remembered


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A job has come to its end. `result` is what its caller gets; `error` and `why` say what went wrong, if anything."""

    outcome: Outcome = "ok"
    result: bytes = b""
    error: str | None = None
    why: str | None = None


class Waiting(msgspec.Struct, frozen=True):
    """A job waits for its children; it is handed to a worker again when the last of them has come to its end."""


class TryAgain(Exception):
    """What failed may succeed another time: in `delay` seconds, or when the worker thinks best. `tries` is how many there
    may be in all, None: as many as of any job. `waits`: nothing is wrong with the job, what it needs is busy or gone; it is
    tried for longer. The message is for people, in both languages."""

    def __init__(
        self, why: str, code: str, delay: float | None = None, tries: int | None = None, *, waits: bool = False
    ) -> None:
        super().__init__(why)
        self.why = why
        self.code = code
        self.delay = delay
        self.tries = tries
        self.waits = waits


class Handler(Protocol):
    """Does the jobs of one kind. It is called anew, with the job as its last durable step left it, whenever a worker takes
    the job up: after a crash, a failed try, the end of its children. Being cancelled means that the job is another's
    now, or called off: it undoes what is unfinished and leaves nothing running."""

    async def handle(self, passage: Passage) -> Finished | Waiting:
        """Raises TryAgain; any other exception counts as a failed try, too."""


class Passage:
    """`job` is the job as of the last step. Its methods raise Fenced where the job is no longer this worker's, and
    StoreError."""

    def __init__(self, job: Job, store: JobStore, clock: Clock, worker: str) -> None:
        self.job = job
        self._store = store
        self._clock = clock
        self._worker = worker

    @property
    def place(self) -> Place:
        return self.job.place

    @property
    def effect(self) -> str:
        """The name of what its execution does in the world, the same for each try of one generation."""
        return f"{self.job.id}.{self.job.generation}"

    async def begin(self, why: str, about: Mapping[str, str] | None = None) -> None:
        """On to the execution, for work in which nothing is to be decided; again, if it was there before."""
        if self.place.state == "execution":
            await self.go("resumed", why=why, about=about)
        elif self.place.state == "received":
            await self.go("admitted", "matched", "dispatched", why=why, about=about)
        else:
            await self.go("restarted", "matched", "dispatched", why=why, about=about)

    async def go(
        self,
        *events: Event,
        why: str | None = None,
        about: Mapping[str, str] | None = None,
        data: bytes | None = None,
        left: int | None = None,
        spawn: tuple[Submission, ...] = (),
    ) -> None:
        """These events, in this order, as one step; the job stays with this worker. Raises IllegalEvent."""
        places, place = [], self.place
        for event in events:
            place = step(place, event)
            places.append(place)
        change = self.change(
            tuple((event, None) for event in events),
            tuple(places),
            why,
            about,
            hold=True,
            data=data,
            left=left,
            spawn=spawn,
        )
        await self.make(change)

    def change(
        self,
        events: tuple[tuple[Event, Outcome | None], ...],
        places: tuple[Place, ...],
        why: str | None = None,
        about: Mapping[str, str] | None = None,
        *,
        hold: bool = False,
        data: bytes | None = None,
        left: int | None = None,
        spawn: tuple[Submission, ...] = (),
    ) -> Change:
        """A change of this job that is made now, by this worker."""
        return Change(
            op=secrets.token_hex(8),
            at=self._clock.wall(),
            events=events,
            places=places,
            worker=self._worker,
            why=why_of(why),
            about=dict(about or {}),
            hold=hold,
            data=data,
            left=left,
            spawn=spawn,
        )

    async def make(self, change: Change) -> None:
        """Makes it, and knows the job as it is then."""
        held = await self._store.advance(self.job.held, change)
        job = self.job
        self.job = replace(
            job,
            version=held.version,
            token=held.token,
            place=change.last,
            updated=change.at,
            failures=job.failures + change.failures,
            left=job.left if change.left is None else change.left,
            data=job.data if change.data is None else change.data,
            result=job.result if change.result is None else change.result,
        )

    async def tell(self, done: int, of: int) -> None:
        """How far it is, for whoever looks; not durable."""
        await self._store.put(PROGRESS + self.job.id, msgspec.msgpack.encode((done, of)), _KEPT)


def why_of(text: str | None) -> tuple[str, str] | None:
    """A reason as traces keep it: English and Chinese."""
    if text is None:
        return None
    return str(text), text.zh if isinstance(text, Said) else str(text)
