"""How close entries are to a question by what they mean, as vectors have it. numpy comes with the embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from pointsman.ports.embed import Vector

Matrix = numpy.ndarray[Any, numpy.dtype[numpy.float32]]
_ENOUGH = 30  # questions whose mean says where texts of this kind lie


class Meanings:
    """`owners` are the entries to which the vectors belong, in ascending order. Vectors of one model lie in a narrow cone:
    likenesses are taken from its middle, so that what is alike in nothing but being a question comes out as 0."""

    def __init__(self, vectors: Sequence[Vector], owners: Sequence[int]) -> None:
        matrix = numpy.array([numpy.frombuffer(vector, dtype=numpy.float32) for vector in vectors])
        self._middle = matrix.mean(axis=0) if len(matrix) >= _ENOUGH else matrix.mean(axis=0) * 0.9
        self._matrix = self._from_the_middle(matrix)
        self._starts = numpy.searchsorted(numpy.array(owners), numpy.arange(owners[-1] + 1))

    def near(self, question: Vector) -> list[float]:
        """The likeness of each entry: that of its closest question."""
        vector = self._from_the_middle(numpy.frombuffer(question, dtype=numpy.float32)[None])[0]
        best: list[float] = numpy.maximum.reduceat(self._matrix @ vector, self._starts).tolist()
        return best

    def _from_the_middle(self, matrix: Matrix) -> Matrix:
        moved = matrix - self._middle
        unit: Matrix = moved / numpy.maximum(numpy.linalg.norm(moved, axis=1, keepdims=True), 1e-6)
        return unit
