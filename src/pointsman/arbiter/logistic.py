"""Logistic regression on a few columns, each text with a weight of its own."""

from __future__ import annotations

import numpy

from pointsman.arbiter.softmax import Doubles, minimised


def fit_logistic(columns: Doubles, right: Doubles, weights: Doubles, prior: Doubles, firmness: float = 1.0) -> Doubles:
    """Slopes, then the shift. Pulled towards the slopes of `prior` by `firmness`; the shift is free."""
    wide = numpy.hstack([columns, numpy.ones((len(columns), 1))])
    pull = numpy.append(numpy.full(columns.shape[1], firmness), 1e-3)
    aim = numpy.append(prior, 0.0)

    def loss(point: Doubles) -> tuple[float, Doubles]:
        odds = wide @ point
        value = float(weights @ (numpy.logaddexp(0.0, odds) - right * odds))
        gap = point - aim
        slope = wide.T @ (weights * (_logistic(odds) - right))
        return value + 0.5 * float(pull @ (gap * gap)), slope + pull * gap

    return minimised(loss, aim.copy(), 200, 1e-9)


def _logistic(odds: Doubles) -> Doubles:
    bounded = numpy.clip(odds, -60.0, 60.0)
    result: Doubles = 1.0 / (1.0 + numpy.exp(-bounded))
    return result
