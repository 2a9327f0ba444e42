"""How near a text is to the nearest examples of each intent, by what vectors mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy

from pointsman.arbiter.sparse import Floats, Integers

NEAREST = 3
"""Examples of one intent that count: their mean."""
NOWHERE = -1.0
"""Of an intent without examples."""


class Bank(NamedTuple):
    """Unit vectors of examples, those of one intent together; `starts[i]` to `starts[i + 1]` are those of intent i."""

    vectors: Floats
    starts: Integers


def from_middle(vectors: Floats, middle: Floats) -> Floats:
    moved = vectors - middle
    length = numpy.linalg.norm(moved, axis=1, keepdims=True)
    unit: Floats = (moved / numpy.maximum(length, 1e-6)).astype(numpy.float32)
    return unit


def bank_of(vectors: Floats, labels: Integers, classes: int) -> Bank:
    order = numpy.argsort(labels, kind="stable")
    starts = numpy.searchsorted(labels[order], numpy.arange(classes + 1)).astype(numpy.int64)
    return Bank(numpy.ascontiguousarray(vectors[order]), starts)


def nearness(bank: Bank, questions: Floats) -> Floats:
    """Cosines, one line a question, one column an intent."""
    likeness = questions @ bank.vectors.T
    classes = len(bank.starts) - 1
    found = numpy.full((len(questions), classes), NOWHERE, numpy.float32)
    for place in range(classes):
        part = likeness[:, bank.starts[place] : bank.starts[place + 1]]
        if part.shape[1] > NEAREST:
            part = numpy.partition(part, part.shape[1] - NEAREST, axis=1)[:, -NEAREST:]
        if part.shape[1]:
            found[:, place] = part.mean(axis=1)
    return found
