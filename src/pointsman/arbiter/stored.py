"""Heads with their calibration as bytes, and back. Pure."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import numpy

from pointsman.arbiter.heads import Heads, Meaning, Outside
from pointsman.arbiter.lesson import Lesson
from pointsman.arbiter.neighbours import Bank
from pointsman.arbiter.sparse import Vocabulary
from pointsman.arbiter.training import Trained
from pointsman.domain.intent import Calibration

FORM = 6
"""Of these bytes, and of how heads are trained: another number, and all are trained anew."""


class Kept(msgspec.Struct, frozen=True):
    """Arrays by name: type, shape, content."""

    form: int
    names: tuple[str, ...]
    embedding: str | None
    scale: float
    bias: float
    calibration: Calibration
    arrays: dict[str, tuple[str, tuple[int, ...], bytes]]


def encoded(trained: Trained) -> bytes:
    heads, meaning = trained.heads, trained.heads.meaning
    arrays: dict[str, Any] = {
        "hashes": heads.vocabulary.hashes,
        "frequency": heads.vocabulary.weights,
        "spelling": heads.spelling,
        "outside_middle": heads.outside.middle,
        "outside_spread": heads.outside.spread,
        "outside_weights": heads.outside.weights,
    }
    if meaning is not None:
        arrays |= {
            "middle": meaning.middle,
            "weights": meaning.weights,
            "biases": meaning.biases,
            "bank": meaning.bank.vectors,
            "starts": meaning.bank.starts,
        }
    content = {
        name: (array.dtype.str, array.shape, numpy.ascontiguousarray(array).tobytes()) for name, array in arrays.items()
    }
    kept = Kept(FORM, heads.names, heads.embedding, heads.scale, heads.outside.bias, trained.calibration, content)
    return msgspec.msgpack.encode(kept)


def decoded(data: bytes) -> Trained:
    """Raises ValueError where it is no such thing, or of another form."""
    kept = msgspec.msgpack.decode(data, type=Kept)
    if kept.form != FORM:
        raise ValueError("heads of another form")
    array: dict[str, Any] = {
        name: numpy.frombuffer(content, numpy.dtype(kind)).reshape(shape)
        for name, (kind, shape, content) in kept.arrays.items()
    }
    try:
        meaning = None
        if kept.embedding is not None:
            bank = Bank(array["bank"], array["starts"])
            meaning = Meaning(array["middle"], array["weights"], array["biases"], bank)
        outside = Outside(array["outside_middle"], array["outside_spread"], array["outside_weights"], kept.bias)
        words = Vocabulary(array["hashes"], array["frequency"])
        heads = Heads(kept.names, words, array["spelling"], meaning, kept.scale, outside, kept.embedding)
    except KeyError as error:
        raise ValueError(f"heads without {error}") from None
    return Trained(heads, kept.calibration)


def lesson_hash(lesson: Lesson, *more: str | None) -> str:
    """Of all that heads are made from: texts, what each is, the embedding model, the form, and what else there is."""
    parts = (
        FORM,
        lesson.names,
        lesson.texts,
        lesson.labels.tolist(),
        lesson.may_leave.tolist(),
        lesson.embedding,
        *more,
    )
    return hashlib.sha256(msgspec.msgpack.encode(parts)).hexdigest()[:12]


def calibration_hash(calibration: Calibration) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(calibration)).hexdigest()[:6]
