"""The period that another one is compared with, pure."""

from __future__ import annotations

import calendar
import datetime

from pointsman.domain.report import Compare, Period

Date = datetime.date
_FIRST = Date(1, 2, 1)
_DAY = datetime.timedelta(days=1)


def earlier(period: Period, compare: Compare, today: Date) -> Period | None:
    """The one before (环比): as many whole months before a range of whole months, else as many days. The same one a year
    earlier (同比): the same dates, but the same weekdays for whole weeks (52 weeks). Of a range that is not over
    yet, as much as has passed of it. None at the beginning of the calendar."""
    start, end = period.start, period.end
    now = min(end, today + _DAY)
    if now <= start:  # wholly to come
        now = end
    try:
        first, last = _before(period, compare, now)
    except (OverflowError, ValueError):
        return None
    return Period(first, last, period.grain) if _FIRST < first < last else None


def _before(period: Period, compare: Compare, now: Date) -> tuple[Date, Date]:
    """Raises OverflowError and ValueError before the calendar's beginning."""
    start, end = period.start, period.end
    if compare == "year":
        weeks = start.weekday() == 0 and (end - start).days % 7 == 0 and period.grain != "range"
        if weeks:
            back = datetime.timedelta(weeks=52)
            return start - back, now - back
        return _back(start, 12), _until(now, end, 12)
    months = _months(start, end)
    if months:
        return _back(start, months), min(_until(now, end, months), start)
    return start - (end - start), now - (end - start)


def _until(now: Date, end: Date, months: int) -> Date:
    """The end of the earlier range: that of all of it, or the day after the one that answers to the last that has passed."""
    return _back(end, months) if now == end else _back(now - _DAY, months) + _DAY


def _months(start: Date, end: Date) -> int:
    """How many whole months from the one to the other; 0: there is a piece of one."""
    if start.day != 1 or end.day != 1:
        return 0
    return (end.year - start.year) * 12 + end.month - start.month


def _back(day: Date, months: int) -> Date:
    """The same day of an earlier month, or its last one. Raises ValueError before the year 1."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        raise ValueError("before the calendar")
    return Date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
