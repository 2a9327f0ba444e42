"""How close entries are to a question by what they mean, as vectors have it. numpy comes with the embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from pointsman.ports.embed import Vector

Matrix = numpy.ndarray[Any, numpy.dtype[numpy.float32]]
_ENOUGH = 30  # questions whose mean says where texts of this kind lie


class Meanings:
    """`asked` are vectors of questions and `told` of answers; `askers` and `tellers` are the entries to which they belong,
    in ascending order, all entries among them. Vectors of one model lie in a narrow cone: likenesses are taken from the
    middle of the questions, so that what is alike in nothing but being a question comes out as 0."""

    def __init__(
        self, asked: Sequence[Vector], askers: Sequence[int], told: Sequence[Vector], tellers: Sequence[int]
    ) -> None:
        matrix = _matrix(asked)
        self._middle = matrix.mean(axis=0) if len(matrix) >= _ENOUGH else matrix.mean(axis=0) * 0.9
        self._asked, self._told = self._from_the_middle(matrix), self._from_the_middle(_matrix(told))
        self._askers, self._tellers = _starts(askers), _starts(tellers)

    def near(self, question: Vector) -> list[tuple[float, float]]:
        """The likeness of each entry: of its closest question, and of its answer in the language that is closest."""
        vector = self._from_the_middle(numpy.frombuffer(question, dtype=numpy.float32)[None])[0]
        asked: list[float] = numpy.maximum.reduceat(self._asked @ vector, self._askers).tolist()
        told: list[float] = numpy.maximum.reduceat(self._told @ vector, self._tellers).tolist()
        return list(zip(asked, told, strict=True))

    def _from_the_middle(self, matrix: Matrix) -> Matrix:
        moved = matrix - self._middle
        unit: Matrix = moved / numpy.maximum(numpy.linalg.norm(moved, axis=1, keepdims=True), 1e-6)
        return unit


def _matrix(vectors: Sequence[Vector]) -> Matrix:
    return numpy.array([numpy.frombuffer(vector, dtype=numpy.float32) for vector in vectors])


def _starts(owners: Sequence[int]) -> Any:
    """Where the vectors of each entry begin."""
    return numpy.searchsorted(numpy.array(owners), numpy.arange(owners[-1] + 1))
