"""What hub and workers say to each other."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.app.packing import Both, Packed
from pointsman.domain.feedback import Asker
from pointsman.domain.residence import Demand, Residence
from pointsman.domain.target import ModelFacts
from pointsman.pipeline.open_questions import OpenQuestion, Session
from pointsman.ports.model_driver import LoadFault
from pointsman.telemetry.counts import Counts


class EngineState(msgspec.Struct, frozen=True, tag=True):
    """An embedded model's process, as LocalServer knows it; `target` is the target's name."""

    target: str
    state: Literal["loading", "up", "down"]
    address: str | None
    problem: Both | None
    facts: ModelFacts
    load_seconds: float | None = None


class Resides(msgspec.Struct, frozen=True):
    """One model that comes and goes; what it says to people is beside it."""

    residence: Residence
    problem: Both | None = None
    progress: Both | None = None
    restart: Both | None = None


class Residing(msgspec.Struct, frozen=True, tag=True):
    """From now on all models that come and go are so. Workers are told."""

    models: list[Resides]


class Demanding(msgspec.Struct, frozen=True, tag=True):
    """What is wanted of them in a worker, by target. The hub is told when it changes."""

    demands: dict[str, Demand]


# The hub asks a worker


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first message: serve. `places` is the limit of reports, `since` when the hub began (seconds since the epoch).
    Where `listens` is false, connections are taken from Open on. The answer is Listening or Unable."""

    setup: Packed
    engines: list[EngineState]
    models: list[Resides]
    questions: list[tuple[Session, OpenQuestion]]
    refused: Both | None
    places: str
    since: int
    listens: bool


class Follow(msgspec.Struct, frozen=True, tag=True):
    """From now on serve by this. The answer is Done."""

    setup: Packed
    engines: list[EngineState]


class Emptied(msgspec.Struct, frozen=True, tag=True):
    """The answer, Done, says that no request is inside that target, and none will be before it is ready again."""

    target: str


class CountUp(msgspec.Struct, frozen=True, tag=True):
    """The answer is Counted."""


class Open(msgspec.Struct, frozen=True, tag=True):
    """Take connections. The answer is Done."""


class Stop(msgspec.Struct, frozen=True, tag=True):
    """Take no more connections, let requests end within `grace` seconds, jobs within `jobs`, and leave; idle connections
    close after `linger`. The answer is Done."""

    grace: float
    linger: float
    jobs: float


class Hurry(msgspec.Struct, frozen=True, tag=True):
    """Told after Stop: requests under way have no more than `grace` seconds from now on."""

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


class Manage(msgspec.Struct, frozen=True, tag=True):
    """An operator's word: `load`, `unload`, `pin`, `unpin`. The answer is Managed, once it is done."""

    verb: str
    target: str


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


class Managed(msgspec.Struct, frozen=True, tag=True):
    """How the model is now; None: it could not be done, by that fault and for that reason, or without one: it does not come
    and go."""

    residence: Resides | None
    fault: LoadFault | None = None
    why: Both | None = None


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
    | Open
    | Stop
    | Hurry
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
    | Residing
    | Demanding
    | Emptied
    | Manage
    | Managed
)
