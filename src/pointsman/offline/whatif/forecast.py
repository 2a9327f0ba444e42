"""Several numbers of nodes, each simulated with the traffic as it was, and with draws of it for intervals.

A draw is as long as the log, of stretches of it with replacement (block bootstrap): bursts within a stretch stay as they
are, their order does not."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from pointsman.offline.whatif.asked import Asked
from pointsman.offline.whatif.simulate import Fleet, Run, simulate

BLOCKS = 40
GOAL = 2.0
"""Seconds that 99 of 100 wait at most where there are enough nodes."""
SHED = 0.01


class Range(msgspec.Struct, frozen=True):
    """A figure of the traffic as it was, and between what it lay in nine of ten draws."""

    value: float
    low: float
    high: float


class Row(msgspec.Struct, frozen=True):
    """Waits in seconds, shares from 0 to 1."""

    nodes: int
    p50: Range
    p95: Range
    p99: Range
    shed: Range
    use: Range
    loads: Range

    def suffices(self, goal: float) -> bool:
        return self.p99.value <= goal and self.shed.value <= SHED


class Draws(msgspec.Struct, frozen=True):
    """At most `most` requests of the traffic are simulated at a time: the newest."""

    count: int = 8
    seed: int = 1
    most: int = 20_000


def forecast(asked: Sequence[Asked], fleets: Sequence[Fleet], draws: Draws) -> list[Row]:
    """A row for each fleet."""
    newest = list(asked[-draws.most :])
    begin = newest[0].at if newest else 0.0
    moved = [msgspec.structs.replace(each, at=each.at - begin) for each in newest]
    drawn = [drawn_from(moved, draws.seed + number) for number in range(draws.count)]
    return [_row(fleet.nodes, _figures(moved, fleet), [_figures(each, fleet) for each in drawn]) for fleet in fleets]


def drawn_from(asked: Sequence[Asked], seed: int) -> list[Asked]:
    """As long, of stretches with replacement."""
    rng = random.Random(seed)  # noqa: S311
    long = (asked[-1].at if asked else 0.0) / BLOCKS or 1.0
    blocks: list[list[Asked]] = [[] for _ in range(BLOCKS)]
    for each in asked:
        blocks[min(int(each.at / long), BLOCKS - 1)].append(each)
    found = []
    for place in range(BLOCKS):
        taken = rng.randrange(BLOCKS)
        found += [msgspec.structs.replace(each, at=each.at + (place - taken) * long) for each in blocks[taken]]
    return sorted(found, key=lambda each: each.at)


def share_of(values: Sequence[float], share: float) -> float:
    """The smallest of the values that so large a share of them does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(max(round(share * len(ordered)) - 1, 0), len(ordered) - 1)] if ordered else 0.0


def _figures(asked: Sequence[Asked], fleet: Fleet) -> tuple[float, ...]:
    run: Run = simulate(asked, fleet)
    waits = [share_of(run.waits, share) for share in (0.5, 0.95, 0.99)]
    return (*waits, run.turned_away / max(len(asked), 1), run.use, float(run.loads))


def _row(nodes: int, whole: tuple[float, ...], drawn: Sequence[tuple[float, ...]]) -> Row:
    ranges = []
    for place, value in enumerate(whole):
        of = [value, *(each[place] for each in drawn)]
        ranges.append(Range(value, share_of(of, 0.05), share_of(of, 0.95)))
    return Row(nodes, *ranges)
