"""Work that is to be done whatever dies meanwhile, as every store keeps it."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from pointsman.domain.attempt import Outcome
from pointsman.domain.lifecycle import Disposition, Event, Place, State

Queue = Literal["interactive", "batch", "webhook"]
Kind = Literal["request", "action", "batch", "webhook", "delivery"]
QUEUES: tuple[Queue, ...] = ("interactive", "webhook", "batch")
"""In the order in which workers take from them."""
LONGEST_ID = 100
SCHEDULED = "schedule:"
"""Begins the keys of jobs that schedules submit: `schedule:NAME:TIME`."""


_SCHEDULED = re.compile(rf"{SCHEDULED}(.+):(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done. `id` is made by whoever submits: submitting the same id twice makes one job. `body` is what its
    handler understands, opaque to stores. `parent` waits for this one among its children; its id shares this one's digits
    (`shard_of`). `created` and `expires` are seconds since the epoch; `expires`: it is of no use after that. `webhook` is
    the URL that is told of its end.

    `key` is the caller's own name for the work (Idempotency-Key), and `digest` what was sent under it: the same key again
    gives the job that there is, and with another digest it is refused."""

    id: str
    queue: Queue
    kind: Kind
    caller: str
    created: float
    body: bytes
    key: str | None = None
    digest: bytes = b""
    parent: str | None = None
    expires: float | None = None
    webhook: str | None = None


class Submitted(msgspec.Struct, frozen=True):
    """`id` is that of the job there is. `created`: by this submission. `conflict`: its key was used with another digest."""

    id: str
    created: bool
    conflict: bool = False


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One entry of a job's trace: what happened, and where the job was then. `number` counts from 1 without a gap, and is
    the job's version after it; `at` is seconds since the epoch, for people; `token` that of the worker's claim; `why` in
    English and Chinese; `about` small values by name (policy, target, attempt …). It is an array on disk: a new field goes
    to the end and has a default."""

    number: int
    event: Event | Literal["submitted"]
    state: State
    disposition: Disposition
    at: float
    worker: str = ""
    token: int = 0
    why: tuple[str, str] | None = None
    about: dict[str, str] = {}


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """As of one moment. `version` grows by one with each entry of the trace; `token` with each claim, and whenever the
    worker that has it is to lose it. `generation` counts how often it was begun anew by hand, from 1. `failures` counts
    tries that failed since then, `lost` workers that died over it or let their lease run out. `left` counts children that
    have not come to their end, `spent` those that have. `data` is what its handler needs in order to go on, `result` what
    it gave, both opaque to stores."""

    id: str
    queue: Queue
    kind: Kind
    caller: str
    created: float
    updated: float
    body: bytes
    key: str | None = None
    parent: str | None = None
    expires: float | None = None
    webhook: str | None = None
    place: Place = Place()
    version: int = 1
    token: int = 0
    generation: int = 1
    worker: str = ""
    failures: int = 0
    lost: int = 0
    left: int = 0
    spent: int = 0
    error: str | None = None
    data: bytes = b""
    result: bytes = b""

    @property
    def over(self) -> bool:
        """Nothing is going to happen to it by itself."""
        return self.place.state == "completed" or self.place.disposition == "dead"

    @property
    def held(self) -> Held:
        return Held(self.id, self.version, self.token)

    @property
    def schedule(self) -> tuple[str, str] | None:
        """Name and time (RFC 3339) of the schedule that asked, if one did."""
        found = _SCHEDULED.fullmatch(self.key or "")
        return (found[1], found[2]) if found else None


class Held(msgspec.Struct, frozen=True):
    """A job as somebody last saw it. Who has another version or token than the store may change nothing."""

    id: str
    version: int
    token: int


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """All that one step changes, or none of it. `events` are (event, outcome) in the order in which they happen, each a
    Step; `places` where the job is after each; `why` and `about` are of all of them. `op` is this change's own name: done
    twice under one name is done once.

    `hold`: the worker goes on with it. Otherwise it is nobody's, and where it is not over nor parked it may be claimed
    again in `delay` seconds; a step that parks a job of which no child is `left` has it active and to be claimed at once,
    with an `unparked` after it. `fence`: whoever has it loses it. `again`: it is begun anew by hand, so that generation
    grows, and failures and lost count from 0. None leaves a value as it is; `failures` is added. `left` says how many
    children there are going to be, with those that have ended: the job's own `left` is the rest; one that no child is keeps
    it parked until somebody unparks it with `left` 0. `spawn` are jobs that are submitted with it."""

    op: str
    at: float
    events: tuple[tuple[Event, Outcome | None], ...]
    places: tuple[Place, ...]
    worker: str = ""
    why: tuple[str, str] | None = None
    about: dict[str, str] = {}
    hold: bool = False
    delay: float = 0.0
    fence: bool = False
    again: bool = False
    failures: int = 0
    left: int | None = None
    error: str | None = None
    data: bytes | None = None
    result: bytes | None = None
    spawn: tuple[Submission, ...] = ()

    @property
    def last(self) -> Place:
        return self.places[-1]


def shard_of(job_id: str) -> str:
    """What jobs that must lie together have in common: the digits between the prefix and the first dot (`job_X`, `job_X.17`
    and `webhook_X` are X)."""
    return job_id.partition("_")[2].partition(".")[0]
