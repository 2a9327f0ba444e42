"""All questions, taken apart, and which of them hold what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce

from pointsman.offline.mining.fillers import FORMATS
from pointsman.offline.mining.parsed import ACT, FORMAT, Parsed


class Corpus:
    """`weights` say how often each question was asked. Sets of questions are bits of a number: the n-th is question n.
    `open` are the questions that a new rule could take; the rest is there to be told from."""

    def __init__(self, parsed: Sequence[Parsed], weights: Sequence[int], open: int | None = None) -> None:
        self.parsed = parsed
        self.weights = weights
        self.features = [each.features for each in parsed]
        self.total = sum(weights)
        self.all = (1 << len(parsed)) - 1
        self.open = self.all if open is None else open
        self.counts: Counter[str] = Counter()
        holding: dict[str, list[int]] = {}
        for place, (features, weight) in enumerate(zip(self.features, weights, strict=True)):
            for feature in features:
                self.counts[feature] += weight
                holding.setdefault(feature, []).append(place)
        self._holding = holding
        self._bits: dict[str, int] = {}
        self._plain = all(weight == 1 for weight in weights)

    def bits(self, feature: str) -> int:
        known = self._bits.get(feature)
        if known is None:
            known = self._bits[feature] = bits_of(self._holding.get(feature, ()))
        return known

    def with_all(self, features: Iterable[str]) -> list[int]:
        return places_of(self.holding(features))

    def holding(self, features: Iterable[str]) -> int:
        return reduce(lambda one, other: one & other, map(self.bits, features), self.all)

    def weight(self, bits: int) -> int:
        if self._plain:
            return bits.bit_count()
        return sum(self.weights[place] for place in places_of(bits))

    def makes(self, word: str, symbol: str) -> bool:
        """Whether the word is what this act or slot was seen by."""
        if symbol == FORMAT:
            return word in FORMATS
        act = symbol.removeprefix(ACT)
        for place in self._holding.get(word, ())[:50]:
            if any(word in seen or seen in word for seen in self.parsed[place].acts.get(act, ())):
                return True
        return False


def bits_of(places: Iterable[int]) -> int:
    """Quick also for many: bytes are filled, not a number rebuilt for each."""
    places = list(places)
    if not places:
        return 0
    data = bytearray(max(places) // 8 + 1)
    for place in places:
        data[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(data, "little")


def places_of(bits: int) -> list[int]:
    found = []
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    for number, byte in enumerate(data):
        if byte:
            base = number << 3
            found += [base + bit for bit in range(8) if byte >> bit & 1]
    return found
