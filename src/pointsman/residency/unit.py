"""What is loaded and unloaded as one: a model, or the models of a group that go together; and how it is at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

PATIENCE = 20.0
"""Seconds."""


class Unit(msgspec.Struct, frozen=True):
    """`models` are targets. `memory` in bytes; None: nobody can tell, so it gets all that there is. `pinned`: nothing makes
    it go. Of the units with the same `exclusive` one is in memory at a time. `idle`: seconds without a request after which
    it goes; None: it stays. `start`: it is loaded without being asked for, as far as there is room."""

    name: str
    models: tuple[str, ...]
    memory: int | None = 0
    pinned: bool = False
    exclusive: str | None = None
    idle: float | None = None
    start: bool = False


Where = Literal["out", "coming", "in", "going"]
"""`out`: it takes no memory; `coming`: it is being loaded; `going`: it drains or is being unloaded."""


class Seat(msgspec.Struct, frozen=True):
    """How a unit is at a moment. `waiting` requests can go nowhere but there or to others that are out, the first of them
    since `oldest`; `inside` are being served, `used` is when one was served last, or when it came. `since`: when it came.
    `retry`: its load failed, and is not tried again before. `eager`: it is to be loaded where there is room. All times are
    of one clock, in seconds."""

    where: Where = "out"
    waiting: int = 0
    oldest: float | None = None
    inside: int = 0
    used: float = 0.0
    since: float = 0.0
    retry: float | None = None
    eager: bool = False


class Rules(msgspec.Struct, frozen=True):
    """`budget`: bytes for all units together, None: no limit. `patience`: seconds that requests for a model wait before one
    that is in use lets them have its memory; `gather`: before one does so that was in use as short a time ago."""

    budget: int | None = None
    patience: float = PATIENCE
    gather: float = 0.0


class Shortage(msgspec.Struct, frozen=True):
    """Why a unit can never be loaded: it needs `needs` bytes, and of the `budget` there are `pinned` for units that never
    go; or the pinned unit `rival` excludes it."""

    needs: int = 0
    budget: int = 0
    pinned: int = 0
    rival: str | None = None


def memory_of(unit: Unit, rules: Rules) -> int:
    """Bytes that it is taken to need."""
    if rules.budget is None:
        return 0
    return rules.budget if unit.memory is None else unit.memory


def shortage(unit: Unit, units: Sequence[Unit], rules: Rules) -> Shortage | None:
    """Whether it can never be loaded, whoever makes room."""
    others = [other for other in units if other.pinned and other.name != unit.name]
    for other in others:
        if unit.exclusive is not None and other.exclusive == unit.exclusive:
            return Shortage(rival=other.name)
    if rules.budget is None:
        return None
    needs = unit.memory or 0
    pinned = sum(memory_of(other, rules) for other in others)
    alone = unit.memory is None and others and pinned
    if needs > rules.budget - pinned or needs > rules.budget or alone:
        return Shortage(memory_of(unit, rules), rules.budget, pinned)
    return None
