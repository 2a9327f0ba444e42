"""The week and the one before it, from the log's sums: milliseconds, whatever the traffic was."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from zoneinfo import ZoneInfo

import msgspec

from pointsman.store.figures import Figures
from pointsman.store.log_schema import HOUR
from pointsman.store.rollups import Rollups

_FAILED = ("failed", "expired")
_LONG = 400
"""Days of which each has a column."""


class Span(msgspec.Struct, frozen=True):
    """Requests from `start` on and before `end` (seconds since the epoch). `stages`, `outcomes` and `targets` are value →
    sums; None is what had none."""

    start: float
    end: float
    whole: Figures
    stages: dict[str | None, Figures]
    outcomes: dict[str | None, Figures]
    targets: dict[str | None, Figures]

    @property
    def requests(self) -> int:
        return self.whole.count

    @property
    def spared(self) -> int:
        """Requests that no model answered, since a rule or the arbiter settled them."""
        return sum(self.stages[stage].count for stage in ("l0", "l1") if stage in self.stages)

    @property
    def failed(self) -> int:
        return sum(self.outcomes[outcome].count for outcome in _FAILED if outcome in self.outcomes)


class Day(msgspec.Struct, frozen=True):
    """Requests of a day in the owner's time zone, and of the same day one span earlier (None: there is none)."""

    name: str
    requests: int
    before: int | None


def hour_before(moment: float) -> float:
    """Sums are kept by the hour, so periods begin with one."""
    return moment // HOUR * HOUR


def span_of(rollups: Rollups, start: float, end: float) -> Span:
    """`start` is the beginning of an hour. Raises LogError."""

    def by(name: str) -> dict[str | None, Figures]:
        found: dict[str | None, Figures] = {}
        for each in rollups.between(start, end, HOUR, (name,)):
            found.setdefault(each.values[0], Figures()).add(each.figures)
        return found

    whole = Figures()
    for each in rollups.between(start, end, HOUR):
        whole.add(each.figures)
    return Span(start, end, whole, by("stage"), by("outcome"), by("target"))


def latest(rollups: Rollups, since: float, until: float, most: int) -> float:
    """The latest hour since which there are at least `most` requests, else `since`. Raises LogError."""
    count = 0
    for each in reversed(rollups.between(since, until, HOUR)):
        count += each.figures.count
        if count >= most:
            return max(since, float(each.start))
    return since


def days_of(rollups: Rollups, week: Span, before: Span, zone: ZoneInfo) -> tuple[Day, ...]:
    """The days of the week, oldest first, those without requests too. Raises LogError."""
    now = _by_day(rollups, week, zone)
    earlier = _by_day(rollups, before, zone)
    first, last = _date(week.start, zone), _date(week.end, zone)
    days = [first + datetime.timedelta(day) for day in range(min((last - first).days, _LONG) + 1)]
    back = datetime.timedelta(seconds=week.start - before.start)
    return tuple(
        Day(f"{day:%m-%d}", now.get(day, 0), earlier.get(day - back, 0) if before.requests else None) for day in days
    )


def _by_day(rollups: Rollups, span: Span, zone: ZoneInfo) -> Mapping[datetime.date, int]:
    found: dict[datetime.date, int] = {}
    for each in rollups.between(span.start, span.end, HOUR):
        day = _date(each.start, zone)
        found[day] = found.get(day, 0) + each.figures.count
    return found


def _date(moment: float, zone: ZoneInfo) -> datetime.date:
    return datetime.datetime.fromtimestamp(moment, zone).date()
