"""Which nodes are left alone since what is sent there fails. Pure: (standing, what happened, now) → standing.

A node is ejected after some failures in a row, or where most of what it did lately failed. After a pause it is tried with a
call of the gateway's own, not with a request of somebody's; if that works it is back, with a slow start, and if not it is
ejected for twice as long. The last node that is left is never ejected: whether its target is used at all is not decided
here, but by the target's breaker."""

from __future__ import annotations

import math

import msgspec
from msgspec.structs import replace

IN_A_ROW = 3
ENOUGH = 8
"""Tries before the share of them that failed says something."""
HALF = 0.5
REMEMBERED = 0.85
"""What the share so far counts beside one more try."""
PAUSE = 5.0
LONGEST = 120.0


class Standing(msgspec.Struct, frozen=True, gc=False):
    """`success` is the share of late tries that worked, `row` failures since the last one, `tries` up to ENOUGH. `ejected`
    since when, None: it is in. `trips` how often, since it last worked for good."""

    success: float = 1.0
    row: int = 0
    tries: int = 0
    ejected: float | None = None
    trips: int = 0

    @property
    def out(self) -> bool:
        return self.ejected is not None


FRESH = Standing()


def worked(standing: Standing) -> Standing:
    """With a try that worked."""
    success = standing.success * REMEMBERED + (1 - REMEMBERED)
    trips = 0 if standing.tries >= ENOUGH and success > HALF else standing.trips
    return replace(standing, success=success, row=0, tries=min(standing.tries + 1, ENOUGH), trips=trips)


def failed(standing: Standing, now: float, others: int) -> Standing:
    """With a try that did not; `others` are nodes besides it that are in and ready."""
    success = standing.success * REMEMBERED
    row, tries = standing.row + 1, min(standing.tries + 1, ENOUGH)
    after = replace(standing, success=success, row=row, tries=tries)
    if not standing.out and others > 0 and (row >= IN_A_ROW or (tries >= ENOUGH and success < HALF)):
        return ejected(after, now)
    return after


def ejected(standing: Standing, now: float) -> Standing:
    """Left alone from now on."""
    return replace(standing, ejected=now, trips=standing.trips + 1)


def adopted(standing: Standing, now: float, trips: int) -> Standing:
    """Another gateway has ejected it, for the `trips`th time."""
    return replace(standing, ejected=now, trips=max(trips, 1))


def due(standing: Standing, now: float) -> bool:
    """Whether it is time to try it."""
    return standing.ejected is not None and now >= standing.ejected + pause(standing)


def tried(standing: Standing, good: bool, now: float) -> Standing:
    """After the gateway's own try."""
    return Standing(trips=standing.trips) if good else ejected(standing, now)


def pause(standing: Standing) -> float:
    """Seconds for which it is left alone."""
    return min(PAUSE * math.exp2(min(max(standing.trips - 1, 0), 16)), LONGEST)
