"""The head over pieces of spelling: softmax regression on sparse rows by steps over small batches, in a fixed order."""

from __future__ import annotations

import numpy

from pointsman.arbiter.softmax import probabilities
from pointsman.arbiter.sparse import Floats, Integers, Rows

_MANY = 200
"""Intents from which training is kept short."""


def fit_spelled(rows: Rows, labels: Integers, classes: int, width: int) -> Floats:
    """Weights, `width` by `classes`. Long steps, which end at nothing: what is seldom seen is learnt as fast as what is
    common, and stopping early takes the place of a penalty."""
    count = len(rows)
    large = count >= 4000 or classes >= _MANY
    batch, stride = (64, 300.0) if large else (16, 100.0)
    rounds = min(max(100_000 // max(count, 1), 6), 8 if classes >= _MANY else 20)
    weights = numpy.zeros((width, classes), numpy.float32)
    for turn in range(rounds):
        order = shuffled(count, turn)
        for at in range(0, count, batch):
            chosen = order[at : at + batch]
            size = stride * (1 - (turn * count + at) / (rounds * count))
            _step(weights, rows.taken(chosen), labels[chosen], size / len(chosen))
    return weights


def _step(weights: Floats, rows: Rows, labels: Integers, size: float) -> None:
    columns, places = numpy.unique(rows.columns, return_inverse=True)
    count = len(rows)
    dense = numpy.zeros((count, len(columns)), numpy.float32)
    dense[numpy.repeat(numpy.arange(count), numpy.diff(rows.starts)), places] = rows.values
    wrong = probabilities(dense @ weights[columns])
    wrong[numpy.arange(count), labels] -= 1
    weights[columns] -= numpy.float32(size) * (dense.T @ wrong)


def spelled_logits(weights: Floats, rows: Rows) -> Floats:
    """One line a row."""
    found = numpy.zeros((len(rows), weights.shape[1]), numpy.float32)
    for i in range(len(rows)):
        part = slice(rows.starts[i], rows.starts[i + 1])
        found[i] = rows.values[part] @ weights[rows.columns[part]]
    return found


def shuffled(count: int, turn: int) -> Integers:
    """0 to count − 1 in an order that depends on nothing else: sorted by mixed-up numbers (splitmix64)."""
    mixed = numpy.arange(count, dtype=numpy.uint64) + numpy.uint64((turn + 1) * 0x9E3779B97F4A7C15 % 2**64)
    with numpy.errstate(over="ignore"):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> numpy.uint64(shift))) * numpy.uint64(factor)
    mixed ^= mixed >> numpy.uint64(31)
    return numpy.argsort(mixed, kind="stable").astype(numpy.int64)
