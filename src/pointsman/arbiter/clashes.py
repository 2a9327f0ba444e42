"""Examples that pull two ways: the same text, or nearly, under two intents."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from pointsman.arbiter.ngrams import counted, plain
from pointsman.domain.intent import Intent

ALIKE = 0.8
"""The share of pieces in common, of all that either has, from which two texts are nearly the same."""
_SKETCH = 6
_CROWD = 50
"""Texts with one sketch in common beyond which only neighbours are compared."""
_BETWEEN = re.compile(r"[\W_]+")


class Clash(msgspec.Struct, frozen=True, order=True):
    """`text` is an example of `intent`, `other_text` one of `other`. Where both are the same intent, `other_text` is one of
    its counter-examples. `same`: they differ in nothing that is read."""

    intent: str
    other: str
    text: str
    other_text: str
    same: bool


def clashes(intents: Sequence[Intent]) -> tuple[Clash, ...]:
    """In order of names and texts. Each pair once."""
    texts = [(intent.name, text, False) for intent in intents for text in intent.examples]
    texts += [(intent.name, text, True) for intent in intents for text in intent.counter_examples]
    found: set[Clash] = set()
    for first, second in _near(texts):
        (name, text, against), (other, other_text, other_against) = texts[first], texts[second]
        if (against or other_against) if name != other else against == other_against:
            continue
        if against or ((name, text) > (other, other_text) and not other_against):
            (name, text), (other, other_text) = (other, other_text), (name, text)
        found.add(Clash(name, other, text, other_text, _bare(text) == _bare(other_text)))
    return tuple(sorted(found))


def _near(texts: Sequence[tuple[str, str, bool]]) -> set[tuple[int, int]]:
    """Places of texts that are nearly the same. Such texts have nearly the same pieces, so nearly always one of the few
    smallest hashes in common: only those that do are compared."""
    pieces = [frozenset(counted(text)) for _, text, _ in texts]
    heaps: dict[object, list[int]] = defaultdict(list)
    for place, found in enumerate(pieces):
        for key in sorted(found)[:_SKETCH]:
            heaps[key].append(place)
        heaps[_bare(texts[place][1])].append(place)
    pairs: set[tuple[int, int]] = set()
    for heap in heaps.values():
        near = itertools.combinations(heap, 2) if len(heap) <= _CROWD else itertools.pairwise(heap)
        for first, second in near:
            if (first, second) in pairs:
                continue
            a, b = pieces[first], pieces[second]
            same = _bare(texts[first][1]) == _bare(texts[second][1])
            if same or (a and b and len(a & b) >= ALIKE * len(a | b)):
                pairs.add((first, second))
    return pairs


def _bare(text: str) -> str:
    """Letters and digits alone."""
    return _BETWEEN.sub("", plain(text))
