"""Periods: the convention's cases one by one, and a set written by people who have not seen the grammar."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.periods import find_periods

SUNDAY = datetime.date(2026, 11, 29)
SET = Path(__file__).parents[1] / "sets" / "periods.jsonl"


@pytest.mark.parametrize(
    ("text", "start", "end", "grain"),
    [
        ("今天", "2026-11-29", "2026-11-30", "day"),
        ("大前天", "2026-11-26", "2026-11-27", "day"),
        ("上周五", "2026-11-20", "2026-11-21", "day"),
        ("周五", "2026-11-27", "2026-11-28", "day"),
        ("本周", "2026-11-23", "2026-11-30", "week"),
        ("上上周", "2026-11-09", "2026-11-16", "week"),
        ("上月", "2026-10-01", "2026-11-01", "month"),
        ("上季度", "2026-07-01", "2026-10-01", "quarter"),
        ("Q3", "2026-07-01", "2026-10-01", "quarter"),
        ("去年Q4", "2025-10-01", "2026-01-01", "quarter"),
        ("去年", "2025-01-01", "2026-01-01", "year"),
        ("上半年", "2026-01-01", "2026-07-01", "half"),
        ("2024年5月", "2024-05-01", "2024-06-01", "month"),
        ("最近7天", "2026-11-23", "2026-11-30", "range"),
        ("3月到5月", "2026-03-01", "2026-06-01", "range"),
        ("11月3日到9日", "2026-11-03", "2026-11-10", "range"),
        ("2025年12月到2026年2月", "2025-12-01", "2026-03-01", "range"),
        ("１２月", "2025-12-01", "2026-01-01", "month"),
        ("上個月", "2026-10-01", "2026-11-01", "month"),
        ("上周一至周三", "2026-11-16", "2026-11-19", "range"),
        ("上周五到周日", "2026-11-20", "2026-11-23", "range"),
        ("11月到2月", "2025-11-01", "2026-03-01", "range"),
        ("from Monday to Wednesday", "2026-11-23", "2026-11-26", "range"),
        ("last Friday", "2026-11-27", "2026-11-28", "day"),
        ("Friday last week", "2026-11-20", "2026-11-21", "day"),
        ("last month", "2026-10-01", "2026-11-01", "month"),
        ("Q2 2025", "2025-04-01", "2025-07-01", "quarter"),
        ("first half of 2024", "2024-01-01", "2024-07-01", "half"),
        ("in May", "2026-05-01", "2026-06-01", "month"),
        ("past 30 days", "2026-10-31", "2026-11-30", "range"),
        ("year to date", "2026-01-01", "2026-11-30", "range"),
        ("from March 3 to March 9", "2026-03-03", "2026-03-10", "range"),
        ("since Monday", "2026-11-23", "2026-11-30", "range"),
    ],
)
def test_one_period(text: str, start: str, end: str, grain: str) -> None:
    [period] = find_periods(f"导出 {text} 的报表", SUNDAY)
    assert (str(period.start), str(period.end), period.grain) == (start, end, grain)


@pytest.mark.parametrize(
    "text",
    [
        "一周年庆活动",
        "Q1 是什么意思",
        "version 3.10",
        "24小时客服",
        "the May Company",
        "五月天演唱会",
        "the second quarter-final",
        "what does Q1 mean?",
        "2024年13月",
        "",
    ],
)
def test_no_period(text: str) -> None:
    assert find_periods(text, SUNDAY) == ()


def test_two_readings_are_both_given() -> None:
    assert [str(period.start) for period in find_periods("sales of 03/04/2024", SUNDAY)] == ["2024-03-04", "2024-04-03"]
    assert [str(period.start) for period in find_periods("sales of 25/04/2024", SUNDAY)] == ["2024-04-25"]
    assert len(find_periods("上周和本周", SUNDAY)) == 2
    assert len(find_periods("10月15日到10月1日", SUNDAY)) == 2


def test_a_day_that_the_calendar_lacks_is_none() -> None:
    assert find_periods("2月30日", SUNDAY) == ()
    [leap] = find_periods("2月29日", SUNDAY)
    assert str(leap.start) == "2024-02-29"


def test_the_frozen_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Written from the convention alone. The first blind run gave 343 of 360; what it taught was mended since. Two rows
    are of the time when a weekday never was today."""
    rows = [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]
    right = 0
    for row in rows:
        found = find_periods(row["text"], datetime.date.fromisoformat(row["now"][:10]))
        got = (str(found[0].start), str(found[0].end), found[0].grain) if len(found) == 1 else None
        right += got == ((row["start"], row["end"], row["grain"]) if row["start"] else None)
    with capsys.disabled():
        print(f"\nperiods: {right} of {len(rows)} right")
    assert right >= 0.98 * len(rows)


_WORDS = st.sampled_from(
    [*"上本这个周月年季度末日天一二三五十0123456789号到至-/ .qQ年去前", "last ", "May ", "to ", "Q3", "week", "since "]
)


@given(st.lists(_WORDS, max_size=14).map("".join), st.dates(datetime.date(1990, 1, 1), datetime.date(2090, 1, 1)))
def test_any_text_gives_ranges_that_can_be_shown(text: str, today: datetime.date) -> None:
    for period in find_periods(text, today):
        assert period.start < period.end
        assert text[slice(*period.span)] == period.text


@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    find_periods(text, SUNDAY)
