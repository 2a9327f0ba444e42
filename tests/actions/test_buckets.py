"""Days into weeks, months, quarters and years."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.actions.report.buckets import bucket_for, bucket_label, bucket_of, buckets_in, period_text
from pointsman.domain.report import Period

DAYS = st.dates(datetime.date(1990, 1, 1), datetime.date(2090, 1, 1))


def period(start: str, end: str, grain: str = "range", text: str = "") -> Period:
    return Period(datetime.date.fromisoformat(start), datetime.date.fromisoformat(end), grain, text)  # type: ignore[arg-type]


@given(DAYS, st.integers(1, 4000), st.integers(0, 3999))
def test_every_day_of_a_range_is_in_one_of_its_buckets(start: datetime.date, length: int, place: int) -> None:
    span = Period(start, start + datetime.timedelta(days=length), "range")
    bucket = bucket_for(span)
    buckets = buckets_in(span, bucket)
    assert buckets == sorted(set(buckets))
    assert len(buckets) <= 38 or bucket == "year"
    assert bucket_of(start + datetime.timedelta(days=place % length), bucket) in buckets


@pytest.mark.parametrize(
    ("start", "end", "grain", "bucket", "number"),
    [
        ("2026-11-20", "2026-11-21", "day", "day", 1),
        ("2026-11-16", "2026-11-23", "week", "day", 7),
        ("2026-10-01", "2026-11-01", "month", "day", 31),
        ("2026-07-01", "2026-10-01", "quarter", "week", 14),
        ("2026-01-01", "2026-07-01", "half", "month", 6),
        ("2025-01-01", "2026-01-01", "year", "month", 12),
        ("2024-01-01", "2027-01-01", "range", "month", 36),
        ("2020-01-01", "2027-01-01", "range", "quarter", 28),
        ("2000-01-01", "2027-01-01", "range", "year", 27),
    ],
)
def test_what_a_range_is_divided_into(start: str, end: str, grain: str, bucket: str, number: int) -> None:
    span = period(start, end, grain)
    assert bucket_for(span) == bucket
    assert len(buckets_in(span, bucket_for(span))) == number


def test_labels() -> None:
    quarter = period("2026-07-01", "2026-10-01")
    first = buckets_in(quarter, "week")[0]
    assert first == datetime.date(2026, 6, 29)
    assert bucket_label(first, "week", "zh", quarter) == "7/1"
    assert bucket_label(first, "week", "en", quarter) == "1 Jul"
    two = period("2025-11-01", "2026-03-01")
    assert bucket_label(datetime.date(2026, 1, 1), "month", "zh", two) == "2026/01"
    assert bucket_label(datetime.date(2026, 1, 1), "month", "en", two) == "Jan 26"
    assert bucket_label(datetime.date(2026, 1, 1), "month", "zh", period("2026-01-01", "2026-07-01")) == "1月"
    assert bucket_label(datetime.date(2026, 4, 1), "quarter", "en", two) == "2026 Q2"


def test_the_range_is_said_with_both_ends() -> None:
    assert period_text(period("2026-11-20", "2026-11-21", text="上周五"), "zh") == "2026-11-20 周五（上周五）"
    assert period_text(period("2026-10-01", "2026-11-01", text="last month"), "en") == (
        "Thu 2026-10-01 to Sat 2026-10-31 (last month)"
    )
