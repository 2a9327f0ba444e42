"""Days, weeks, months, quarters: the arithmetic of calendars, without any words."""

from __future__ import annotations

import datetime

Date = datetime.date
DAY = datetime.timedelta(days=1)


def week_of(day: Date, offset: int = 0) -> tuple[Date, Date]:
    """The Monday-to-Monday week that holds `day`, moved by `offset` weeks."""
    monday = day - DAY * day.weekday() + DAY * 7 * offset
    return monday, monday + DAY * 7


def month_of(year: int, month: int, count: int = 1) -> tuple[Date, Date]:
    """`count` whole months from this one on; `month` may lie outside 1 to 12. Raises ValueError beyond year 9999."""
    return _first(year, month), _first(year, month + count)


def months_back(day: Date, count: int) -> Date:
    """The same day so many months earlier, or that month's last day where it has no such day."""
    first = _first(day.year, day.month - count)
    last = _first(first.year, first.month + 1) - DAY
    return min(first + DAY * (day.day - 1), last)


def _first(year: int, month: int) -> Date:
    return Date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
