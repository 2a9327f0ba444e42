"""How questions are divided into those that are learnt from and those that are routed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy

Places: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.int64]]"
Split = Literal["random", "tasks"]


class Fold(NamedTuple):
    """Places of questions, rising; `out` are routed by what `rest` taught."""

    rest: Places
    out: Places


def random_folds(count: int, folds: int, seed: int) -> Iterator[Fold]:
    order = numpy.random.default_rng(seed).permutation(count)
    for part in range(folds):
        out = numpy.sort(order[part::folds])
        yield Fold(numpy.setdiff1d(order, out), out)


def task_folds(kinds: Sequence[str | None]) -> Iterator[Fold]:
    """Each task in turn is left out: routed by what all the others taught."""
    told = numpy.array([kind or "" for kind in kinds])
    for kind in sorted(set(told.tolist())):
        yield Fold(numpy.flatnonzero(told != kind), numpy.flatnonzero(told == kind))


def folds_of(split: Split, kinds: Sequence[str | None], folds: int, seed: int) -> list[Fold]:
    return list(random_folds(len(kinds), folds, seed) if split == "random" else task_folds(kinds))
