"""Which nodes are left alone since what is sent there fails. Pure: (standing, what happened, now) → standing.

The first failure that is a node's own fault makes it doubted: it gets no request of anybody's until a call of the gateway's
own has worked there. If that works at once, it is back, with one request at a time until one of them works; if that one
fails, or the own call does, the node is ejected. After a pause it is tried by another call of the gateway's own, and each
time that it fails again the pause is twice as long, whoever's call it was: where own calls work and requests fail, it gets
one of these after each pause. Ejections are forgiven bit by bit in the time in which it serves.

A request may be at fault where a node looks it: where a doubt was wrong (the own call worked, and so did the next request)
the next doubt takes one more failure in a row, for some minutes.

The last node that is left is never left alone: whether its target is used at all is not decided here, but by the target's
breaker."""

from __future__ import annotations

import math

import msgspec
from msgspec.structs import replace

IN_A_ROW = 3
"""Failures in a row that are enough for a doubt, however often doubts were wrong."""
WRONG_FOR = 600.0
"""Seconds after which a wrong doubt is forgotten."""
ENOUGH = 8
"""Tries before the share of them that failed says something."""
HALF = 0.5
REMEMBERED = 0.85
"""What the share so far counts beside one more try."""
FORGIVES = 60.0
"""Seconds of service for which one ejection is forgiven."""


class Ejection(msgspec.Struct, frozen=True, gc=False):
    """How long a node is left alone: `pause` seconds at first, then twice as long each time, up to `longest`."""

    pause: float = 5.0
    longest: float = 300.0


class Standing(msgspec.Struct, frozen=True, gc=False):
    """`success` is the share of late tries that worked, `row` failures since the last one, `tries` up to ENOUGH. `doubted`:
    it waits for the gateway's own call; `ejected` since when, None: it is not. `trips` how often it was, less what is
    forgiven, `back` when it last came back. `unproven`: the own call worked and no request has yet; `cleared`: it did so at
    the first doubt. `wrong` doubts up to IN_A_ROW - 1, the last one at `wrong_at`."""

    success: float = 1.0
    row: int = 0
    tries: int = 0
    doubted: bool = False
    ejected: float | None = None
    trips: int = 0
    back: float = 0.0
    unproven: bool = False
    cleared: bool = False
    wrong: int = 0
    wrong_at: float = 0.0

    @property
    def out(self) -> bool:
        return self.doubted or self.ejected is not None


FRESH = Standing()


def worked(standing: Standing, now: float) -> Standing:
    """With a try that worked."""
    success = standing.success * REMEMBERED + (1 - REMEMBERED)
    after = replace(standing, success=success, row=0, tries=min(standing.tries + 1, ENOUGH))
    if standing.out or not standing.unproven:
        return after
    if standing.cleared:
        after = replace(after, wrong=min(_wrong(standing, now) + 1, IN_A_ROW - 1), wrong_at=now)
    return replace(after, unproven=False, cleared=False)


def failed(standing: Standing, now: float, others: int) -> Standing:
    """With a try that did not; `others` are nodes besides it that are in and ready."""
    success = standing.success * REMEMBERED
    row, tries = standing.row + 1, min(standing.tries + 1, ENOUGH)
    after = replace(standing, success=success, row=row, tries=tries)
    if standing.out or others <= 0:
        return after
    if standing.unproven:
        return ejected(after, now)
    return replace(after, doubted=row > _wrong(standing, now) or (tries >= ENOUGH and success < HALF))


def lost(standing: Standing, now: float) -> Standing:
    """A health probe did not find it well: a doubt was right."""
    return ejected(standing, now) if standing.doubted else standing


def ejected(standing: Standing, now: float) -> Standing:
    """Left alone from now on."""
    served = 0.0 if standing.ejected is not None else now - standing.back
    trips = max(standing.trips - int(served / FORGIVES), 0) + 1
    return replace(standing, doubted=False, ejected=now, trips=trips, unproven=False, cleared=False)


def adopted(standing: Standing, now: float, trips: int) -> Standing:
    """Another gateway has ejected it, for the `trips`th time."""
    return replace(ejected(standing, now), trips=max(trips, 1))


def due(standing: Standing, now: float, rules: Ejection) -> bool:
    """Whether it is time to try it."""
    return standing.doubted or (standing.ejected is not None and now >= standing.ejected + pause(standing, rules))


def tried(standing: Standing, good: bool, now: float) -> Standing:
    """After the gateway's own try of one that is left alone."""
    if not good:
        return ejected(standing, now)
    if standing.doubted:
        return replace(standing, doubted=False, row=0, unproven=True, cleared=True)
    return Standing(trips=standing.trips, back=now, unproven=True, wrong=standing.wrong, wrong_at=standing.wrong_at)


def pause(standing: Standing, rules: Ejection) -> float:
    """Seconds for which it is left alone."""
    return min(rules.pause * math.exp2(min(max(standing.trips - 1, 0), 16)), rules.longest)


def _wrong(standing: Standing, now: float) -> int:
    """Doubts that were wrong, those of long ago aside."""
    return standing.wrong if now - standing.wrong_at < WRONG_FOR else 0
