"""What asks to be let in, what there is room for, and what it is told."""

from __future__ import annotations

from typing import Literal

import msgspec

Priority = Literal["high", "normal", "low"]
CLASSES: tuple[Priority, ...] = ("high", "normal", "low")


class Capacity(msgspec.Struct, frozen=True, gc=False):
    """What a target holds at a time: sequences, and cells of its KV cache in tokens; None: no limit of that kind."""

    sequences: int | None = None
    cells: int | None = None


OPEN = Capacity()


class Ticket(msgspec.Struct, frozen=True, gc=False):
    """One request. `targets` are those that may serve it, the most wanted first. `cells` is what it may come to hold in
    a KV cache: tokens of the prompt and of the longest reply. `arrived` and `deadline` are seconds of the caller's clock;
    from the deadline on nobody wants it any more."""

    id: str
    caller: str
    targets: tuple[str, ...]
    cells: int
    priority: Priority = "normal"
    arrived: float = 0.0
    deadline: float | None = None


class Admitted(msgspec.Struct, frozen=True, gc=False):
    """It may go to that target now. It holds its place until it leaves."""

    ticket: Ticket
    target: str


class Queued(msgspec.Struct, frozen=True, gc=False):
    """It waits; where it stands is told by `Queue.place`."""


QUEUED = Queued()


class Loading(msgspec.Struct, frozen=True, gc=False):
    """The target whose model has to be loaded first. `usual`: seconds that it took the last time, None before; `since`: how
    long it has been at it, None before it began."""

    target: str
    usual: float | None = None
    since: float | None = None


class Place(msgspec.Struct, frozen=True, gc=False):
    """`ahead` of it are so many; `wait` is an estimate in seconds, None before anything was served. `loading`: for what it
    waits besides its turn."""

    ahead: int
    wait: float | None
    loading: Loading | None = None


class TurnedAway(msgspec.Struct, frozen=True, gc=False):
    """It is not let in, and does not wait. `never_fits`: it is larger than all that its targets hold (`most` cells);
    `queue_full`: so many wait already (`most`); `too_late`: its turn would come after its deadline. `wait` as in Place."""

    why: Literal["never_fits", "queue_full", "too_late"]
    most: int | None = None
    wait: float | None = None
