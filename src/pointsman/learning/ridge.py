"""Ridge regression on pieces of texts: weights such that their mean over a text's pieces, times the root of how many there
are, comes near to a figure. Conjugate gradients on sparse rows; numpy is imported here, and by nobody who only decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy

from pointsman.learning.descent import root

Doubles: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float64]]"
Places: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.int64]]"
ROUNDS = 60
_NEAR = 1e-4
"""How small the residual becomes, as a share of what it was, before the steps end."""


class Rows(NamedTuple):
    """Values of row i lie where `rows` is i. `height`, `width`: how many of each there are. A column is scaled by how rare
    its piece is, so that what says little costs much; weights of pieces are `scales` times those of columns."""

    rows: Places
    columns: Places
    values: Doubles
    height: int
    width: int
    scales: Doubles

    def times(self, weights: Doubles) -> Doubles:
        return _summed(self.rows, self.values * weights[self.columns], self.height)

    def back(self, figures: Doubles) -> Doubles:
        """The transpose, times figures of the rows."""
        return _summed(self.columns, self.values * figures[self.rows], self.width)

    def taken(self, chosen: Places) -> Rows:
        """These rows in this order, with all columns."""
        place = numpy.full(self.height, -1, numpy.int64)
        place[chosen] = numpy.arange(len(chosen))
        kept = place[self.rows] >= 0
        return self._replace(
            rows=place[self.rows[kept]], columns=self.columns[kept], values=self.values[kept], height=len(chosen)
        )


def vocabulary(texts: Sequence[Sequence[str]], least: int) -> tuple[str, ...]:
    """Pieces that are in at least so many of the texts, in their order as words."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(set(text))
    return tuple(sorted(piece for piece, count in seen.items() if count >= least))


def rows_of(texts: Sequence[Sequence[str]], known: Sequence[str]) -> Rows:
    """A row a text: how often each known piece is in it, divided by `root` of all its pieces, the unknown ones too, so that
    a text of another kind than those that were learnt from gets figures near nothing."""
    place = {piece: number for number, piece in enumerate(known)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, text in enumerate(texts):
        length = root(text) / 16
        for piece, often in Counter(text).items():
            column = place.get(piece)
            if column is not None:
                rows.append(number)
                columns.append(column)
                values.append(often / length)
    at = numpy.array(columns, numpy.int64)
    frequency = numpy.bincount(at, minlength=len(known))
    scales = numpy.log((1 + len(texts)) / (1 + frequency)) + 1
    return Rows(numpy.array(rows, numpy.int64), at, numpy.array(values) * scales[at], len(texts), len(known), scales)


def ridge(rows: Rows, wanted: Doubles, strength: float) -> Doubles:
    """Weights of columns that minimise the squared distance to `wanted` plus `strength` times their squared length, where
    rows are taken as of unit length in the mean. There is no constant: what nothing speaks of is nothing."""
    weights = numpy.zeros(rows.width)
    strength *= float(rows.values @ rows.values) / max(rows.height, 1)
    left = rows.back(wanted)
    step = left.copy()
    size = float(left @ left)
    until = size * _NEAR**2
    for _ in range(ROUNDS):
        if size <= until:
            break
        turned = rows.back(rows.times(step)) + strength * step
        share = size / float(step @ turned)
        weights += share * step
        left -= share * turned
        before, size = size, float(left @ left)
        step = left + (size / before) * step
    return weights


def _summed(places: Places, values: Doubles, count: int) -> Doubles:
    return numpy.asarray(numpy.bincount(places, values, count), numpy.float64)
