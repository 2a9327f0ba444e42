"""The period before, and the same one a year earlier."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.report import Compare, Grain, Period
from pointsman.periods.earlier import earlier

Date = datetime.date
LATER = Date(2030, 1, 1)


def period(start: str, end: str, grain: Grain = "range") -> Period:
    return Period(Date.fromisoformat(start), Date.fromisoformat(end), grain)


@pytest.mark.parametrize(
    ("start", "end", "grain", "compare", "first", "last"),
    [
        ("2026-10-01", "2026-11-01", "month", "previous", "2026-09-01", "2026-10-01"),
        ("2026-10-01", "2026-11-01", "month", "year", "2025-10-01", "2025-11-01"),
        ("2026-03-01", "2026-04-01", "month", "previous", "2026-02-01", "2026-03-01"),
        ("2024-02-01", "2024-03-01", "month", "year", "2023-02-01", "2023-03-01"),
        ("2024-02-29", "2024-03-01", "day", "year", "2023-02-28", "2023-03-01"),
        ("2026-07-01", "2026-10-01", "quarter", "previous", "2026-04-01", "2026-07-01"),
        ("2026-01-01", "2027-01-01", "year", "previous", "2025-01-01", "2026-01-01"),
        ("2026-11-16", "2026-11-23", "week", "previous", "2026-11-09", "2026-11-16"),
        ("2026-11-16", "2026-11-23", "week", "year", "2025-11-17", "2025-11-24"),  # Monday to Sunday, too
        ("2026-11-10", "2026-11-13", "range", "previous", "2026-11-07", "2026-11-10"),
        ("2026-11-10", "2026-11-13", "range", "year", "2025-11-10", "2025-11-13"),
    ],
)
def test_of_a_period_that_is_over(start: str, end: str, grain: Grain, compare: Compare, first: str, last: str) -> None:
    found = earlier(period(start, end, grain), compare, LATER)
    assert found is not None and (str(found.start), str(found.end)) == (first, last)


@pytest.mark.parametrize(
    ("today", "compare", "first", "last"),
    [
        ("2026-11-12", "previous", "2026-10-01", "2026-10-13"),  # the 1st to the 12th
        ("2026-11-12", "year", "2025-11-01", "2025-11-13"),
        ("2026-11-30", "previous", "2026-10-01", "2026-11-01"),  # the last day: it is whole
        ("2026-10-12", "previous", "2026-10-01", "2026-11-01"),  # wholly to come
    ],
)
def test_of_a_month_that_is_not_over_yet(today: str, compare: Compare, first: str, last: str) -> None:
    found = earlier(period("2026-11-01", "2026-12-01", "month"), compare, Date.fromisoformat(today))
    assert found is not None and (str(found.start), str(found.end)) == (first, last)


def test_the_30th_of_march_answers_to_the_end_of_february() -> None:
    found = earlier(period("2026-03-01", "2026-04-01", "month"), "previous", Date(2026, 3, 30))
    assert found is not None and (str(found.start), str(found.end)) == ("2026-02-01", "2026-03-01")


def test_the_beginning_of_the_calendar() -> None:
    assert earlier(Period(Date(1, 1, 1), Date(9999, 1, 1), "range"), "previous", LATER) is None
    assert earlier(Period(Date(1, 6, 1), Date(1, 7, 1), "month"), "year", LATER) is None


@given(
    start=st.dates(Date(1900, 1, 1), Date(2090, 1, 1)),
    days=st.integers(1, 1200),
    today=st.dates(Date(1900, 1, 1), Date(2100, 1, 1)),
    compare=st.sampled_from(["previous", "year"]),
)
def test_it_is_before_and_no_longer(start: Date, days: int, today: Date, compare: Compare) -> None:
    asked = Period(start, start + datetime.timedelta(days=days), "range")
    found = earlier(asked, compare, today)
    assert found is not None
    assert found.start < asked.start and (compare == "year" or found.end <= asked.start)
    assert (found.end - found.start).days <= days + 3  # of months the lengths differ
