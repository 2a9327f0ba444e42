"""All periods that a text names: expressions of both languages, the longest ones, joined where the text joins them."""

from __future__ import annotations

import datetime

import re2

from pointsman.domain.report import Period
from pointsman.periods import en, zh
from pointsman.periods.calendar_math import DAY
from pointsman.periods.fold import fold
from pointsman.periods.point import Point, resolve, resolve_range

Date = datetime.date

_LONGEST = 2000  # characters that are searched
_TERM = re2.compile(
    r"(?:是什么意思|什么意思|是什么|的含义|怎么理解|什么叫|何谓|解释一下|怎么说|\bhow (?:do|would) you say\b|\bwhat (?:does|do|is|are)\b.{0,30}\b(?:mean|stand for)\b|\bmeaning of\b|\bdefine\b|\bdefinition\b)"
)
_SLASHED = re2.compile(r"\b(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})/(?P<year>20[0-9]{2})\b")


def find_periods(text: str, today: Date) -> tuple[Period, ...]:
    """The periods of `text` as of `today`, in the order of the text, each with its words and offsets in `text`. One
    period is what was meant; none is nothing said; several are for the person to choose from (two were named, or one
    has two readings: 03/04/2024). A question about a term (Q1 是什么意思) names no period."""
    original = text[:_LONGEST]
    folded = fold(original)
    if _TERM.search(folded):
        return ()
    slashed = _slashed(folded, original)
    if slashed:
        return slashed
    chosen = _longest([*zh.points(folded, today), *en.points(folded, today, original)])
    return _resolved(chosen, folded, original, today)


def _longest(points: list[Point]) -> list[Point]:
    """Of overlapping expressions the one that begins first, then the longest."""
    chosen: list[Point] = []
    for point in sorted(points, key=lambda p: (p.start, -p.end, p.fixed is None)):
        if not chosen or point.start >= chosen[-1].end:
            chosen.append(point)
    return chosen


def _resolved(points: list[Point], folded: str, original: str, today: Date) -> tuple[Period, ...]:
    found: list[Period] = []
    index = 0
    while index < len(points):
        point = points[index]
        following = points[index + 1] if index + 1 < len(points) else None
        between = folded[point.end : following.start] if following else ""
        period = None
        if following is not None and (zh.LINK.search(between) or _joined(folded, point, between)):
            period = resolve_range(point, following, today, original) if _fits(point, following) else None
            if period is not None:
                index += 1
            elif not point.bare and (point.day is None or point.month is not None):
                period = resolve(point, today, original)  # no range: both stay, for the person to choose from
        elif not point.bare and (point.day is None or point.month is not None):  # numbers count only in a range
            period = resolve(point, today, original)
            if period is not None and (zh.SINCE.search(folded[point.end :]) or en.SINCE.search(folded[: point.start])):
                period = Period(period.start, max(today + DAY, period.start + DAY), "range", period.text, period.span)
        if period is not None and all((p.start, p.end) != (period.start, period.end) for p in found):
            found.append(period)
        index += 1
    return tuple(found)


def _fits(first: Point, last: Point) -> bool:
    """A bare number goes with the unit that follows it, a day without a month with one that has it before it."""
    if first.bare:
        return last.month is not None and last.day is None and last.fixed is None
    return last.day is None or last.month is not None or first.day is not None


def _joined(folded: str, point: Point, between: str) -> bool:
    if not en.LINK.search(between):
        return False
    return between.strip(" ,") != "and" or en.BETWEEN.search(folded[: point.start]) is not None


def _slashed(folded: str, original: str) -> tuple[Period, ...]:
    """03/04/2024 is March 4 or 3 April; both are given unless only one exists."""
    match = _SLASHED.search(folded)
    if not match:
        return ()
    a, b, year = int(match["a"]), int(match["b"]), int(match["year"])
    readings: list[Period] = []
    for month, day in ((a, b), (b, a)):
        try:
            date = Date(year, month, day)
        except ValueError:
            continue
        if all(date != reading.start for reading in readings):
            readings.append(Period(date, date + DAY, "day", original[match.start() : match.end()], match.span()))
    return tuple(readings)
