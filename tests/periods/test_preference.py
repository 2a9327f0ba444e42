"""The latest that has begun, the nearest that has not ended: against a walk from day to day."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.periods import find_periods, sieve
from pointsman.periods.find import find_periods as found_by

Date = datetime.date
DAY = datetime.timedelta(days=1)
DAYS = st.dates(Date(1995, 1, 1), Date(2080, 1, 1))
MONTHS = [Date(2000, month, 1).strftime("%B") for month in range(1, 13)]
WEEKDAYS = [Date(2001, 1, day).strftime("%A") for day in range(1, 8)]


def walked(today: Date, prefer: str, begins: object, ends_after: object) -> Date:
    """The first day that `begins` says yes to, backwards from today; or forwards, from the first whose end is not over."""
    day = today
    if prefer == "past":
        while not begins(day):  # type: ignore[operator]
            day -= DAY
        return day
    day = today - DAY * 400
    while not (begins(day) and ends_after(day) > today):  # type: ignore[operator]
        day += DAY
    return day


def one(text: str, today: Date, prefer: str) -> tuple[Date, Date]:
    [period] = find_periods(text, today, prefer=prefer)  # type: ignore[arg-type]
    return period.start, period.end


@pytest.mark.parametrize("prefer", ["past", "future"])
@given(today=DAYS, month=st.integers(1, 12))
def test_months(prefer: str, today: Date, month: int) -> None:
    def after(day: Date) -> Date:
        return (day + DAY * 31).replace(day=1)

    expected = walked(today, prefer, lambda day: day.day == 1 and day.month == month, after)
    for text in (f"{month}月", f"in {MONTHS[month - 1]}", f"{month}月份的销售"):
        assert one(text, today, prefer) == (expected, after(expected))


@pytest.mark.parametrize("prefer", ["past", "future"])
@given(today=DAYS, quarter=st.integers(1, 4))
def test_quarters(prefer: str, today: Date, quarter: int) -> None:
    def after(day: Date) -> Date:
        return (day + DAY * 93).replace(day=1)

    expected = walked(today, prefer, lambda day: (day.month, day.day) == (3 * quarter - 2, 1), after)
    for text in (f"Q{quarter}", f"第{'一二三四'[quarter - 1]}季度", f"q{quarter} sales"):
        assert one(text, today, prefer) == (expected, after(expected))


@pytest.mark.parametrize("prefer", ["past", "future"])
@given(today=DAYS, weekday=st.integers(0, 6))
def test_weekdays(prefer: str, today: Date, weekday: int) -> None:
    expected = walked(today, prefer, lambda day: day.weekday() == weekday, lambda day: day + DAY)
    for text in (f"周{'一二三四五六日'[weekday]}", f"on {WEEKDAYS[weekday]}"):
        assert one(text, today, prefer) == (expected, expected + DAY)


@pytest.mark.parametrize("prefer", ["past", "future"])
@given(today=DAYS, number=st.integers(1, 31))
def test_days_of_a_month(prefer: str, today: Date, number: int) -> None:
    expected = walked(today, prefer, lambda day: day.day == number, lambda day: day + DAY)
    assert one(f"{number}号", today, prefer) == (expected, expected + DAY)


@given(today=DAYS, weekday=st.integers(0, 6))
def test_last_and_next_are_strictly_before_and_after(today: Date, weekday: int) -> None:
    last, following = (
        one(f"last {WEEKDAYS[weekday]}", today, "past")[0],
        one(f"next {WEEKDAYS[weekday]}", today, "past")[0],
    )
    assert last.weekday() == following.weekday() == weekday
    assert 1 <= (today - last).days <= 7
    assert 1 <= (following - today).days <= 7


@given(today=DAYS, count=st.integers(1, 400))
def test_what_is_counted_in_days(today: Date, count: int) -> None:
    assert (
        one(f"{count}天前", today, "past")
        == one(f"{count} days ago", today, "past")
        == (today - DAY * count, today - DAY * (count - 1))
    )
    assert (
        one(f"最近{count}天", today, "past")
        == one(f"last {count} days", today, "past")
        == (today - DAY * (count - 1), today + DAY)
    )
    assert (
        one(f"未来{count}天", today, "past")
        == one(f"next {count} days", today, "past")
        == (today + DAY, today + DAY * (count + 1))
    )
    if count > 1:
        assert one(f"前{count}天", today, "past") == (today - DAY * count, today)


@given(today=DAYS, week=st.integers(1, 52), year=st.integers(1995, 2080))
def test_week_numbers(today: Date, week: int, year: int) -> None:
    start, end = one(f"{year}年第{week}周", today, "past")
    assert [tuple((start + DAY * n).isocalendar())[:2] for n in range((end - start).days)] == [(year, week)] * 7
    start, _ = one(f"week {week}", today, "past")
    assert start <= today < start + DAY * 7 * 54
    assert start.isocalendar()[1] == week


PIECES = st.sampled_from(
    (
        *"上本下这周月年季度末日天一二三四五十0123456789号到至-/ .qQ去前后近初旬农历闰腊正，",
        *(
            "工作日",
            "国庆",
            "春节",
            "假期",
            "双十一",
            "618",
            "星期",
            "last ",
            "next ",
            "May ",
            "to ",
            "Q3 ",
            "week ",
            "since ",
        ),
        *(
            "days ",
            "ago",
            "in ",
            "Christmas",
            "FY25",
            "W35",
            "12/25",
            "2024",
            "Friday",
            "first ",
            "half ",
            "the ",
            "fiscal ",
        ),
        *("晚上", "报表", "and ", "季度", "旬", "5号", "1日", "9-", "3rd ", "of ", "工作日后", "第"),
    )
)


@given(st.lists(PIECES, max_size=12).map("".join), DAYS, st.sampled_from(["past", "future"]), st.integers(1, 12))
def test_any_soup_gives_ranges_that_can_be_shown(text: str, today: Date, prefer: str, fiscal: int) -> None:
    last = 0
    for period in find_periods(text, today, prefer=prefer, fiscal_start=fiscal):  # type: ignore[arg-type]
        assert period.start < period.end
        assert text[slice(*period.span)] == period.text != ""
        assert period.span[0] >= last or period.grain in ("day", "range")  # two readings stand at one place
        last = period.span[0]


@given(st.lists(PIECES, max_size=8).map("".join))
def test_the_sieve_hides_nothing(text: str) -> None:
    today = Date(2026, 11, 29)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pointsman.periods.find.languages", lambda text: (True, True))
        everything = found_by(text, today)
    assert find_periods(text, today) == everything


def test_a_sieve_that_lets_nothing_pass_for_plain_text() -> None:
    for text in ("请帮我写一个关于猫和狗的故事", "please write a short story about cats", "", "x = [1, 2]", "你好"):
        assert sieve.languages(text) == (False, False)


def test_plain_text_is_not_even_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    def folded(text: str) -> str:
        raise AssertionError(text)

    monkeypatch.setattr("pointsman.periods.read.fold", folded)
    assert find_periods("请帮我写一个关于猫和狗的故事，要求幽默风趣 PDF " * 20, Date(2026, 11, 29)) == ()
    with pytest.raises(AssertionError):
        find_periods("上周", Date(2026, 11, 29))


def test_half_a_character_and_long_texts() -> None:
    assert [period.text for period in find_periods("\ud800上周\udfff", Date(2026, 11, 29))] == ["上周"]
    assert find_periods("x" * 2500 + "上周", Date(2026, 11, 29)) == ()
    assert len(find_periods("上周" * 1500, Date(2026, 11, 29))) == 1
