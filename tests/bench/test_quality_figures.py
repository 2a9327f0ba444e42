"""Means with intervals, and paired differences."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.bench.quality.figures import difference, figure_of

_grades = st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=30)


def test_wilsons_interval() -> None:
    told = figure_of([(1.0, 1.0)] * 8 + [(0.0, 1.0)] * 2)
    assert told is not None
    assert (round(told.value, 3), round(told.low, 3), round(told.high, 3), told.n) == (0.8, 0.49, 0.943, 10)
    assert figure_of([]) is None


@given(_grades)
def test_the_mean_lies_in_its_interval(grades: list[tuple[float, float]]) -> None:
    told = figure_of(grades)
    assert told is not None and 0.0 <= told.low <= told.value <= told.high <= 1.0 + 1e-9


def test_the_same_grades_differ_by_nothing() -> None:
    told = difference([(grade, grade, 1.0) for grade in (0.0, 0.5, 1.0)])
    assert told is not None and (told.points, told.low, told.high) == (0.0, 0.0, 0.0)
    assert difference([]) is None


def test_it_is_repeatable_and_tasks_stay_paired() -> None:
    """Grades that vary much, and a candidate that is always 5 points lower: the interval is that of the difference."""
    draw = random.Random(3)
    pairs = [(grade := draw.uniform(0.1, 1.0), grade - 0.05, 1.0) for _ in range(200)]
    told = difference(pairs)
    assert told is not None and told == difference(pairs)
    assert told.points == pytest.approx(-5.0) and told.high - told.low < 1e-6


def test_the_interval_is_as_wide_as_theory_says() -> None:
    draw = random.Random(5)
    pairs = [(float(draw.random() < 0.7), float(draw.random() < 0.6), 1.0) for _ in range(400)]
    told = difference(pairs)
    assert told is not None
    error = 100 * statistics.stdev([second - first for first, second, _ in pairs]) / 20
    assert told.high - told.low == pytest.approx(2 * 1.96 * error, rel=0.1)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 5)), min_size=1, max_size=8))
def test_swapping_the_two_turns_it_around(pairs: list[tuple[float, float, float]]) -> None:
    told, turned = difference(pairs), difference([(second, first, weight) for first, second, weight in pairs])
    assert told is not None and turned is not None
    assert told.points == pytest.approx(-turned.points) and told.low <= told.points <= told.high
