"""APGR and CPT against examples worked by hand, and against the definition written out slowly."""

from __future__ import annotations

from itertools import pairwise

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.learning.recovery import apgr, calls_for, curve, order_of, resampled

FOUR = numpy.array([1.0, 0.0, 1.0, 0.0])
"""The heavy model is better at the first and the third of four questions: light reaches r, heavy r + 1/2."""


def test_a_curve_by_hand() -> None:
    """Both questions that need it go first: a quarter of the calls recovers half of the gap, half of them all of it."""
    drawn = curve(numpy.array([9.0, 1.0, 8.0, 0.0]), FOUR)
    assert drawn.shares.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert drawn.recovered.tolist() == [0, 0.5, 1, 1, 1]
    assert apgr(numpy.array([9.0, 1.0, 8.0, 0.0]), FOUR) == pytest.approx((0.25 + 0.75 + 1 + 1) / 4)
    assert calls_for(drawn, 0.5) == pytest.approx(0.25)
    assert calls_for(drawn, 0.8) == pytest.approx(0.25 + 0.6 * 0.25)
    assert calls_for(drawn, 1.0) == pytest.approx(0.5)
    assert calls_for(drawn, 0.0) == 0


def test_the_worst_order_by_hand() -> None:
    drawn = curve(numpy.array([0.0, 9.0, 1.0, 8.0]), FOUR)
    assert drawn.recovered.tolist() == [0, 0, 0, 0.5, 1]
    assert apgr(numpy.array([0.0, 9.0, 1.0, 8.0]), FOUR) == pytest.approx((0 + 0 + 0.25 + 0.75) / 4)
    assert calls_for(drawn, 0.5) == pytest.approx(0.75)


def test_equal_scores_are_chance() -> None:
    assert apgr(numpy.zeros(4), FOUR) == pytest.approx(0.5)
    assert calls_for(curve(numpy.zeros(4), FOUR), 0.8) == pytest.approx(0.8)


def test_more_than_the_heavy_model_alone() -> None:
    """Where the light one is better at times, a curve goes beyond 1 and comes back."""
    gaps = numpy.array([1.0, 1.0, -1.0])
    drawn = curve(numpy.array([3.0, 2.0, 1.0]), gaps)
    assert drawn.recovered.tolist() == [0, 1, 2, 1]
    assert calls_for(drawn, 0.5) == pytest.approx(1 / 6)


def test_no_gap() -> None:
    with pytest.raises(ZeroDivisionError):
        curve(numpy.arange(2.0), numpy.array([1.0, -1.0]))


def test_chance_is_near_a_half() -> None:
    random = numpy.random.default_rng(7)
    gaps = (random.random(20_000) < 0.3).astype(float)
    assert apgr(random.random(20_000), gaps) == pytest.approx(0.5, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([-1, 0, 1, 1])), min_size=2, max_size=12))
def test_against_the_definition(rows: list[tuple[int, int]]) -> None:
    """PGR at each share, one request after the other, ties in all orders at once: the mean over them is a straight line."""
    scores = numpy.array([float(score) for score, _ in rows])
    gaps = numpy.array([float(gap) for _, gap in rows])
    if not gaps.sum():
        return
    steps = [0.0]
    for level in sorted({score for score, _ in rows}, reverse=True):
        tied = [gap for score, gap in rows if score == level]
        for _ in tied:
            steps.append(steps[-1] + sum(tied) / len(tied))
    slow = sum((a + b) / 2 for a, b in pairwise(steps)) / len(rows) / gaps.sum()
    assert apgr(scores, gaps) == pytest.approx(slow)


@given(st.lists(st.sampled_from([0.0, 0.0, 1.0, 0.5]), min_size=3, max_size=20))
def test_no_score_beats_the_oracle(gaps: list[float]) -> None:
    told = numpy.array(gaps)
    if not told.sum():
        return
    best = apgr(told, told)
    for seed in range(5):
        assert apgr(numpy.random.default_rng(seed).random(len(gaps)), told) <= best + 1e-12
    assert curve(told, told).recovered.max() == pytest.approx(1.0)


def test_resamples_are_paired_and_repeatable() -> None:
    random = numpy.random.default_rng(3)
    gaps = (random.random(300) < 0.4).astype(float)
    good, same = gaps + random.random(300), gaps + 0.0
    orders = [order_of(good), order_of(good), order_of(same)]
    drawn = resampled(orders, [gaps] * 3, 50, seed=1)
    assert drawn.shape == (50, 3)
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert (resampled(orders, [gaps] * 3, 50, seed=1) == drawn).all()
    assert (resampled(orders, [gaps] * 3, 50, seed=2) != drawn).any()
    assert drawn[:, 0].mean() == pytest.approx(apgr(good, gaps), abs=0.02)
