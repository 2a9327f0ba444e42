"""Intervals against their definitions, solved in another way."""

from __future__ import annotations

from math import inf, isclose, sqrt
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from offline import brute
from pointsman.offline.audit.intervals import Z, difference, effective, quantile, ratio, wilson

counts = st.integers(1, 2000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(counts)
def test_wilson_is_where_the_score_test_turns(pair: tuple[int, int]) -> None:
    hits, of = pair
    low, high = wilson(hits, of)
    slow_low, slow_high = brute.wilson(hits, of)
    assert isclose(low, slow_low, abs_tol=1e-7) and isclose(high, slow_high, abs_tol=1e-7)
    assert 0 <= low <= hits / of <= high <= 1


def test_wilson_of_known_cases() -> None:
    low, high = wilson(1, 3)
    assert (round(low, 4), round(high, 4)) == (0.0615, 0.7923)  # so 1 of 3 is not a third
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(10, 100)[0] > 0.05 > wilson(8, 100)[0]


def test_newcombe_of_his_own_example() -> None:
    """Newcombe 1998, table II, (a) 56/70 − 48/80 by method 10: 0.0524 to 0.3339."""
    low, high = difference(56, 70, 48, 80)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    assert difference(0, 0, 1, 2) == (-1.0, 1.0)


@given(counts, counts)
def test_a_difference_turns_its_sign_with_its_sides(one: tuple[int, int], other: tuple[int, int]) -> None:
    low, high = difference(*one, *other)
    back_low, back_high = difference(*other, *one)
    assert isclose(low, -back_high, abs_tol=1e-12) and isclose(high, -back_low, abs_tol=1e-12)
    assert low <= one[0] / one[1] - other[0] / other[1] <= high


people = st.lists(st.integers(1, 30).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), min_size=2)


@given(people)
def test_a_ratio_over_people(clusters: list[tuple[int, int]]) -> None:
    share, variance = ratio(clusters)
    hits, of = sum(hits for hits, _ in clusters), sum(of for _, of in clusters)
    many = len(clusters)
    assert isclose(share, hits / of)
    mean = of / many
    residuals = [hits - share * number for hits, number in clusters]
    assert isclose(variance, sum(r * r for r in residuals) / (many - 1) / many / mean**2, abs_tol=1e-12)
    assert 0 <= effective(clusters) <= of


def test_people_who_ask_alike_say_less_than_as_many_requests() -> None:
    alike = [(10, 10), (0, 10)] * 10
    assert 15 < effective(alike) < 25  # twenty people, whatever the 200 requests
    assert effective([(1, 2)] * 50) == 100
    assert ratio([(1, 5)]) == (0.2, inf)
    assert ratio([]) == (0.0, inf)


def test_of_independent_requests_nothing_is_lost() -> None:
    dice = Random(4)
    clusters = [(sum(dice.random() < 0.2 for _ in range(5)), 5) for _ in range(4000)]
    share, variance = ratio(clusters)
    assert isclose(sqrt(variance), sqrt(share * (1 - share) / 20_000), rel_tol=0.05)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.sampled_from([0.01, 0.5, 0.95, 1.0]))
def test_quantiles_are_nearest_ranks(values: list[float], share: float) -> None:
    assert quantile(values, share) == brute.percentile(values, share)
    assert quantile([], share) is None


def test_z() -> None:
    from statistics import NormalDist

    assert isclose(Z, NormalDist().inv_cdf(0.975))
