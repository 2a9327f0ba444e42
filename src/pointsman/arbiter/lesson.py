"""What is learnt from: examples of intents, what they are said to be, and texts that are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from pointsman.arbiter.cut import cut
from pointsman.arbiter.ngrams import counted
from pointsman.arbiter.sparse import Floats, Integers, Truths
from pointsman.domain.intent import Intent

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
