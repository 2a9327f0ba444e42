"""Intervals of 95 %, in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, sqrt

Z = 1.959963984540054
Interval = tuple[float, float]


def wilson(hits: float, of: float) -> Interval:
    """Wilson's score interval of a share; (0, 1) of nothing. `of` need not be whole: an effective number will do."""
    if of <= 0:
        return 0.0, 1.0
    share, square = hits / of, Z * Z
    middle = share + square / (2 * of)
    reach = Z * sqrt(share * (1 - share) / of + square / (4 * of * of))
    low, high = (middle - reach) / (1 + square / of), (middle + reach) / (1 + square / of)
    return 0.0 if hits <= 0 else max(0.0, low), 1.0 if hits >= of else min(1.0, high)


def difference(hits: float, of: float, other_hits: float, other_of: float) -> Interval:
    """Newcombe's interval (his method 10) of the first share minus the other, from Wilson's of each."""
    if of <= 0 or other_of <= 0:
        return -1.0, 1.0
    share, other = hits / of, other_hits / other_of
    low, high = wilson(hits, of)
    other_low, other_high = wilson(other_hits, other_of)
    between = share - other
    return (
        between - sqrt((share - low) ** 2 + (other_high - other) ** 2),
        between + sqrt((high - share) ** 2 + (other - other_low) ** 2),
    )


def ratio(clusters: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """(ratio, its variance) of (what is counted, of how many) summed over clusters whose members are alike: people, who
    ask many times each. The variance is that of the ratio estimator over clusters; infinite of fewer than two."""
    total, of = sum(each for each, _ in clusters), sum(number for _, number in clusters)
    if of <= 0:
        return 0.0, float("inf")
    share, many = total / of, len(clusters)
    if many < 2:
        return share, float("inf")
    squares = sum((each - share * number) ** 2 for each, number in clusters)
    return share, squares * many / (many - 1) / (of * of)


def effective(clusters: Sequence[tuple[float, float]]) -> float:
    """How many independent requests say as much of a share as these do: at most as many as there are."""
    share, variance = ratio(clusters)
    of = sum(number for _, number in clusters)
    if variance == float("inf"):
        return min(of, 1.0)
    spread = share * (1 - share)
    return min(of, spread / variance) if variance > 0 and spread > 0 else of


def quantile(values: Iterable[float], share: float) -> float | None:
    """Nearest rank: the smallest value that so large a share of them does not exceed; None of nothing."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None
