"""From questions that two models answered to a score of how much the heavy one is worth: near what is known of any text
where a text is of no known kind, near what was learnt where it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pointsman.learning.recovery import Doubles
from pointsman.learning.ridge import Rows, ridge, rows_of, vocabulary

PULL = 0.08
"""How much of a gap a step of the general score counts for, before anything was learnt."""
STRENGTH = 30.0
LEAST = 3
"""Questions that a piece must be in."""


class GapFit(NamedTuple):
    """A score is `pull` times the general score plus `weights` (of columns) over a text's row. `middle` and `spread` are
    those of scores of the questions that were learnt from: scores of several such fits can be compared once they are
    counted from the one in units of the other."""

    weights: Doubles
    pull: float
    middle: float
    spread: float

    def scores(self, rows: Rows, general: Doubles) -> Doubles:
        return self.pull * general + rows.times(self.weights)

    def comparable(self, rows: Rows, general: Doubles) -> Doubles:
        return (self.scores(rows, general) - self.middle) / self.spread


def fit_gap(rows: Rows, general: Doubles, gaps: Doubles, pull: float = PULL, strength: float = STRENGTH) -> GapFit:
    """`general`: the general score of each text, of unit spread or so. What is left of a gap beside it, less the mean, is
    regressed on the pieces without a constant: a text whose pieces are unknown keeps its general score."""
    left = gaps - pull * general
    fitted = GapFit(ridge(rows, left - left.mean(), strength), pull, 0.0, 1.0)
    scores = fitted.scores(rows, general)
    return fitted._replace(middle=float(scores.mean()), spread=float(scores.std()) or 1.0)


def gap_rows(texts: Sequence[Sequence[str]]) -> tuple[Rows, tuple[str, ...]]:
    """Rows over the pieces that are in at least LEAST of the texts, and these pieces."""
    known = vocabulary(texts, LEAST)
    return rows_of(texts, known), known
