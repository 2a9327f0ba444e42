"""Days, weeks, months, quarters: the arithmetic of calendars, without any words."""

from __future__ import annotations

import datetime

Date = datetime.date
DAY = datetime.timedelta(days=1)


def week_of(day: Date, offset: int = 0) -> tuple[Date, Date]:
    """The Monday-to-Monday week that holds `day`, moved by `offset` weeks."""
    monday = day - DAY * day.weekday() + DAY * 7 * offset
    return monday, monday + DAY * 7


def iso_week(year: int, week: int) -> tuple[Date, Date]:
    """That week by ISO 8601. Raises ValueError where the year has no such week."""
    return week_of(Date.fromisocalendar(year, week, 1))


def month_of(year: int, month: int, count: int = 1) -> tuple[Date, Date]:
    """`count` whole months from this one on; `month` may lie outside 1 to 12. Raises ValueError beyond year 9999."""
    return _first(year, month), _first(year, month + count)


def months_back(day: Date, count: int) -> Date:
    """The same day so many months earlier (later, where the count is negative), or that month's last day where it has no
    such day."""
    first = _first(day.year, day.month - count)
    last = _first(first.year, first.month + 1) - DAY
    return min(first + DAY * (day.day - 1), last)


def fiscal_year_of(day: Date, start: int) -> int:
    """The fiscal year that holds `day` and is called after the year in which it ends; it begins in month `start`."""
    return day.year + (1 if 1 < start <= day.month else 0)


def fiscal_months(year: int, start: int, first: int, count: int) -> tuple[Date, Date]:
    """`count` months from the `first` (0 to 11) of that fiscal year on."""
    return month_of(year if start == 1 else year - 1, start + first, count)


def _first(year: int, month: int) -> Date:
    return Date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
