"""Requests for engines, and what they ask of them."""

from __future__ import annotations

import msgspec


class Logged(msgspec.Struct, frozen=True):
    """One of the log. `at` is when it came, `began` and `ended` when the engine did, all in seconds since the epoch; `began`
    None: it was turned away, and `target` is None. `place` is the target, or the node of it, where it was served."""

    at: float
    entry: str
    caller: str
    target: str | None
    place: str
    read: int
    written: int | None
    began: float | None = None
    ended: float = 0.0
    waited: float = 0.0
    good: bool = False


class Asked(msgspec.Struct, frozen=True, gc=False):
    """One that is simulated. `at` in seconds from the beginning; `work` is how many seconds it takes an engine that has
    nothing else to do; `cells` as a Ticket has them."""

    at: float
    caller: str
    target: str
    cells: int
    work: float
