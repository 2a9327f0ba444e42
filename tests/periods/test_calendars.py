"""China's calendars against slow and obvious ways to know them, and against what was published."""

from __future__ import annotations

import datetime
import subprocess
import sys

import pytest
from borax.calendars.lunardate import LunarDate
from chinese_calendar import is_workday as library_says
from hypothesis import given
from hypothesis import strategies as st

from pointsman.periods import find_periods
from pointsman.periods.calendar_math import fiscal_months, fiscal_year_of
from pointsman.periods.calendars import days_off, is_workday, lunar_day, lunar_month, solar_term, workday
from pointsman.periods.point import UnknownCalendar

Date = datetime.date
DAY = datetime.timedelta(days=1)
PUBLISHED = st.dates(Date(2005, 1, 1), Date(2025, 12, 31))


@given(st.dates(Date(1971, 1, 1), Date(2098, 12, 31)))
def test_a_lunar_day_there_and_back(day: Date) -> None:
    lunar = LunarDate.from_solar(day)
    assert lunar_day(lunar.year, lunar.month, lunar.day, leap=bool(lunar.leap)) == day
    month = lunar_month(lunar.year, lunar.month, leap=bool(lunar.leap))
    assert month is not None
    days = [month[0] + DAY * n for n in range((month[1] - month[0]).days)]
    assert {(d.month, d.leap) for d in map(LunarDate.from_solar, days)} == {(lunar.month, lunar.leap)}
    assert LunarDate.from_solar(month[1]).day == 1


@pytest.mark.parametrize(
    ("year", "new_year", "mid_autumn", "qingming", "solstice"),
    [  # as the Hong Kong Observatory prints them
        (2017, "2017-01-28", "2017-10-04", "2017-04-04", "2017-12-22"),
        (2020, "2020-01-25", "2020-10-01", "2020-04-04", "2020-12-21"),
        (2023, "2023-01-22", "2023-09-29", "2023-04-05", "2023-12-22"),
        (2025, "2025-01-29", "2025-10-06", "2025-04-04", "2025-12-21"),
        (2026, "2026-02-17", "2026-09-25", "2026-04-05", "2026-12-22"),
        (2033, "2033-01-31", "2033-09-08", "2033-04-04", "2033-12-21"),
    ],
)
def test_known_years(year: int, new_year: str, mid_autumn: str, qingming: str, solstice: str) -> None:
    assert (str(lunar_day(year, 1, 1)), str(lunar_day(year, 8, 15))) == (new_year, mid_autumn)
    assert (str(solar_term(year, "清明")), str(solar_term(year, "冬至"))) == (qingming, solstice)


def test_days_that_a_lunar_year_lacks() -> None:
    assert lunar_day(2025, 6, 1, leap=True) == Date(2025, 7, 25)
    assert lunar_day(2026, 6, 1, leap=True) is None
    with pytest.raises(UnknownCalendar):
        lunar_day(2150, 1, 1)
    with pytest.raises(UnknownCalendar):
        solar_term(1850, "冬至")


@given(PUBLISHED, st.integers(1, 25))
def test_working_days_are_counted_as_on_fingers(day: Date, count: int) -> None:
    for way in (1, -1):
        there = workday(day, way * count)
        between = [d for n in range(1, abs((there - day).days) + 1) if library_says(d := day + DAY * n * way)]
        assert len(between) == count
        assert between[-1] == there
        assert is_workday(there)


@pytest.mark.parametrize(
    ("day", "first", "last"),
    [  # as the State Council published them
        ("2019-10-01", "2019-10-01", "2019-10-07"),
        ("2020-10-01", "2020-10-01", "2020-10-08"),
        ("2023-01-01", "2022-12-31", "2023-01-02"),
        ("2023-04-05", "2023-04-05", "2023-04-05"),
        ("2024-02-10", "2024-02-10", "2024-02-17"),
        ("2025-10-01", "2025-10-01", "2025-10-08"),
        ("2026-02-17", "2026-02-15", "2026-02-23"),
    ],
)
def test_days_off(day: str, first: str, last: str) -> None:
    off = days_off(Date.fromisoformat(day))
    assert off is not None
    assert (str(off[0]), str(off[1] - DAY)) == (first, last)


def test_an_ordinary_day_is_none_and_an_unpublished_year_is_unknown() -> None:
    assert days_off(Date(2026, 3, 3)) is None
    for call in (days_off, is_workday):
        with pytest.raises(UnknownCalendar):
            call(Date(2050, 10, 1))
    assert not is_workday(Date(2026, 10, 5))
    assert is_workday(Date(2026, 10, 10))  # a Saturday that is worked


def test_a_year_that_nobody_published_is_not_guessed() -> None:
    there = Date(2050, 11, 1)
    for text in (
        "国庆假期",
        "工作日",
        "最近5个工作日",
        "3个工作日后",
        "国庆后第一个工作日",
        "last working day",
        "the National Day holiday",
    ):
        assert find_periods(text, there) == (), text
    assert [str(period.start) for period in find_periods("国庆节", there)] == ["2050-10-01"]
    november = Date(2026, 11, 29)
    for text in ("国庆假期", "the National Day holiday", "春节后第一个工作日"):
        assert len(find_periods(text, november)) == 1, text  # what is not published yet has not begun
        assert find_periods(text, november, prefer="future") == (), text


@given(st.dates(Date(1990, 1, 1), Date(2090, 1, 1)), st.integers(1, 12))
def test_a_day_is_in_its_fiscal_year(day: Date, start: int) -> None:
    year = fiscal_year_of(day, start)
    first, following = fiscal_months(year, start, 0, 12)
    assert first <= day < following
    assert first.month == start
    assert (following - DAY).year == year
    quarters = [fiscal_months(year, start, 3 * n, 3) for n in range(4)]
    assert [first, *(end for _, end in quarters)] == [*(begin for begin, _ in quarters), following]


def test_the_libraries_are_imported_when_asked_for() -> None:
    code = (
        "import sys, datetime; from pointsman.periods import find_periods as f; d = datetime.date(2026, 11, 29);"
        "f('plain text', d); assert 'pointsman.periods.read' not in sys.modules;"
        "f('上周五和Q3', d); f('last month', d);"
        "assert not {'borax', 'chinese_calendar'} & set(sys.modules); f('春节假期', d);"
        "assert {'borax', 'chinese_calendar'} <= set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
