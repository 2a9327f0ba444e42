"""What requests cost a target: the fit finds what is there, is the best that it claims to be, and bears outliers."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from statistics import median

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pointsman.offline.audit.cost import Cost, Costs, Samples, fit, not_negative, size_of

tokens = st.integers(0, 5000).map(float)
triples = st.lists(st.tuples(tokens, tokens, st.floats(0, 100)), min_size=1, max_size=30)
few = st.tuples(st.integers(0, 100), st.one_of(st.none(), st.integers(0, 9)), st.floats(0, 9))


def squares(rows: list[tuple[float, float, float]], found: tuple[float, float, float]) -> float:
    return sum((row[2] - found[0] - found[1] * row[0] - found[2] * row[1]) ** 2 for row in rows)


@given(triples, st.integers(0, 2), st.floats(-1, 1))
def test_no_step_away_from_the_least_squares_is_better(
    rows: list[tuple[float, float, float]], which: int, step: float
) -> None:
    """None below 0, and moving any coefficient as far as it may go does not lower the squares."""
    found = not_negative(rows)
    assert min(found) >= 0
    scale = (1.0, 1e-3, 1e-3)[which]
    moved = list(found)
    moved[which] = max(0.0, moved[which] + step * scale)
    best = squares(rows, found)
    assert squares(rows, (moved[0], moved[1], moved[2])) >= best - 1e-6 * (1 + best)


def test_a_line_is_found_again_with_outliers() -> None:
    dice = Random(3)
    samples = []
    for _ in range(400):
        read, written = dice.randint(10, 4000), dice.randint(1, 500)
        samples.append((read, float(written), 0.2 + 0.001 * read + 0.02 * written + dice.gauss(0, 0.01)))
    spoiled = [
        (read, written, 600.0 if place % 50 == 0 else took) for place, (read, written, took) in enumerate(samples)
    ]
    for several in (samples, spoiled):
        cost = fit(several)
        assert cost.base == pytest.approx(0.2, abs=0.02)
        assert cost.per_input == pytest.approx(0.001, rel=0.02)
        assert cost.per_output == pytest.approx(0.02, rel=0.02)


@given(st.lists(few, min_size=1, max_size=7))
def test_of_a_few_the_median(samples: list[tuple[int, int | None, float]]) -> None:
    cost = fit([(read, written, took) for read, written, took in samples])
    assert cost.seconds(50) == cost.seconds(5000) == median(took for *_, took in samples)


def test_what_is_typical_goes_by_the_size_of_the_prompt() -> None:
    short = [(20 + place % 8, 10.0, 1.0 + 0.1 * 10) for place in range(20)]
    long = [(2000 + place, 300.0, 1.0 + 0.1 * 300) for place in range(20)]
    cost = fit(short + long)
    assert cost.seconds(25) == pytest.approx(2.0, abs=0.1)
    assert cost.seconds(2010) == pytest.approx(31.0, abs=0.5)


def test_without_output_tokens_only_the_prompt_counts() -> None:
    cost = fit([(place * 10, None, 1 + place * 0.5) for place in range(30)])
    assert (cost.per_output, cost.typical) == (0.0, 0.0)
    assert cost.per_input == pytest.approx(0.05)


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=40))
def test_sums_by_size_are_sums_of_single_ones(prompts: list[int]) -> None:
    cost = Cost(9, 0.5, 0.001, 0.02, 100.0, {3: 7.0, 8: 50.0, 11: 400.0})
    by_size: dict[int, list[int]] = {}
    for tokens in prompts:
        by_size.setdefault(size_of(tokens), []).append(tokens)
    summed = sum(cost.several(len(same), sum(same), size) for size, same in by_size.items())
    assert summed == pytest.approx(sum(cost.seconds(tokens) for tokens in prompts))


@given(st.integers(1, 40_000))
def test_samples_are_bounded_and_even(count: int) -> None:
    assume(count < 5000 or count % 7 == 0)
    samples = Samples()
    for number in range(count):
        samples.add((number, None, 0.0))
    kept = [read for read, *_ in samples.kept]
    assert samples.count == count and len(kept) <= 4096
    steps = {later - earlier for earlier, later in pairwise(kept)}
    assert kept[0] == 0 and len(steps) <= 1
    if count > 8192:
        assert len(kept) > 2000


def test_targets_apart_and_all_together() -> None:
    costs = Costs()
    assert costs.fitted() == {}
    costs.add("a", (10, None, 1.0))
    costs.add("b", (10, None, 3.0))
    found = costs.fitted()
    assert (found["a"].base, found["b"].base, found[""].base) == (1.0, 3.0, 2.0)
