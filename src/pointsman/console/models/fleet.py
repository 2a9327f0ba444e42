"""What the page *Models & nodes* asks of the gateway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, get_args

import msgspec

from pointsman.console.gauges import Room
from pointsman.console.models.failures import Failure
from pointsman.domain.residence import Residence
from pointsman.domain.target import BackendState, Load, Target

Verb = Literal["load", "unload", "pin", "unpin"]
VERBS: tuple[Verb, ...] = get_args(Verb)


Source = Literal["config", "file", "last"]
"""Whence it is known how much memory a model takes: the config says so, its file does, or it took that the last time."""


class ModelSeen(msgspec.Struct, frozen=True):
    """One target. `residence` is None for a model that is always there, as far as anybody knows. `memory` is the bytes
    that it takes, None where nobody can tell; `holds` the requests that it takes at a time, None: no known limit; `failed`
    why the last thing that was asked of it here came to nothing, if it did."""

    target: Target
    state: BackendState
    load: Load
    residence: Residence | None = None
    memory: int | None = None
    holds: int | None = None
    failed: Failure | None = None
    source: Source | None = None

    @property
    def unsaid(self) -> Failure | None:
        """`failed`, unless its stage tells of it already, or it has become ready since."""
        if self.failed is None or self.residence is None:
            return self.failed
        told = self.residence.problem is not None and self.residence.problem == self.failed.why.en
        over = self.residence.stage == "ready" and self.residence.since > self.failed.at
        return None if told or over else self.failed

    @property
    def inside(self) -> bool:
        """Whether it takes memory now, as far as is known."""
        if self.residence is None:
            return self.state.health in ("up", "loading")
        return self.residence.stage in ("loading", "ready", "draining")

    @property
    def moving(self) -> bool:
        if self.residence is None:
            return self.state.health == "loading"
        return self.residence.stage in ("loading", "draining")

    @property
    def verbs(self) -> Sequence[Verb]:
        """What may be asked of it now."""
        if self.residence is None:
            return ()
        turn: Verb = "unload" if self.inside else "load"
        return (turn, "unpin" if self.residence.pinned else "pin")


class FleetSeen(msgspec.Struct, frozen=True):
    """`waiting` requests have no place yet. `budget` is the bytes that models share, None where none is set; `rooms`
    is what was measured of the machine."""

    models: Sequence[ModelSeen]
    waiting: int
    budget: int | None
    rooms: Sequence[Room]


class Fleet(Protocol):
    async def seen(self) -> FleetSeen: ...

    async def manage(self, verb: Verb, target: str) -> None:
        """Begins it; what takes long goes on after the return, and can be seen. Raises PointsmanError where there is no such
        target, or its model does not come and go."""


Look = Literal["model", "warn", "soft"]
_LOOKS: dict[str, Look] = {"loading": "warn", "draining": "soft"}


class Slice(msgspec.Struct, frozen=True):
    """A part of the map, from `start`, `width` wide, both of a whole of 1."""

    name: str
    start: float
    width: float
    look: Look


class Map(msgspec.Struct, frozen=True):
    """Who takes what of `most` bytes; `taken` of them are. It is the budget, or all that is taken where there is none."""

    slices: Sequence[Slice]
    taken: int
    most: int
    unknown: int
    """How many models take memory of which nobody can tell how much."""


def map_of(seen: FleetSeen) -> Map:
    inside = [model for model in seen.models if model.inside and not model.state.nodes]
    known = sorted(((model.memory, model) for model in inside if model.memory), key=lambda pair: -pair[0])
    taken = sum(size for size, _ in known)
    most = max(seen.budget or 0, taken)
    slices: list[Slice] = []
    start = 0.0
    for size, model in known:
        stage = model.residence.stage if model.residence else "ready"
        slices.append(Slice(model.target.name, start, size / most, _LOOKS.get(stage, "model")))
        start += size / most
    return Map(slices, taken, most, len(inside) - len(known))
