"""Which time of a schedule is due. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.pipeline.schedules.times import Timing, last_until

LATE = 60.0
"""Seconds after a time until it counts as missed."""
AHEAD = 86_400.0
"""Seconds by which a mark may lie ahead of the clock; one that lies further was made by a clock that was wrong."""


class Planned(msgspec.Struct, frozen=True):
    """A schedule as the clockwork sees it. `missed`: of several times at which nobody was there, the last is made up for,
    or none is."""

    timing: Timing
    missed: Literal["once", "skip"] = "once"


def due_at(planned: Planned, mark: float, now: float) -> float | None:
    """The time that is to be done now: the last one after `mark`, up to which all is settled. One is never done twice, and
    of several there is one."""
    if mark > now:
        return None
    last = last_until(planned.timing, now)
    if last is None or last <= mark:
        return None
    return None if now - last > LATE and planned.missed == "skip" else last
