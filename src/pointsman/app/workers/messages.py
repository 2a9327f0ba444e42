"""What hub and workers say to each other."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.app.packing import Both, Packed
from pointsman.domain.feedback import Asker
from pointsman.domain.target import ModelFacts
from pointsman.pipeline.open_questions import OpenQuestion, Session
from pointsman.telemetry.counts import Counts


class EngineState(msgspec.Struct, frozen=True, tag=True):
    """An embedded model's process, as LocalServer knows it; `target` is the target's name."""

    target: str
    state: Literal["loading", "up", "down"]
    address: str | None
    problem: Both | None
    facts: ModelFacts
    load_seconds: float | None = None


# The hub asks a worker


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first message: serve. `places` is the limit of reports, `since` when the hub began (seconds since the epoch). The
    answer is Listening or Unable."""

    setup: Packed
    engines: list[EngineState]
    questions: list[tuple[Session, OpenQuestion]]
    refused: Both | None
    places: str
    since: int


class Follow(msgspec.Struct, frozen=True, tag=True):
    """From now on serve by this. The answer is Done."""

    setup: Packed
    engines: list[EngineState]


class CountUp(msgspec.Struct, frozen=True, tag=True):
    """The answer is Counted."""


class Stop(msgspec.Struct, frozen=True, tag=True):
    """Take no more connections, let requests end within `grace` seconds, and leave. The answer is Counted."""

    grace: float


# A worker asks the hub


class Reload(msgspec.Struct, frozen=True, tag=True):
    """The answer is Reloaded or Refused; all workers follow by then."""


class Sum(msgspec.Struct, frozen=True, tag=True):
    """What all counted, this worker `counts`. The answer is Counted."""

    counts: Counts


class Take(msgspec.Struct, frozen=True, tag=True):
    """A place of that limit, for `ticket`, a number of the worker's own. The answer, Done, may take its time."""

    limit: str
    ticket: int


# Either asks the other


class Change(msgspec.Struct, frozen=True, tag=True):
    """A session's open question is this one now, or none. The answer, Done, says that all know it."""

    session: Session
    question: OpenQuestion | None


class Whose(msgspec.Struct, frozen=True, tag=True):
    """Who sent that request, as far as others remember. The answer is Known."""

    request_id: str


# Answers, and what is told without one


class Listening(msgspec.Struct, frozen=True, tag=True):
    pass


class Unable(msgspec.Struct, frozen=True, tag=True):
    """It cannot serve. `path` is the place in the config that this is about."""

    path: str
    message: Both


class Done(msgspec.Struct, frozen=True, tag=True):
    pass


class Known(msgspec.Struct, frozen=True, tag=True):
    """None: nobody knows."""

    asker: Asker | None


class Failed(msgspec.Struct, frozen=True, tag=True):
    """What was asked went wrong, of itself. Whoever asked gets a ChannelError."""

    why: str


class Counted(msgspec.Struct, frozen=True, tag=True):
    """Workers tell it unasked, too, four times a second."""

    counts: Counts


class Reloaded(msgspec.Struct, frozen=True, tag=True):
    policy: str
    before: str
    notes: list[Both]


class Refused(msgspec.Struct, frozen=True, tag=True):
    """A reload was; all workers are told."""

    why: Both


class Settled(msgspec.Struct, frozen=True, tag=True):
    """A worker has seen all its targets: whether it is ready, which are up, what is wrong."""

    ready: bool
    up: list[str]
    problems: list[Both]


class GiveBack(msgspec.Struct, frozen=True, tag=True):
    """The place of that ticket is free again, or wanted no more."""

    ticket: int


Message = (
    Begin
    | Follow
    | CountUp
    | Stop
    | Reload
    | Sum
    | Take
    | Change
    | Whose
    | Listening
    | Unable
    | Done
    | Known
    | Failed
    | Counted
    | Reloaded
    | Refused
    | Settled
    | GiveBack
    | EngineState
)
