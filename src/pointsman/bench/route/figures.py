"""What is told of routers beside each other: plain data, as --json writes it."""

from __future__ import annotations

import msgspec


class Interval(msgspec.Struct, frozen=True):
    """A difference, and where 95 of 100 resamples of the questions have it."""

    value: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        return self.low > 0 or self.high < 0


class Point(msgspec.Struct, frozen=True):
    """At a share of calls to the heavy model: mean quality, the gap recovered, and mean cost and latency where known."""

    calls: float
    quality: float
    recovered: float
    cost: float | None = None
    latency: float | None = None


class Method(msgspec.Struct, frozen=True):
    """`apgr`, `cpt50`, `cpt80` as learning/recovery.py defines them. `over_length`, `over_tfidf`: by how much its APGR is
    more, question by question paired."""

    name: str
    apgr: Interval
    cpt50: float
    cpt80: float
    curve: tuple[Point, ...]
    over_length: Interval | None = None
    over_tfidf: Interval | None = None


class SplitFigures(msgspec.Struct, frozen=True):
    """`split`: random folds, or tasks left out in turn."""

    split: str
    folds: int
    methods: tuple[Method, ...]


class PairFigures(msgspec.Struct, frozen=True):
    """Another light model beside the heavy one. `ours`: what the learnt router has more than length, by split."""

    light: str
    heavy: str
    questions: int
    gap: float
    length: float
    ours: dict[str, float]
    over_length: dict[str, Interval]


class Model(msgspec.Struct, frozen=True):
    """Means over the questions that it answered. `best`: no model, but the best answer that each question got."""

    name: str
    questions: int
    quality: float
    cost: float | None
    latency: float | None
    best: bool = False


class Swept(msgspec.Struct, frozen=True):
    """With so many choices right, the others wrong by chance (`chance`) or where the router is least sure (`doubt`): mean
    quality, share of calls to the heavy model, and mean cost where known."""

    accuracy: float
    chance: Point
    doubt: Point


class Sweep(msgspec.Struct, frozen=True):
    """`below`, `above`: points of quality (hundredths) that ten points of accuracy bring up to 85 % and from there, of
    errors by chance and by doubt. `steep`: errors by doubt cost at least half as much again from 85 % on."""

    right_heavy: float
    lines: tuple[Swept, ...]
    below_chance: float
    above_chance: float
    below_doubt: float
    above_doubt: float
    steep: bool


class RouteResults(msgspec.Struct, frozen=True):
    """`skipped`: peers that were not there, and why; `unshared`: questions that not both models answered."""

    kind: str
    machine: dict[str, object]
    file: str
    seed: int
    rounds: int
    questions: int
    unshared: int
    tasks: dict[str, int]
    light: str
    heavy: str
    why: str
    quality: tuple[float, float]
    models: tuple[Model, ...]
    splits: tuple[SplitFigures, ...]
    pairs: tuple[PairFigures, ...]
    sweep: Sweep | None
    versions: dict[str, str]
    skipped: dict[str, str] = {}
