"""What one expression says of a period, before today decides the rest."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from pointsman.domain.report import Grain, Period
from pointsman.periods.calendar_math import DAY, month_of
from pointsman.periods.frame import Frame

Date = datetime.date
Range = tuple[Date, Date]
Named = Callable[
    [int], Range | None
]  # a year → that year's; None where it has none, UnknownCalendar where nobody knows

_FURTHEST = 40  # years; a leap month comes again within them


class UnknownCalendar(LookupError):
    """No library has this year, so nothing may be concluded from it."""


class Point(msgspec.Struct, frozen=True):
    """Either `fixed`, a range that today has already decided; or `at`, what a year makes of it; or the parts of a calendar
    date, larger ones missing perhaps. `pair`: read with the month first, and with the day first. A `bare` one is only a number, a month before another
    month. `weekday` (Monday 0) is set where a day was named by it, so that 上周一至周三 stays within one week; `loose`: no
    week was named with it. A `void` one is no time, and keeps others from being read in it. `numeric`: written with
    digits as a number of some thing may be (单号20240503)."""

    start: int
    end: int
    fixed: tuple[Date, Date, Grain] | None = None
    pair: tuple[Range | None, Range | None] | None = None
    at: tuple[Any, Grain] | None = None
    year: int | None = None
    half: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    bare: bool = False
    weekday: int | None = None
    loose: bool = False
    void: bool = False
    numeric: bool = False

    @property
    def grain(self) -> Grain:
        if self.fixed:
            return self.fixed[2]
        if self.at:
            return self.at[1]
        for name in ("day", "month", "quarter", "half"):
            if getattr(self, name) is not None:
                return name
        return "year"

    def range(self, year: int) -> Range | None:
        """The days in that year (or in its own); None where the calendar has no such day. Raises UnknownCalendar."""
        if self.fixed:
            return self.fixed[0], self.fixed[1]
        year = self.year or year
        try:
            if self.at is not None:
                named: Named = self.at[0]
                return named(year)
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
        except (ValueError, OverflowError):
            return None


def day_point(start: int, end: int, day: Date) -> Point:
    return Point(start, end, (day, day + DAY, "day"))


def nearest(ranges: Iterable[Range | None], frame: Frame, which: str = "said") -> Range | None:
    """Of ranges that come in the order of `years`: the latest that has begun, or the nearest that has not ended; with
    `last` the latest that is over, with `next` the first that has not begun."""
    today = frame.today
    if which == "said":
        which = "unfinished" if frame.future else "begun"
    for found in ranges:
        if found is not None and _WANTED[which](found, today):
            return found
    return None


_WANTED: dict[str, Callable[[Range, Date], bool]] = {
    "begun": lambda found, today: found[0] <= today,
    "unfinished": lambda found, today: found[1] > today,
    "last": lambda found, today: found[1] <= today,
    "next": lambda found, today: found[0] > today,
}


def years(frame: Frame, *, future: bool | None = None) -> Iterator[int]:
    """Years to try, the likeliest first: backwards, or forwards from last year on (what began then may not be over)."""
    year = frame.today.year
    if frame.future if future is None else future:
        yield from range(year - 1, year + _FURTHEST)
    else:
        yield from range(year + 1, year - _FURTHEST, -1)


def resolve(point: Point, frame: Frame, text: str) -> list[Period]:
    """The periods that the expression means: one, two where it has two readings, none where the calendar has none."""
    if point.fixed:
        ranges = point.pair or ((point.fixed[0], point.fixed[1]),)
        return [_period(found, point.grain, text, (point.start, point.end)) for found in dict.fromkeys(ranges) if found]
    try:
        if point.day is not None and point.month is None and point.at is None:
            found = nearest(_days_of_months(point.day, frame), frame)
        elif point.year is not None:
            found = point.range(point.year)
        else:
            found = nearest(map(point.range, years(frame)), frame)
    except UnknownCalendar:
        return []
    return [_period(found, point.grain, text, (point.start, point.end))] if found else []


def _days_of_months(day: int, frame: Frame) -> Iterator[Range]:
    """3号: of this month and those before it, or those after it."""
    for step in range(14):
        first, following = month_of(frame.today.year, frame.today.month + (step if frame.future else -step))
        date = first + DAY * (day - 1)
        if date < following:
            yield date, date + DAY


def resolve_range(first: Point, last: Point, frame: Frame, text: str) -> list[Period]:
    """From the first day of `first` to the last of `last`; parts that one leaves out are those of the other."""
    span = (first.start, last.end)
    if first.pair or last.pair:
        return _both_readings(first, last, text, span)
    first, last = _share(first, last, frame)
    try:
        for year in years(frame):
            begin = first.range(year)
            if begin is None:
                if first.fixed or first.year:
                    return []
                continue
            free = not first.fixed and not first.year
            if free and not frame.future and begin[0] > frame.today:
                continue
            end = last.range(begin[0].year)
            if end and not last.fixed and not last.year and end[0] < begin[0]:
                if last.month is not None and last.month == first.month:
                    return []  # 10月15日到10月1日 never was
                end = last.range(begin[0].year + 1)
                if not frame.future and (end is None or end[0] > frame.today):
                    continue  # 11月到2月, asked in November, was last winter
            if end is None or end[1] <= begin[0]:
                return []
            if free and frame.future and end[1] <= frame.today:
                continue
            return [_period((begin[0], end[1]), "range", text, span)]
    except UnknownCalendar:
        return []
    return []


def _both_readings(first: Point, last: Point, text: str, span: tuple[int, int]) -> list[Period]:
    """03/04/2024 to 03/25/2024: day and month stand in the same order at both ends, so that only March 4 is left."""
    firsts, lasts = _readings(first), _readings(last)
    paired = [
        (begin[0], end[1]) for begin, end in zip(firsts, lasts, strict=True) if begin and end and begin[0] < end[1]
    ]
    return [_period(found, "range", text, span) for found in dict.fromkeys(paired)]


def _readings(point: Point) -> tuple[Range | None, Range | None]:
    if point.pair:
        return point.pair
    plain = (point.fixed[0], point.fixed[1]) if point.fixed else None
    return plain, plain


def _period(found: Range, grain: Grain, text: str, span: tuple[int, int]) -> Period:
    return Period(found[0], found[1], grain, text[slice(*span)], span)


def _share(first: Point, last: Point, frame: Frame) -> tuple[Point, Point]:
    if first.fixed and last.fixed and first.weekday is not None and last.weekday is not None:
        start, length = first.fixed[0], DAY * ((last.weekday - first.weekday) % 7)
        if last.loose and first.loose and frame.future:
            start = last.fixed[0] - length  # the nearest that has not ended may have begun
            return replace(first, fixed=(start, start + DAY, "day")), last
        if last.fixed[0] < start or last.loose:
            last = replace(last, fixed=(start + length, start + length + DAY, "day"))
    if first.at and last.at and first.grain == last.grain and (first.year is None) != (last.year is None):
        return replace(first, year=first.year or last.year), replace(last, year=last.year or first.year)
    if first.fixed or last.fixed or first.at or last.at:
        return first, last
    if first.day is not None and first.month is None:
        return _days_alone(first, last, frame)
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


def _days_alone(first: Point, last: Point, frame: Frame) -> tuple[Point, Point]:
    """3号到9号; 3号到5月9号."""
    assert first.day is not None and last.day is not None
    if last.month is not None:
        return replace(first, month=last.month, year=last.year), last
    found = nearest(_days_of_months(first.day, frame), frame)
    if found is None:
        return first, last
    month = found[0].month + (0 if last.day >= first.day else 1)
    year, month = found[0].year + (month - 1) // 12, (month - 1) % 12 + 1
    return replace(first, year=found[0].year, month=found[0].month), replace(last, year=year, month=month)


def _large(point: Point) -> Literal["month", "quarter", "half", "year"]:
    for name in ("month", "quarter", "half"):
        if getattr(point, name) is not None:
            return name
    return "year"
