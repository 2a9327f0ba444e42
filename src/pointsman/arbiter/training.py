"""From examples and their vectors to heads and a first calibration. Pure, in a fixed order: equal input, equal heads."""

from __future__ import annotations

from typing import NamedTuple

import numpy

from pointsman.arbiter.fitting import Judged, fit_calibration
from pointsman.arbiter.heads import (
    SIGNS,
    Heads,
    Meaning,
    Outside,
    scored,
    signs,
    summed,
)
from pointsman.arbiter.lesson import Lesson
from pointsman.arbiter.logistic import fit_logistic
from pointsman.arbiter.neighbours import bank_of, from_middle
from pointsman.arbiter.ngrams import counted
from pointsman.arbiter.softmax import Doubles, fit_softmax, minimised, probabilities
from pointsman.arbiter.sparse import Floats, Integers, Rows, Truths, vocabulary
from pointsman.arbiter.spelled import fit_spelled, shuffled
from pointsman.domain.intent import Calibration

STRENGTH = 10.0
ROUNDS = 60
_PIECES = 40_000
_NUMBERS = 6_000_000
"""Of the spelling head's weights: 24 MB."""
_LARGE = 4000
_USUAL_SIGNS = (-1.2, -0.8, 1.0, 0.7)
"""What the signs of being outside weigh where there are no texts outside to tell."""
_USUAL_ODDS = -4.0
_FIRMNESS = 3.0
_FEW_INTENTS = 15


class Trained(NamedTuple):
    heads: Heads
    calibration: Calibration


def outside_share(intents: int) -> float:
    """How much of what is heard is taken to be outside: nearly all with one intent, half with 15, a tenth with 150. Texts
    outside count accordingly in all fits, however many there are."""
    return _FEW_INTENTS / (_FEW_INTENTS + intents)


def train(lesson: Lesson) -> Trained:
    """Each example is scored once by heads that did not see it: from those scores come the scale, what tells texts
    outside, and the calibration; then the heads are made from all."""
    left_out, places = _left_out(lesson)
    labels = lesson.labels[places]
    inside = labels < lesson.intents
    scale = _scale(left_out.logits[inside][:, : lesson.intents], labels[inside])
    weights = _weights(inside, places >= len(lesson.texts) - lesson.background, lesson.intents)
    outside = _outside(signs(left_out.logits, left_out.near, lesson.intents), inside, weights)
    everything = numpy.arange(len(lesson.texts))
    heads = _heads(lesson, everything)._replace(scale=scale, outside=outside)
    found = probabilities(left_out.logits[:, : lesson.intents] * numpy.float32(scale))
    odds = outside.of(signs(left_out.logits, left_out.near, lesson.intents))
    judged = [
        Judged.of(lesson.names, found[row], float(odds[row]), labels[row].item(), float(weights[row]))
        for row in range(len(places))
    ]
    return Trained(heads, fit_calibration(judged))


class _LeftOut(NamedTuple):
    logits: Floats
    near: Floats


def _left_out(lesson: Lesson) -> tuple[_LeftOut, Integers]:
    """Of each text that may be left out, in order of their places, its logits by heads made without it. A class that has
    no other text is not judged."""
    classes = lesson.classes
    folds = _folds(lesson)
    logits = numpy.zeros((len(lesson.texts), classes), numpy.float32)
    near = numpy.zeros((len(lesson.texts), classes if lesson.vectors is not None else 0), numpy.float32)
    judged = numpy.zeros(len(lesson.texts), bool)
    for fold in range(int(folds.max(initial=-1)) + 1):
        held = numpy.flatnonzero(folds == fold)
        kept = numpy.flatnonzero(folds != fold)
        known = numpy.isin(lesson.labels[held], lesson.labels[kept])
        held = held[known]
        if not len(held) or not len(kept):
            continue
        heads = _heads(lesson, kept)
        rows = heads.vocabulary.rows(lesson.counts[place] for place in held.tolist())
        vectors = None if lesson.vectors is None else lesson.vectors[held]
        found, nearby = summed(heads, rows, vectors)
        logits[held], judged[held] = found, True
        near[held] = nearby
    places = numpy.flatnonzero(judged)
    return _LeftOut(logits[places], near[places]), places


def _folds(lesson: Lesson) -> Integers:
    """The part in which each text is left out: within a class in turn, in a mixed order. −1: never."""
    count = len(lesson.texts)
    parts = 4 if count <= 5000 else 3
    folds = numpy.full(count, -1, numpy.int64)
    for label in range(lesson.classes):
        places = numpy.flatnonzero((lesson.labels == label) & lesson.may_leave)
        folds[places[shuffled(len(places), label)]] = numpy.arange(len(places)) % parts
    return folds


def _heads(lesson: Lesson, places: Integers) -> Heads:
    counts = [lesson.counts[place] for place in places.tolist()]
    labels, classes = lesson.labels[places], lesson.classes
    most = min(_PIECES, max(_NUMBERS // classes, 2000))
    words = vocabulary(counts, 2 if len(counts) >= _LARGE else 1, most)
    spelling = fit_spelled(words.rows(counts), labels, classes, len(words.hashes))
    meaning = None
    if lesson.vectors is not None:
        vectors = lesson.vectors[places]
        middle: Floats = vectors.mean(axis=0)
        unit = from_middle(vectors, middle)
        weights, biases = fit_softmax(unit, labels, classes, STRENGTH, ROUNDS)
        meaning = Meaning(middle, weights, biases, bank_of(unit, labels, classes))
    flat = numpy.zeros(SIGNS, numpy.float32)
    nothing = Outside(flat, flat + 1, flat, 0.0)
    return Heads(lesson.names, words, spelling, meaning, 1.0, nothing, lesson.embedding)


def _scale(logits: Floats, labels: Integers) -> float:
    """By which probabilities are most likely; near 1 where few texts tell."""
    if not len(labels):
        return 1.0
    rows = numpy.arange(len(labels))

    def loss(point: Doubles) -> tuple[float, Doubles]:
        scale = float(numpy.exp(point[0]))
        found = probabilities((logits * scale).astype(numpy.float32))
        value = -float(numpy.log(numpy.maximum(found[rows, labels], 1e-12)).sum(dtype=numpy.float64))
        found[rows, labels] -= 1
        slope = float((found * logits).sum(dtype=numpy.float64)) * scale
        return value + 2.0 * point[0] ** 2, numpy.array([slope + 4.0 * point[0]])

    return float(numpy.exp(minimised(loss, numpy.zeros(1), 100, 1e-9)[0]))


def _outside(found: Floats, known: Truths, weights: Doubles) -> Outside:
    """Weights of the signs, fitted where there are texts outside."""
    usual = numpy.array(_USUAL_SIGNS)
    if not known.any():
        flat = numpy.zeros(SIGNS, numpy.float32)
        return Outside(flat, flat + 1, usual.astype(numpy.float32), _USUAL_ODDS)
    middle = found[known].mean(axis=0)
    spread = found[known].std(axis=0)
    spread[spread < 1e-4] = 1.0
    slopes, bias = usual, _USUAL_ODDS
    if not known.all():
        columns = ((found - middle) / spread).astype(numpy.float64)
        fitted = fit_logistic(columns, (~known).astype(numpy.float64), weights, usual, _FIRMNESS)
        slopes, bias = fitted[:-1], float(fitted[-1])
    return Outside(middle.astype(numpy.float32), spread.astype(numpy.float32), slopes.astype(numpy.float32), bias)


def _weights(inside: Truths, general: Truths, intents: int) -> Doubles:
    """Of each text in fits: those outside are together what `outside_share` says, half of that the background, where there
    are others."""
    weights = numpy.ones(len(inside))
    others = [part for part in (~inside & ~general, general) if part.any()]
    share = outside_share(intents)
    for part in others if inside.any() else ():
        weights[part] = share / (1 - share) * inside.sum() / len(others) / part.sum()
    return weights


def heard(heads: Heads, text: str, vector: Floats | None) -> tuple[Floats, float]:
    """Of one text: probabilities in the order of `heads.names`, log odds of being outside."""
    rows: Rows = heads.vocabulary.rows([counted(text)])
    found, odds = scored(heads, rows, None if vector is None else vector[None])
    return found[0], float(odds[0])
