"""All periods that a text names: expressions of both languages, the longest ones, joined where the text joins them.

Its hundreds of patterns are compiled on import, which `find.py` puts off until a text has a word of time.
"""

from __future__ import annotations

from msgspec.structs import replace

from pointsman.domain.report import Period
from pointsman.periods import en, feasts, void, zh
from pointsman.periods.calendar_math import DAY
from pointsman.periods.context import is_asked_about, is_open, is_some_number, is_torn
from pointsman.periods.fold import fold
from pointsman.periods.frame import Frame
from pointsman.periods.point import Point, resolve, resolve_range


def read_periods(original: str, frame: Frame, *, chinese: bool, english: bool) -> tuple[Period, ...]:
    """The periods of a text whose length is bounded; in which languages its words may be says the sieve."""
    folded = fold(original)
    try:
        found = [
            *void.points(folded, chinese=chinese, english=english),
            *feasts.points(folded, frame, chinese=chinese, english=english),
            *zh.points(folded, frame, words=chinese),
            *en.points(folded, frame, original, words=english),
        ]
        return _resolved(_longest(found), folded, original, frame)
    except OverflowError:  # beyond the years that calendars count
        return ()


def _longest(points: list[Point]) -> list[Point]:
    """Of overlapping expressions the one that begins first, then the longest, and of equal ones what is no time. Two that
    are none are one together: 国庆路12号."""
    chosen: list[Point] = []
    for point in sorted(points, key=lambda p: (p.start, -p.end, not p.void, p.fixed is None)):
        if not chosen or point.start >= chosen[-1].end:
            chosen.append(point)
        elif point.void and chosen[-1].void and point.end > chosen[-1].end:
            chosen[-1] = replace(chosen[-1], end=point.end)
        elif chosen[-1].bare and not point.bare:
            chosen[-1] = point  # a number is less than what it begins: the 1个工作日
    return chosen


def _resolved(points: list[Point], folded: str, original: str, frame: Frame) -> tuple[Period, ...]:
    found: list[Period] = []
    index, linked = 0, False
    while index < len(points):
        point = points[index]
        following = points[index + 1] if index + 1 < len(points) else None
        last = point
        periods: list[Period] = []
        tied, linked = linked, following is not None and _linked(folded, point, following)
        if linked and following is not None:
            if following.void:
                index += 1  # 5月到6月底: half of a range is none
                continue
            periods = resolve_range(point, following, frame, original) if _fits(point, following) else []
            if periods:
                index += 1
                last = following
        if not periods and not point.void and not point.bare:  # numbers count only in a range
            periods = _alone(point, folded, original, frame)
        if periods and _means_something(point.start, last.end, point, folded, tied=tied):
            found += [period for period in periods if not _known(period, found)]
        index += 1
    return tuple(found)


def _known(period: Period, found: list[Period]) -> bool:
    return any((other.start, other.end) == (period.start, period.end) for other in found)


def _alone(point: Point, folded: str, original: str, frame: Frame) -> list[Period]:
    """What the expression means by itself, or from its beginning until today (3月以来, since March)."""
    before, after = folded[max(0, point.start - 16) : point.start], folded[point.end : point.end + 24]
    if not (zh.SINCE.search(after) or en.SINCE.search(before) or en.TO_NOW.search(after)):
        return resolve(point, frame, original)
    periods = resolve(point, Frame(frame.today, False, frame.fiscal_start), original)
    tomorrow = frame.today + DAY
    return [Period(p.start, max(tomorrow, p.start + DAY), "range", p.text, p.span) for p in periods]


def _means_something(start: int, end: int, point: Point, folded: str, *, tied: bool) -> bool:
    """`tied`: it is the second of two that make no range, so what stands before it is no deadline."""
    return not (
        (point.numeric and is_some_number(folded, start))
        or (not tied and is_open(folded, start, end))
        or is_asked_about(folded, start, end)
        or is_torn(folded, start, end)
    )


def _linked(folded: str, point: Point, following: Point) -> bool:
    between = folded[point.end : following.start]
    if point.void or len(between) > 16:
        return False
    return bool(zh.LINK.search(between)) or _joined(folded, point, between)


def _fits(first: Point, last: Point) -> bool:
    """A bare number goes with the unit that follows it, a day without a month with one that has it before it."""
    if first.bare and first.quarter is not None:
        return last.quarter is not None and last.fixed is None
    if first.bare and first.year is not None and first.month is None:
        return last.year is not None and last.month is None and last.at is None
    if first.bare and first.day is None:
        return last.month is not None and last.day is None and last.fixed is None
    if first.bare and first.numeric and last.month is None and last.numeric:
        return False  # 13-01; 5 to 9 May is one
    if first.day is not None and first.month is None and first.fixed is None and last.day is None:
        return False
    return last.day is None or last.month is not None or first.day is not None


def _joined(folded: str, point: Point, between: str) -> bool:
    if not en.LINK.search(between):
        return False
    words = between.strip(" ,").removesuffix(" the")
    return words != "and" or en.BETWEEN.search(folded[max(0, point.start - 16) : point.start]) is not None
