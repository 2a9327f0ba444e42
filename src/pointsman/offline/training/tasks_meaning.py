"""From texts with their task types and their vectors to what the vectors add to a model of task types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec
import numpy

from pointsman.arbiter.softmax import fit_softmax
from pointsman.domain.meaning import SCALE
from pointsman.learning.dense import MOST, stored_dense
from pointsman.offline.training.tasks import FOLDS, Labelled, Trained, folds_of, judged_by
from pointsman.offline.training.vectors import Coordinates, Vectors
from pointsman.routing.classifier.meaning import StoredMeaning
from pointsman.routing.classifier.tasks import FORMAT_MEANING, TasksByMeaning

Floats: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float32]]"
_UNIT = 1 << 16
_STRENGTH, _ROUNDS = 10.0, 100
_LIFT = 2.0
"""By which coordinates are multiplied, less their means: rows then are about as long as one."""
SHARES = (0, 64, 128, 192, 256, 320, 384)
"""How much of the logits of the pieces may be added, in 256ths."""


def with_meaning(trained: Trained, texts: Sequence[Labelled], vectors: Vectors) -> Trained:
    """`trained` of these very texts by their spelling. Each is judged by a model that saw neither it nor what is nearly the
    same; how much the spelling counts is what makes the right tasks of these texts likeliest."""
    names = trained.file.linear.heads
    labels = numpy.array([names.index(text.task) for text in texts], numpy.int64)
    parts = numpy.array(folds_of([text.text for text in texts]))
    spelled = numpy.array(trained.logits, numpy.int64)
    unseen = numpy.zeros(spelled.shape, numpy.int64)
    for fold in range(FOLDS):
        kept, held = numpy.flatnonzero(parts != fold), numpy.flatnonzero(parts == fold)
        weights, starts = _fitted(vectors.rows[kept], labels[kept], len(names))
        found = vectors.rows[held].astype(numpy.float64) @ weights + starts
        unseen[held] = numpy.rint(found * _UNIT).astype(numpy.int64)
    share = min(SHARES, key=lambda each: _loss(unseen + (spelled * each >> 8), labels))
    logits = (unseen + (spelled * share >> 8)).tolist()
    judged, knots, least = judged_by(logits, names, texts)
    heads = _stored(vectors, *_fitted(vectors.rows, labels, len(names)))
    file = msgspec.structs.replace(
        trained.file, format=FORMAT_MEANING, meaning=TasksByMeaning(heads, share, knots, least)
    )
    return Trained(file, judged, tuple(map(tuple, logits)))


def _fitted(rows: Coordinates, labels: Any, heads: int) -> tuple[Any, Any]:
    """Weights (coordinates by heads) and starts, for coordinates as they are."""
    floats: Floats = rows.astype(numpy.float32) * numpy.float32(_LIFT / SCALE)
    middle = floats.mean(axis=0)
    weights, starts = fit_softmax(floats - middle, labels, heads, _STRENGTH, _ROUNDS)
    wide = weights.astype(numpy.float64)
    return wide * _LIFT / SCALE, starts.astype(numpy.float64) - middle.astype(numpy.float64) @ wide


def _stored(vectors: Vectors, weights: Any, starts: Any) -> StoredMeaning:
    return meaning_of(vectors, weights * _UNIT, starts * _UNIT)


def meaning_of(vectors: Vectors, weights: Any, starts: Any) -> StoredMeaning:
    """In whole numbers, as fine as a file has them."""
    largest = max(float(numpy.abs(weights).max()), 1e-9)
    shift = max(min(int(numpy.floor(numpy.log2(MOST / largest))), 24), 0)
    whole = numpy.rint(weights * 2.0**shift).astype(int).tolist()
    return StoredMeaning(
        vectors.embedder, stored_dense(whole, numpy.rint(starts * 2.0**shift).astype(int).tolist()), shift
    )


def _loss(logits: Any, labels: Any) -> float:
    """Mean of −log of the right task's probability."""
    figures = logits / _UNIT
    figures -= figures.max(axis=1, keepdims=True)
    sums = numpy.log(numpy.exp(figures).sum(axis=1))
    return float((sums - figures[numpy.arange(len(labels)), labels]).mean())
