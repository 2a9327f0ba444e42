"""Leader clustering in two passes, without a number of clusters to guess.

First each question joins the heap of the leader that it is most like, or leads one of its own. Then each heap has its
mean, heaps whose means are alike become one, and every question goes to the mean that it is nearest to. Whom to compare
with is looked up by a question's rarest grams, so the time is about linear in the number of questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from pointsman.offline.gaps.vectors import Vector, cosine

_LIKE_LEADER = 0.42
_LIKE_MEAN = 0.4
_SAME = 0.55  # of two means
_KEYS = 8  # grams by which others are looked up
_MOST_LEADERS = 60  # that are remembered by one gram
_LENGTH = 60  # grams of a mean


def heaps(vectors: Sequence[Vector], weights: Sequence[int], shared: bytearray) -> list[list[int]]:
    """Places of vectors that are alike, the heaviest heap first; `shared` says of each gram whether two texts have it. What
    is like nothing else is in none; a text that alone weighs more than 1 is a heap."""
    order = sorted(range(len(vectors)), key=lambda place: (-weights[place], -len(vectors[place]), place))
    first = _led(vectors, order, shared)
    means = [_mean(vectors, weights, heap) for heap in first if len(heap) > 1 or weights[heap[0]] > 1]
    means = _joined(means, shared)
    found: list[list[int]] = [[] for _ in means]
    index = _Index(_KEYS * 3, shared)
    for number, mean in enumerate(means):
        index.add(number, mean)
    for place in order:
        best, number = index.nearest(vectors[place], means)
        if number >= 0 and best >= _LIKE_MEAN:
            found[number].append(place)
    full = [heap for heap in found if sum(weights[place] for place in heap) > 1]
    return sorted(full, key=lambda heap: (-sum(weights[place] for place in heap), heap))


def medoid(vectors: Sequence[Vector], weights: Sequence[int], heap: Sequence[int]) -> int:
    """The one that all others are most like."""
    mean = _mean(vectors, weights, heap)
    return max(heap, key=lambda place: (cosine(vectors[place], mean), weights[place], -place))


class _Index:
    """Vectors by their heaviest grams that others can have."""

    def __init__(self, keys: int, shared: bytearray) -> None:
        self._keys = keys
        self._shared = shared
        self._by_gram: dict[int, list[int]] = {}

    def add(self, number: int, vector: Vector) -> None:
        for gram in self._by(vector, self._keys):
            numbers = self._by_gram.setdefault(gram, [])
            if len(numbers) < _MOST_LEADERS:
                numbers.append(number)

    def nearest(self, vector: Vector, among: Sequence[Vector]) -> tuple[float, int]:
        """(cosine, number), or number -1 where nothing has a gram in common."""
        seen = {number for gram in self._by(vector, _KEYS) for number in self._by_gram.get(gram, ())}
        best, found = 0.0, -1
        for number in seen:
            like = cosine(vector, among[number])
            if like > best or (like == best and found > number):
                best, found = like, number
        return best, found

    def _by(self, vector: Vector, count: int) -> list[int]:
        shared = self._shared
        return _heaviest({gram: weight for gram, weight in vector.items() if shared[gram]} or vector, count)


def _led(vectors: Sequence[Vector], order: Iterable[int], shared: bytearray) -> list[list[int]]:
    leaders: list[Vector] = []
    found: list[list[int]] = []
    index = _Index(_KEYS, shared)
    for place in order:
        vector = vectors[place]
        best, number = index.nearest(vector, leaders)
        if number >= 0 and best >= _LIKE_LEADER:
            found[number].append(place)
            continue
        index.add(len(leaders), vector)
        leaders.append(vector)
        found.append([place])
    return found


def _joined(means: list[Vector], shared: bytearray) -> list[Vector]:
    """Without means that are nearly another one's."""
    kept: list[Vector] = []
    index = _Index(_KEYS * 2, shared)
    for mean in means:
        best, number = index.nearest(mean, kept)
        if number >= 0 and best >= _SAME:
            continue
        index.add(len(kept), mean)
        kept.append(mean)
    return kept


def _mean(vectors: Sequence[Vector], weights: Sequence[int], heap: Iterable[int]) -> Vector:
    summed: Vector = {}
    for place in heap:
        for gram, weight in vectors[place].items():
            summed[gram] = summed.get(gram, 0.0) + weight * weights[place]
    kept = {gram: summed[gram] for gram in _heaviest(summed, _LENGTH)}
    length = sqrt(sum(weight * weight for weight in kept.values())) or 1.0
    return {gram: weight / length for gram, weight in kept.items()}


def _heaviest(vector: Vector, count: int) -> list[int]:
    if len(vector) <= count:
        return list(vector)
    return sorted(vector, key=lambda gram: (-vector[gram], gram))[:count]
