"""From questions that several models answered and their vectors to what the vectors add to a model of difficulties."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy

from pointsman.domain.meaning import SCALE
from pointsman.learning.dense_gap import SPELLED, DenseFit, fit_dense_gap, joined
from pointsman.learning.gap import fit_gap, gap_rows
from pointsman.learning.linear import decompressed
from pointsman.learning.pieces import pieces, plain
from pointsman.learning.recovery import Doubles
from pointsman.offline.training.difficulty import Asked, knots_of, unseen_folds
from pointsman.offline.training.tasks_meaning import meaning_of
from pointsman.offline.training.vectors import Vectors
from pointsman.routing.classifier.difficulty import (
    FORMAT_MEANING,
    UNIT,
    Difficulty,
    DifficultyByMeaning,
    DifficultyFile,
    difficulty_bytes,
)


def with_meaning(data: bytes, asked: Sequence[Asked], vectors: Vectors, general: Difficulty, pull: float) -> bytes:
    """`data`: of a model that was `trained` of these very questions by their spelling, with that `general` model and `pull`.
    Calibration is by fits that did not see the question."""
    told = msgspec.msgpack.decode(decompressed(data), type=DifficultyFile)
    rows = floats_of(vectors)
    gaps = numpy.array([each.gap for each in asked])
    fit = fit_dense_gap(rows, gaps)
    weights = fit.weights / fit.spread * UNIT
    stored = meaning_of(vectors, (weights / SCALE)[:, None], numpy.array([-float(fit.mean @ weights)]))
    knots = knots_of(asked, _unseen(asked, rows, gaps, general, pull))
    meaning = DifficultyByMeaning(stored, SPELLED, knots)
    return difficulty_bytes(msgspec.structs.replace(told, format=FORMAT_MEANING, meaning=meaning))


def floats_of(vectors: Vectors) -> Doubles:
    return vectors.rows.astype(numpy.float64) / SCALE


def _unseen(asked: Sequence[Asked], rows: Doubles, gaps: Doubles, general: Difficulty, pull: float) -> Doubles:
    texts = [each.question for each in asked]
    known = [pieces(plain(text)) for text in texts]
    spelled_rows, _ = gap_rows(known)
    score = numpy.array(general.general_scores(texts, known))
    found = numpy.zeros(len(texts))
    for rest, out in unseen_folds(len(texts)):
        spelled = fit_gap(spelled_rows.taken(rest), score[rest], gaps[rest], pull)
        meant: DenseFit = fit_dense_gap(rows[rest], gaps[rest])
        found[out] = joined(spelled.comparable(spelled_rows.taken(out), score[out]), meant.scores(rows[out]))
    return found
