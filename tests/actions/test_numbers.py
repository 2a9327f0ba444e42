"""Numbers as people read them."""

from __future__ import annotations

import decimal
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pointsman.actions.report.numbers import axis, number_of, percent, short, shown


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1234567.891, 2, "1,234,567.89"),
        (decimal.Decimal("12345678901234567890.125"), 2, "12,345,678,901,234,567,890.12"),
        (-0.001, 2, "0.00"),
        (-1234, 0, "-1,234"),
        (0, 0, "0"),
        (None, 2, "–"),
    ],
)
def test_in_full(value: float | decimal.Decimal | None, decimals: int, text: str) -> None:
    assert shown(value, decimals) == text


def test_short_and_percent() -> None:
    assert [short(123456, "zh"), short(123456, "en"), short(2.5e9, "zh"), short(-4000, "en"), short(0, "zh")] == [
        "12.35万",
        "123.5K",
        "25亿",
        "-4K",
        "0",
    ]
    assert [percent(1, 3), percent(1, 0), percent(None, 3)] == ["33.3%", "–", "–"]


def test_what_is_no_number() -> None:
    for value in (None, math.nan, math.inf, decimal.Decimal("NaN"), "abc", b"1"):
        assert number_of(value) is None
    assert number_of("12.50") == decimal.Decimal("12.50")
    assert number_of(True) == 1


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12))
@example(0.0, 5e-324)
@example(0.0, 0.0)
def test_an_axis_holds_its_values_and_zero(one: float, other: float) -> None:
    marks = axis(min(one, other), max(one, other))
    slack = 1e-6 * max(abs(marks[0]), abs(marks[-1]))
    assert marks[0] <= min(one, other, 0) + slack
    assert marks[-1] >= max(one, other, 0) - slack
    assert 2 <= len(marks) <= 12
    assert any(mark == 0 for mark in marks)
