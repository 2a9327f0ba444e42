"""How close entries are to a question by their words, which are weighed by how rare they are, as BM25 does. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from pointsman.actions.faq.entry import Entry
from pointsman.actions.faq.units import same, units_of

_ASKED, _KEYWORD, _TAG, _ANSWER = 1.0, 1.0, 0.5, 0.4
_UNKNOWN = 0.5
"""Of the weight of the rarest: words that no entry has say that something else is asked."""
_MANY = 200
"""Entries that share a unit, or a twentieth of all: it tells too little to be looked up."""
_MOST = 60
"""Units of a question that are looked at, the rarest."""


class Near(msgspec.Struct, gc=False):
    """An entry by its place. `likeness` is that of its closest question (a cosine), `covered` how much of the question the
    entry speaks of."""

    place: int
    likeness: float
    covered: float


class Keywords:
    """Over entries. Made in a thread or at load: it takes time with their number; asking does not much."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._variants: list[int] = []
        self._exact: dict[str, int] = {}
        asked: list[dict[str, float]] = []
        about: list[dict[str, float]] = []
        for place, entry in enumerate(entries):
            fields: dict[str, float] = {}
            for texts, worth in (
                (entry.questions, _ASKED),
                (entry.keywords, _KEYWORD),
                (entry.tags, _TAG),
                (tuple(entry.answers.values()), _ANSWER),
            ):
                for text in texts:
                    units = units_of(text[:2000])
                    for unit in units:
                        fields[unit] = max(fields.get(unit, 0.0), worth)
                    if worth == _ASKED and texts is entry.questions:
                        asked.append(units)
                        self._variants.append(place)
                        self._exact.setdefault(same(text), place)
            about.append(fields)
        counts = Counter(unit for fields in about for unit in fields)
        most = len(entries)
        self._rarity = {unit: math.log1p(most / count) for unit, count in counts.items()}
        self._many = max(_MANY, most // 20)
        self._unknown = _UNKNOWN * math.log1p(2 * most)
        self._norms: list[float] = []
        self._asked: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._about: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, units in enumerate(asked):
            weights = {unit: worth * self._rarity[unit] for unit, worth in units.items()}
            self._norms.append(math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0)
            for unit, weight in weights.items():
                self._asked[unit].append((number, weight))
        for place, fields in enumerate(about):
            for unit, worth in fields.items():
                self._about[unit].append((place, worth))

    def near(self, question: str) -> list[Near]:
        """All entries that share a word with it, in the order of the file."""
        units = units_of(question)
        weights = {unit: worth * self._rarity.get(unit, self._unknown) for unit, worth in units.items()}
        norm = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        whole = sum(weights.values()) or 1.0
        dots: dict[int, float] = defaultdict(float)
        covered: dict[int, float] = defaultdict(float)
        for unit in self._telling(weights):
            weight = weights[unit]
            for number, other in self._asked.get(unit, ()):
                dots[number] += weight * other
            for place, worth in self._about[unit]:
                covered[place] += weight * worth
        best: dict[int, float] = {}
        for number, dot in dots.items():
            place, likeness = self._variants[number], dot / (norm * self._norms[number])
            if likeness > best.get(place, 0.0):
                best[place] = likeness
        exact = self._exact.get(same(question))
        if exact is not None:
            best[exact], covered[exact] = 1.0, whole
        return [
            Near(place, min(best.get(place, 0.0), 1.0), min(covered[place] / whole, 1.0)) for place in sorted(covered)
        ]

    def _telling(self, weights: dict[str, float]) -> list[str]:
        """The rarest units of a question; those that many entries have are looked at only where there are no others."""
        known = sorted((unit for unit in weights if unit in self._rarity), key=lambda unit: (-weights[unit], unit))
        rare = [unit for unit in known if len(self._about[unit]) <= self._many]
        return (rare or known[:2])[:_MOST]

    def shared(self, question: str, entry: Entry) -> list[str]:
        """The words that both have, the most telling first: why it was found."""
        units = units_of(question)
        theirs = {unit for text in (*entry.questions, *entry.keywords) for unit in units_of(text)}
        both = [unit for unit in units if unit in theirs and len(unit) > 1]
        return sorted(both, key=lambda unit: (-units[unit] * self._rarity.get(unit, 0.0), unit))[:8]
