"""From what an arbiter heard to an intent, and the probability that it is the right one. Pure: from the log it is computed
again."""

from __future__ import annotations

import itertools
import math

from pointsman.domain.intent import OPEN_ENDED, Calibration, Heard

FURTHEST = 60.0
"""Log odds beyond which nothing is told apart."""
CLOSE = 0.5
"""Distance of two raw probabilities below which either may be right."""
_LEAST = 1e-6
"""Raw probabilities are rounded to this: below it they say nothing."""


def margin(heard: Heard) -> float:
    """Document A's raw figure in log odds: twice the distance of the two best log probabilities. Its confidence is the
    logistic function of that. With one intent alone, the second is what the first leaves."""
    if not heard.scores:
        return -FURTHEST
    first = max(heard.scores[0][1], _LEAST)
    second = max(heard.scores[1][1] if len(heard.scores) > 1 else 1.0 - first, _LEAST)
    return 2.0 * (math.log(first) - math.log(second))


def raw_confidence(heard: Heard) -> float:
    """Document A's formula as it stands: 1 / (1 + exp(-2·(logp1 - logp2)))."""
    return logistic(margin(heard))


def confidence(heard: Heard, calibration: Calibration) -> tuple[str, float]:
    """The first intent, and the calibrated probability that it is right, six decimals. OPEN_ENDED where nothing was
    heard, or where the query lies outside the set; the probability is still that of the first intent."""
    if not heard.scores:
        return OPEN_ENDED, 0.0
    sure = round(min(_calibrated(heard, calibration), calibration.ceiling, _at_most(heard)), 6)
    return (OPEN_ENDED if heard.outside > calibration.threshold else heard.scores[0][0]), sure


def _at_most(heard: Heard) -> float:
    """Where a second intent is near, the first is no surer than its own share: what is fitted on few texts may see in a
    query only that it is inside the set."""
    first = heard.scores[0][1]
    second = heard.scores[1][1] if len(heard.scores) > 1 else 0.0
    return first if first - second < CLOSE else 1.0


def _calibrated(heard: Heard, by: Calibration) -> float:
    if by.kind == "none":
        return raw_confidence(heard)
    if by.kind == "temperature":
        return logistic(margin(heard) / by.slope)
    if by.kind == "product":
        inside = logistic(by.outside_slope * log_odds(heard.outside) + by.outside_shift)
        return inside * logistic(by.slope * margin(heard) + by.shift)
    odds = by.slope * margin(heard) + by.outside_slope * log_odds(heard.outside) + by.shift
    return between(by.points, odds) if by.kind == "isotonic" else logistic(odds)


def between(points: tuple[tuple[float, float], ...], x: float) -> float:
    """On the broken line through `points`, whose x rise; flat beyond its ends."""
    if x <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in itertools.pairwise(points):
        if x <= right:
            return low + (high - low) * (x - left) / (right - left) if right > left else high
    return points[-1][1]


def logistic(x: float) -> float:
    x = max(-FURTHEST, min(FURTHEST, x))
    return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))


def log_odds(probability: float) -> float:
    inside = min(max(probability, _LEAST), 1.0 - _LEAST)
    return math.log(inside / (1.0 - inside))
