"""What training gives: everything that turns a text and its vector into scores of intents."""

from __future__ import annotations

from typing import NamedTuple

import numpy

from pointsman.arbiter.neighbours import Bank, from_middle, nearness
from pointsman.arbiter.softmax import probabilities
from pointsman.arbiter.sparse import Floats, Rows, Vocabulary
from pointsman.arbiter.spelled import spelled_logits

MEANING, SPELLING, NEAR = 1.0, 0.4, 6.0
"""Shares of the three views in the sum of their logits; the whole is scaled to fit. Chosen on CLINC150 and thirty Chinese
intents: docs/arbiter/training.md."""
SIGNS = 4
"""Of being outside: see `signs`."""


class Meaning(NamedTuple):
    """The view of the embedding: vectors less `middle`, made unit again; a linear head, and the examples themselves."""

    middle: Floats
    weights: Floats
    biases: Floats
    bank: Bank

    def moved(self, vectors: Floats) -> Floats:
        return from_middle(vectors, self.middle)


class Outside(NamedTuple):
    """The log odds of being outside: the signs, less `middle`, over `spread`, by `weights`, plus `bias`."""

    middle: Floats
    spread: Floats
    weights: Floats
    bias: float

    def of(self, found: Floats) -> Floats:
        odds: Floats = ((found - self.middle) / self.spread @ self.weights).astype(numpy.float32)
        return odds + numpy.float32(self.bias)


class Heads(NamedTuple):
    """Classes are the intents, and after them, where there were texts of none, `outside` as one more. `embedding` is the
    model whose vectors `meaning` takes; without one, spelling alone speaks."""

    names: tuple[str, ...]
    vocabulary: Vocabulary
    spelling: Floats
    meaning: Meaning | None
    scale: float
    outside: Outside
    embedding: str | None


def summed(heads: Heads, rows: Rows, vectors: Floats | None) -> tuple[Floats, Floats]:
    """Logits of all classes before scaling, and the nearness of each (empty without vectors)."""
    logits = SPELLING * spelled_logits(heads.spelling, rows)
    meaning = heads.meaning
    if meaning is None or vectors is None:
        return logits / SPELLING, numpy.zeros((len(rows), 0), numpy.float32)
    moved = meaning.moved(vectors)
    near = nearness(meaning.bank, moved)
    logits = logits + MEANING * (moved @ meaning.weights + meaning.biases) + NEAR * near
    return logits.astype(numpy.float32), near


def signs(logits: Floats, near: Floats, intents: int) -> Floats:
    """What tells texts outside: how strongly the best intent speaks, how near its examples are, and by how much the class
    of texts outside is ahead of it in both (nothing where there is none)."""
    found = numpy.zeros((len(logits), SIGNS), numpy.float32)
    found[:, 0] = logits[:, :intents].max(axis=1)
    apart = logits.shape[1] > intents
    if apart:
        found[:, 2] = logits[:, intents] - found[:, 0]
    if near.shape[1]:
        found[:, 1] = near[:, :intents].max(axis=1)
        if apart:
            found[:, 3] = near[:, intents] - found[:, 1]
    return found


def scored(heads: Heads, rows: Rows, vectors: Floats | None) -> tuple[Floats, Floats]:
    """Probabilities of the intents, given that it is one of them; log odds of being outside. One line a text."""
    logits, near = summed(heads, rows, vectors)
    intents = len(heads.names)
    return probabilities(logits[:, :intents] * numpy.float32(heads.scale)), heads.outside.of(
        signs(logits, near, intents)
    )
