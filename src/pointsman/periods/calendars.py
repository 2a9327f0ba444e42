"""China's calendars: lunar days, solar terms, days off and the weekends worked for them. Libraries know them; they are
imported when a text asks for one."""

from __future__ import annotations

import datetime
from functools import cache

from pointsman.periods.calendar_math import DAY
from pointsman.periods.point import Range, UnknownCalendar

Date = datetime.date


def lunar_day(year: int, month: int, day: int, *, leap: bool = False) -> Date | None:
    """None where that lunar year has no such day or no such leap month. Raises UnknownCalendar outside 1900 to 2100."""
    from borax.calendars.lunardate import InvalidLunarDateError, LunarDate

    _check(year)
    try:
        found: Date = LunarDate(year, month, day, 1 if leap else 0).to_solar_date()
    except InvalidLunarDateError:
        return None
    return found


def lunar_month(year: int, month: int, *, leap: bool = False) -> Range | None:
    """From its first day to the day after its last."""
    first = lunar_day(year, month, 1, leap=leap)
    if first is None:
        return None
    return first, first + DAY * (30 if lunar_day(year, month, 30, leap=leap) else 29)


def solar_term(year: int, name: str) -> Date:
    """The day of that term in the year of the sun. Raises UnknownCalendar outside 1900 to 2100."""
    from borax.calendars.lunardate import TERMS_CN, TermUtils

    _check(year)
    index = TERMS_CN.index(name)
    return Date(year, index // 2 + 1, TermUtils.parse_term_days(year)[index])


def days_off(day: Date) -> Range | None:
    """The days off around that day as the State Council published them; None where it was no day off. Raises
    UnknownCalendar for years that were not published."""
    from chinese_calendar.constants import holidays

    _check_published(day)
    if day not in holidays:
        return None
    first = last = day
    while first - DAY in holidays:
        first -= DAY
    while last + DAY in holidays:
        last += DAY
    return first, last + DAY


def is_workday(day: Date) -> bool:
    """Raises UnknownCalendar for years that were not published."""
    from chinese_calendar.constants import holidays, workdays

    _check_published(day)
    return day in workdays or (day.weekday() < 5 and day not in holidays)


def workday(day: Date, count: int) -> Date:
    """The `count`-th working day after that day, or before it where `count` is negative. Raises UnknownCalendar."""
    step = DAY if count > 0 else -DAY
    for _ in range(abs(count)):
        day += step
        while not is_workday(day):
            day += step
    return day


def _check(year: int) -> None:
    if not 1901 <= year <= 2099:
        raise UnknownCalendar(year)


def _check_published(day: Date) -> None:
    first, last = _published()
    if not first <= day.year <= last:
        raise UnknownCalendar(day.year)


@cache
def _published() -> tuple[int, int]:
    from chinese_calendar.constants import holidays

    return min(holidays).year, max(holidays).year
