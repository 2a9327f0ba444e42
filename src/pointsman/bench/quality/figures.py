"""From grades to figures: a mean with its interval, and what two models differ by."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import msgspec

_Z = 1.959964
"""Of 95 %."""
_DRAWS = 200_000
"""Single draws of a bootstrap, together, about: the more tasks, the fewer samples of them."""
_SAMPLES = (1000, 10_000)


class Figure(msgspec.Struct, frozen=True):
    """The mean of `n` grades, and the interval that holds it in 95 of 100 cases."""

    n: int
    value: float
    low: float
    high: float


class Difference(msgspec.Struct, frozen=True):
    """Candidate less baseline over the `n` tasks that both were graded at, in points (0 to 100), with its interval."""

    n: int
    points: float
    low: float
    high: float


def figure_of(grades: Sequence[tuple[float, float]]) -> Figure | None:
    """Of (grade 0 to 1, weight); None of nothing. Wilson's interval: it holds for few grades and for means near 0 and 1, and
    is too wide rather than too narrow for grades between."""
    if not grades:
        return None
    total = sum(weight for _, weight in grades)
    mean = sum(grade * weight for grade, weight in grades) / total
    count = total * total / sum(weight * weight for _, weight in grades)
    shrink = 1 + _Z * _Z / count
    middle = (mean + _Z * _Z / (2 * count)) / shrink
    half = _Z / shrink * math.sqrt(mean * (1 - mean) / count + _Z * _Z / (4 * count * count))
    return Figure(len(grades), mean, max(min(middle - half, mean), 0.0), min(max(middle + half, mean), 1.0))


def difference(pairs: Sequence[tuple[float, float, float]], seed: int = 1) -> Difference | None:
    """Of (baseline's grade, candidate's, weight) of each task; None of nothing. A paired bootstrap: tasks are drawn with
    replacement, both grades of a task together, since a hard one is hard for both. The same pairs and seed give the same."""
    if not pairs:
        return None
    gains = [100 * (candidate - baseline) * weight for baseline, candidate, weight in pairs]
    weights = [weight for _, _, weight in pairs]
    count = len(pairs)
    draw = random.Random(seed)  # noqa: S311
    samples = min(max(_DRAWS // count, _SAMPLES[0]), _SAMPLES[1])
    means = []
    places = range(count)
    for _ in range(samples):
        drawn = draw.choices(places, k=count)
        means.append(sum([gains[place] for place in drawn]) / sum([weights[place] for place in drawn]))
    means.sort()
    low, high = means[int(0.025 * samples)], means[min(int(0.975 * samples), samples - 1)]
    points = sum(gains) / sum(weights)
    return Difference(count, points, min(low, points), max(high, points))
