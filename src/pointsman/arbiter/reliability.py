"""How true confidences are: the reliability table, and the expected calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BINS = 15
"""Of equal width, as most papers have it."""


class Bin(NamedTuple):
    """Texts with a confidence from `low` to `high`: how many (weighted), their mean confidence, the share that was right."""

    low: float
    high: float
    texts: float
    sure: float
    right: float


def place_of(sure: float) -> int:
    """Of the bin that holds that confidence, from 0."""
    return min(int(sure * BINS), BINS - 1)


def reliability(pairs: Sequence[tuple[float, bool]], weights: Sequence[float] | None = None) -> list[Bin]:
    """`pairs`: confidence, and whether it was right. Bins that hold nothing are left out."""
    sums = [[0.0, 0.0, 0.0] for _ in range(BINS)]
    for (sure, right), weight in zip(pairs, weights or [1.0] * len(pairs), strict=True):
        place = place_of(sure)
        for column, value in enumerate((1.0, sure, float(right))):
            sums[place][column] += weight * value
    return [
        Bin(place / BINS, (place + 1) / BINS, texts, sure / texts, right / texts)
        for place, (texts, sure, right) in enumerate(sums)
        if texts
    ]


def calibration_error(pairs: Sequence[tuple[float, bool]], weights: Sequence[float] | None = None) -> float:
    """Expected calibration error: the mean distance, over texts, of a bin's confidence from what came true. 0 of nothing."""
    table = reliability(pairs, weights)
    total = sum(each.texts for each in table)
    return sum(each.texts * abs(each.sure - each.right) for each in table) / total if total else 0.0


def coverage(pairs: Sequence[tuple[float, bool]], shares: Sequence[float]) -> list[tuple[float, float, float]]:
    """For each share of the texts that is answered, the surest ones first: the share, the confidence of the last one, how
    many of them were right."""
    falling = sorted(pairs, key=lambda pair: -pair[0])
    found = []
    for share in shares:
        taken = falling[: max(round(share * len(falling)), 1)]
        if taken:
            found.append((share, taken[-1][0], sum(right for _, right in taken) / len(taken)))
    return found
