"""What is learnt from: examples of intents, what they are said to be, and texts that are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from pointsman.arbiter.cut import cut
from pointsman.arbiter.neighbours import from_middle
from pointsman.arbiter.ngrams import counted
from pointsman.arbiter.sparse import Floats, Integers, Truths
from pointsman.domain.intent import Intent

_LIKE, _LEAST_LIKE = 0.6, 0.4
"""Cosines, means taken away, from which a text is like an example."""
_FEW = 4
MOST_TEXTS = 20_000
"""More take too long. Then as many of each intent are learnt from, its first ones."""


class Lesson(NamedTuple):
    """`labels` are places in `names`; one more for texts outside, where there are some. `may_leave`: it is an example, not
    a description, so heads may be judged by it. `vectors` are those of `texts`, where there is an embedding model."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    labels: Integers
    may_leave: Truths
    counts: tuple[dict[int, int], ...]
    vectors: Floats | None = None
    embedding: str | None = None
    background: int = 0
    """The last texts are of the background: outside, and known by pieces and vectors alone."""

    @property
    def intents(self) -> int:
        return len(self.names)

    @property
    def classes(self) -> int:
        return self.intents + bool((self.labels == self.intents).any())


def lesson_of(intents: Sequence[Intent], outside: Sequence[str] = ()) -> Lesson:
    """Texts as they will be heard: cut. Counter-examples are outside. Intents in the order of their names; a text that
    occurs twice in an intent is learnt once; one that is outside and an example is an example."""
    ordered = sorted(intents, key=lambda intent: intent.name)
    names = tuple(intent.name for intent in ordered)
    most = max(MOST_TEXTS // (len(names) + 1), 1)
    texts: list[str] = []
    labels: list[int] = []
    may_leave: list[bool] = []

    def put(found: Sequence[str], label: int, example: bool, limit: int) -> set[str]:
        kept = list(dict.fromkeys(text for text in (cut(each)[0] for each in found) if text))[:limit]
        texts.extend(kept)
        labels.extend([label] * len(kept))
        may_leave.extend([example] * len(kept))
        return set(kept)

    known: set[str] = set()
    for label, intent in enumerate(ordered):
        known |= put(intent.examples, label, True, most)
        known |= put([text for text in described(intent) if text not in known], label, False, most)
    others = [text for intent in ordered for text in intent.counter_examples] + list(outside)
    put([text for text in others if cut(text)[0] not in known], len(names), True, max(most, MOST_TEXTS // 10))
    return Lesson(
        names,
        tuple(texts),
        numpy.array(labels, numpy.int64),
        numpy.array(may_leave, bool),
        tuple(map(counted, texts)),
    )


def described(intent: Intent) -> list[str]:
    """What it is said to be; its name, where there is no more."""
    return [text for _, text in sorted(intent.about.items())] or [intent.name.replace("_", " ")]


def with_background(lesson: Lesson, counts: Sequence[dict[int, int]], vectors: Floats | None) -> Lesson:
    """With more texts outside. `vectors` are theirs; None where the lesson has none."""
    more = len(counts)
    return lesson._replace(
        texts=(*lesson.texts, *([""] * more)),
        labels=numpy.concatenate([lesson.labels, numpy.full(more, lesson.intents, numpy.int64)]),
        may_leave=numpy.concatenate([lesson.may_leave, numpy.ones(more, bool)]),
        counts=(*lesson.counts, *counts),
        vectors=None if lesson.vectors is None or vectors is None else numpy.concatenate([lesson.vectors, vectors]),
        background=more,
    )


def unlike(lesson: Lesson, vectors: Floats) -> Integers:
    """Places of those `vectors` that are no nearer to any example than examples of one intent are to each other: what is as
    near as that may well be one of the intents, and is no text outside."""
    inside = lesson.labels < lesson.intents
    assert lesson.vectors is not None
    examples, labels = lesson.vectors[inside], lesson.labels[inside]
    if not len(examples):
        return numpy.arange(len(vectors))
    middle = numpy.concatenate([examples, vectors]).mean(axis=0)
    ours, theirs = from_middle(examples, middle), from_middle(vectors, middle)
    bounds = numpy.full(lesson.intents, _LIKE, numpy.float32)
    for label in range(lesson.intents):
        group = ours[labels == label]
        if len(group) > _FEW:
            likeness = group @ group.T
            numpy.fill_diagonal(likeness, -1.0)
            bounds[label] = min(max(float(numpy.median(likeness.max(axis=1))), _LEAST_LIKE), _LIKE)
    over = (theirs @ ours.T - bounds[labels]).max(axis=1)
    return numpy.flatnonzero(over < 0)
