"""Texts as sparse rows over a vocabulary of pieces: TF-IDF with damped counts, of unit length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy

Floats: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float32]]"
Integers: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.int64]]"
Truths: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.bool_]]"


class Rows(NamedTuple):
    """`columns` and `values` of row i lie at `starts[i]` to `starts[i + 1]`, columns rising."""

    starts: Integers
    columns: Integers
    values: Floats

    def __len__(self) -> int:
        return len(self.starts) - 1

    def taken(self, chosen: Integers) -> Rows:
        places = numpy.concatenate([numpy.arange(self.starts[i], self.starts[i + 1]) for i in chosen.tolist()])
        starts = numpy.concatenate([[0], numpy.cumsum(self.starts[chosen + 1] - self.starts[chosen])])
        return Rows(starts, self.columns[places], self.values[places])


class Vocabulary(NamedTuple):
    """`hashes` rise; `weights` is how much a piece says (inverse document frequency)."""

    hashes: Integers
    weights: Floats

    def row(self, counts: dict[int, int]) -> tuple[Integers, Floats]:
        """Columns, rising, and values of one text. Pieces that are not in the vocabulary count as nothing."""
        keys = numpy.fromiter(counts, numpy.int64, len(counts))
        keys.sort()
        places = numpy.searchsorted(self.hashes, keys)
        known = places < len(self.hashes)
        known[known] = self.hashes[places[known]] == keys[known]
        columns = places[known].astype(numpy.int64)
        often = numpy.array([counts[key] for key in keys[known].tolist()], numpy.float32)
        values: Floats = (1 + numpy.log(often)) * self.weights[columns]
        length = float(numpy.sqrt((values * values).sum()))
        return columns, (values / length if length else values).astype(numpy.float32)

    def rows(self, texts: Iterable[dict[int, int]]) -> Rows:
        each = [self.row(counts) for counts in texts]
        starts = numpy.cumsum([0, *(len(columns) for columns, _ in each)]).astype(numpy.int64)
        columns = numpy.concatenate([numpy.zeros(0, numpy.int64), *(columns for columns, _ in each)])
        return Rows(starts, columns, numpy.concatenate([numpy.zeros(0, numpy.float32), *(v for _, v in each)]))


def vocabulary(texts: Sequence[dict[int, int]], least: int, most: int) -> Vocabulary:
    """Of pieces in at least `least` of the texts, the `most` that are in most of them."""
    frequency: Counter[int] = Counter()
    for counts in texts:
        frequency.update(counts.keys())
    kept = [(count, key) for key, count in frequency.items() if count >= least]
    if len(kept) > most:
        kept = sorted(kept, key=lambda each: (-each[0], each[1]))[:most]
    hashes = numpy.array(sorted(key for _, key in kept), numpy.int64)
    often = numpy.array([frequency[key] for key in hashes.tolist()], numpy.float64)
    weights = numpy.log((1 + len(texts)) / (1 + often)) + 1
    return Vocabulary(hashes, weights.astype(numpy.float32))
