"""What one expression says of a period, before today decides the rest."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec
from msgspec.structs import replace

from pointsman.domain.report import Grain, Period
from pointsman.periods.calendar_math import DAY, month_of

Date = datetime.date


class Point(msgspec.Struct, frozen=True):
    """Either `fixed`, a range that today has already decided, or the parts of a calendar date, larger ones missing
    perhaps. `since` means: from its start until today. A `bare` one is only a number, a month before another month.
    `weekday` (Monday 0) is set where a day was named by it, so that 上周一至周三 stays within one week; `loose`: no week was named with it."""

    start: int
    end: int
    fixed: tuple[Date, Date, Grain] | None = None
    year: int | None = None
    half: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    bare: bool = False
    weekday: int | None = None
    loose: bool = False

    @property
    def grain(self) -> Grain:
        if self.fixed:
            return self.fixed[2]
        for name in ("day", "month", "quarter", "half"):
            if getattr(self, name) is not None:
                return name
        return "year"

    def range(self, year: int) -> tuple[Date, Date] | None:
        """The days in that year (or in its own); None where the calendar has no such day."""
        if self.fixed:
            return self.fixed[0], self.fixed[1]
        year = self.year or year
        try:
            if self.month is not None and self.day is not None:
                day = Date(year, self.month, self.day)
                return day, day + DAY
            if self.month is not None:
                return month_of(year, self.month)
            if self.quarter is not None:
                return month_of(year, 3 * self.quarter - 2, 3)
            if self.half is not None:
                return month_of(year, 6 * self.half - 5, 6)
            return month_of(year, 1, 12)
        except ValueError:
            return None


def resolve(point: Point, today: Date, text: str) -> Period | None:
    """The latest such period that has begun by `today`, where the year is missing."""
    for year in (today.year, *range(today.year - 1, today.year - 9, -1)):
        found = point.range(year)
        if found and (point.fixed or point.year or found[0] <= today):
            return Period(found[0], found[1], point.grain, text[point.start : point.end], (point.start, point.end))
    return None


def resolve_range(first: Point, last: Point, today: Date, text: str) -> Period | None:
    """From the first day of `first` to the last of `last`; parts that one leaves out are those of the other."""
    first, last = _share(first, last)
    span = (first.start, last.end)
    for year in (today.year, *range(today.year - 1, today.year - 9, -1)):
        begin = first.range(year)
        if begin is None or (not first.fixed and not first.year and begin[0] > today):
            continue
        end = last.range(begin[0].year)
        if end and not last.fixed and not last.year and end[0] < begin[0]:
            end = last.range(begin[0].year + 1)
            if end is None or end[0] > today:
                continue  # 11月到2月, asked in November, was last winter; 10月15日到10月1日 never was
            if last.month == first.month:
                return None
        if end is None or end[1] <= begin[0]:
            return None
        return Period(begin[0], end[1], "range", text[span[0] : span[1]], span)
    return None


def _share(first: Point, last: Point) -> tuple[Point, Point]:
    if first.fixed and last.fixed and first.weekday is not None and last.weekday is not None:
        start = first.fixed[0]
        day = start + DAY * ((last.weekday - first.weekday) % 7)
        if last.fixed[0] < start or last.loose:
            last = replace(last, fixed=(day, day + DAY, "day"))
    if first.fixed or last.fixed:
        return first, last
    if first.year is None and last.year is not None and _large(first) == _large(last):
        first = replace(first, year=last.year)
    if last.year is None and first.year is not None:
        last = replace(last, year=first.year)
    if last.month is None and last.day is not None:
        last = replace(last, month=first.month)
    if first.month is not None and last.year is not None and last.year == first.year and last.month is not None:
        before = (last.month, last.day or 0) < (first.month, first.day or 0)
        if before:
            last = replace(last, year=last.year + 1)
    return first, last


def _large(point: Point) -> Literal["month", "quarter", "half", "year"]:
    for name in ("month", "quarter", "half"):
        if getattr(point, name) is not None:
            return name
    return "year"
