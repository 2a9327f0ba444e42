"""What is asked of the nodes, and what the best possible order of it would be. All of it follows from a seed.

Times of service are heavy-tailed (a bounded Pareto distribution): a few requests take fifty times as long as most, which is
what replies of language models are like, and what makes a bad choice of the node dear."""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence

import msgspec

TAIL = 1.5
SPAN = 60.0
"""The longest time of service is so many times the shortest."""


class Work(msgspec.Struct, frozen=True):
    """One request: it comes `at` seconds after the beginning, and takes a slot for `seconds`."""

    number: int
    at: float
    seconds: float


def services(count: int, mean: float, seed: int) -> list[float]:
    """So many times of service, whose mean is exactly `mean`."""
    rng = random.Random(seed)  # noqa: S311
    cut = 1.0 - SPAN**-TAIL
    drawn = [(1.0 - rng.random() * cut) ** (-1.0 / TAIL) for _ in range(count)]
    scale = mean * count / sum(drawn)
    return [each * scale for each in drawn]


def arrivals(count: int, rate: float, mean: float, seed: int) -> list[Work]:
    """A Poisson process of `rate` a second."""
    rng = random.Random(seed + 1)  # noqa: S311
    at, found = 0.0, []
    for number, seconds in enumerate(services(count, mean, seed)):
        at += rng.expovariate(rate)
        found.append(Work(number, at, seconds))
    return found


def central(work: Sequence[Work], slots: int) -> list[float]:
    """How long each would wait in one queue before all slots, first come, first served."""
    free = [0.0] * slots
    waits = []
    for each in work:
        begins = max(heapq.heappop(free), each.at)
        waits.append(begins - each.at)
        heapq.heappush(free, begins + each.seconds)
    return waits


def in_turn(work: Sequence[Work], nodes: int, slots: int) -> list[float]:
    """The same where each node has its own queue, and requests go to the nodes by turns."""
    waits = [0.0] * len(work)
    for node in range(nodes):
        own = [place for place in range(len(work)) if place % nodes == node]
        for place, wait in zip(own, central([work[place] for place in own], slots), strict=True):
            waits[place] = wait
    return waits


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(max(round(share * len(ordered)) - 1, 0), len(ordered) - 1)]
