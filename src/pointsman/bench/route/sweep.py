"""What a router's accuracy is worth: quality and cost when so many of its choices are right.

Right is the light model where its answer is as good, else the heavy one. Which choices are wrong is taken in two ways: by
chance, where mean quality is a straight line whatever the data (each wrong choice costs the same in the mean); and by doubt,
where the wrong ones are those of which the router is least sure, as a classifier's errors are."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from pointsman.bench.route.figures import Point, Sweep, Swept
from pointsman.learning.recovery import Doubles

ACCURACIES = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 1.0)
KNEE = 0.85
STEEP = 1.5
"""How many times as much accuracy must bring above the knee for that to be called steep."""
At = Callable[[Doubles], Point]
"""The share of each question that goes to the heavy model → what comes of it."""


def swept(gaps: Doubles, scores: Doubles, at: At) -> Sweep:
    """`scores`: of the router, for its doubts: it is the less sure, the nearer a score is to the one that sends as many
    questions to the heavy model as there are for which that is right."""
    right = (gaps > 0).astype(numpy.float64)
    share = float(right.mean())
    doubts = numpy.argsort(numpy.abs(_places(scores) - (1 - share)), kind="stable")
    lines = []
    for accuracy in ACCURACIES:
        wrong = right.copy()
        first = doubts[: round((1 - accuracy) * len(gaps))]
        wrong[first] = 1 - wrong[first]
        lines.append(Swept(accuracy, at(accuracy * right + (1 - accuracy) * (1 - right)), at(wrong)))
    low, middle, high = lines[0], lines[ACCURACIES.index(KNEE)], lines[-1]
    below, above = _slope(low, middle, "doubt"), _slope(middle, high, "doubt")
    return Sweep(
        share,
        tuple(lines),
        below_chance=_slope(low, middle, "chance"),
        above_chance=_slope(middle, high, "chance"),
        below_doubt=below,
        above_doubt=above,
        steep=above > 0 and above >= STEEP * below,
    )


def _places(scores: Doubles) -> Doubles:
    """Of each score, the share of scores below it."""
    order = numpy.argsort(scores, kind="stable")
    found = numpy.empty(len(scores))
    found[order] = (numpy.arange(len(scores)) + 0.5) / len(scores)
    return found


def _slope(low: Swept, high: Swept, of: str) -> float:
    first, last = getattr(low, of), getattr(high, of)
    return float((last.quality - first.quality) * 100 / ((high.accuracy - low.accuracy) * 10))
