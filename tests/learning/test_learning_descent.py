"""Softmax regression in whole numbers: it learns, it agrees with the usual exponentials, and twice it gives the same."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.learning.descent import UNIT, exponentials, fit, mixed, root, rounded, shares
from pointsman.learning.linear import Linear

TEXTS = [("a b", 0), ("a c", 0), ("a d b", 0), ("x b", 1), ("x c d", 1), ("x d", 1), ("q q2", 2), ("q b", 2)]
ROWS = [text.split() for text, _ in TEXTS]
LABELS = [label for _, label in TEXTS]


def test_it_tells_what_it_learnt_and_what_is_like_it() -> None:
    linear = Linear(("one", "two", "three"), fit(ROWS, LABELS, 3))
    for row, label in zip(ROWS, LABELS, strict=True):
        sums = linear.sums(row)
        assert sums.index(max(sums)) == label
    assert max(range(3), key=linear.sums(["x", "new"]).__getitem__) == 1


def test_twice_it_is_the_same() -> None:
    assert fit(ROWS, LABELS, 3) == fit(ROWS, LABELS, 3)
    order = mixed(50, 3)
    assert sorted(order) == list(range(50)) and order == mixed(50, 3) and order != mixed(50, 4)


@given(st.lists(st.integers(-20 * UNIT, 20 * UNIT), min_size=2, max_size=15))
def test_shares_are_those_of_softmax(logits: list[int]) -> None:
    found, whole = shares(logits)
    most = max(logits)
    true = [math.exp((each - most) / UNIT) for each in logits]
    for one, other in zip(found, true, strict=True):
        assert one / whole == pytest.approx(other / sum(true), abs=0.02)


def test_the_table_is_that_of_the_exponential() -> None:
    assert exponentials()[0] == UNIT
    assert exponentials()[64] == round(UNIT / math.e)


def test_roots_and_rounding() -> None:
    assert [root(["x"] * count) for count in (0, 3, 8, 99)] == [16, 32, 48, 160]
    kept = rounded({"big": 1000, "small": 3}, 1, 3)
    assert kept == {"big": 125}
