"""From questions that two models answered and the vectors of these questions to a score of how much the heavy one is
worth."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy

from pointsman.learning.recovery import Doubles

Rows: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float64]]"
STRENGTH = 100.0
"""Of the squared length of weights, where rows less their mean are as of unit variance in the mean, for each hundredth of
the questions."""


SPELLED = 512
"""How much of the score by spelling is added, in 256ths."""


class DenseFit(NamedTuple):
    """A score is the sum of `weights` times a vector less `mean`, in units of `spread`: that of the questions that were
    learnt from."""

    weights: Doubles
    mean: Doubles
    spread: float

    def scores(self, rows: Rows) -> Doubles:
        found: Doubles = (rows - self.mean) @ self.weights / self.spread
        return found


def fit_dense_gap(rows: Rows, gaps: Doubles, strength: float = STRENGTH) -> DenseFit:
    """`rows`: a vector each question. The gaps less their mean are regressed on the vectors less theirs."""
    mean = rows.mean(axis=0)
    centred = rows - mean
    variance = float((centred * centred).mean())
    held = centred.T @ centred + strength * variance * len(rows) / 100 * numpy.eye(rows.shape[1])
    weights = numpy.linalg.solve(held, centred.T @ (gaps - gaps.mean()))
    return DenseFit(weights, mean, float((centred @ weights).std()) or 1.0)


def joined(spelled: Doubles, meant: Doubles) -> Doubles:
    """The score of both, each in spreads of its fit."""
    found: Doubles = meant + spelled * (SPELLED / 256)
    return found
