"""How much longer a request takes beside others, as the log tells it.

Each of n requests at an engine is taken to go 1 / (1 + b (n - 1)) times as fast as one alone: b is 0 where a batch costs
nothing, and 1 where they share what there is. What a request has done by its end is then the integral of that rate over its
time. The b is taken for which that work is told best by lengths of prompts and replies, which do not depend on it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from pointsman.offline.audit.cost import Cost, fit
from pointsman.offline.whatif.asked import Logged

GUESS = 0.5
"""Taken where requests hardly ever met."""
_STEPS = tuple(step / 20 for step in range(25))
_NEWEST = 4096
_ENOUGH = 30
_MET = 1.1  # requests at a time, on average of requests


class Slowdown(msgspec.Struct, frozen=True):
    """`beside` is b above. `measured`: the log tells it. `met`: how many were at the engine at a time, on average of
    requests. `cost` tells the work of a request by its lengths; `error` is the mean of what it is wrong by, as a share."""

    beside: float
    measured: bool
    met: float
    samples: int
    cost: Cost
    error: float = 0.0

    def rate(self, together: int) -> float:
        """Of each, where so many are at work."""
        return 1.0 / (1.0 + self.beside * (together - 1))


def fitted(requests: Sequence[Logged]) -> Slowdown | None:
    """Of one target, all that were served by it; None where there are none that came to a good end."""
    newest = sorted((each for each in requests if each.began is not None), key=lambda each: each.ended)[-_NEWEST:]
    good = [place for place, each in enumerate(newest) if each.good]
    if not good:
        return None
    spans = [(each.place, each.began or 0.0, each.ended) for each in newest]
    met = _met(spans)
    measured = len(good) >= _ENOUGH and met >= _MET
    best: Slowdown | None = None
    for beside in _STEPS if measured else (GUESS,):
        works = works_of(spans, beside)
        rows = [(newest[place].read, newest[place].written, works[place]) for place in good]
        cost = fit(rows)
        error = sum(abs(work - _told(cost, row, many)) for row, many, work in rows) / max(
            sum(work for *_, work in rows), 1e-9
        )
        if best is None or error < best.error:
            best = Slowdown(beside, measured, met, len(good), cost, error)
    return best


def works_of(spans: Sequence[tuple[str, float, float]], beside: float) -> list[float]:
    """(place, begin, end) of requests → the work of each."""
    done: dict[str, _Done] = {}
    for place in {place for place, _, _ in spans}:
        done[place] = _Done([(began, ended) for where, began, ended in spans if where == place], beside)
    return [done[place].between(began, ended) for place, began, ended in spans]


class _Done:
    """The work that one request has done by a moment, had it been there from the beginning."""

    def __init__(self, spans: Sequence[tuple[float, float]], beside: float) -> None:
        changes = sorted([(began, 1) for began, _ in spans] + [(ended, -1) for _, ended in spans])
        self._times: list[float] = []
        self._work: list[float] = []
        self._rates: list[float] = []
        together, work, last = 0, 0.0, 0.0
        for at, change in changes:
            if self._times:
                work += (at - last) * self._rates[-1]
            together += change
            self._times.append(at)
            self._work.append(work)
            self._rates.append(1.0 / (1.0 + beside * max(together - 1, 0)))
            last = at

    def between(self, began: float, ended: float) -> float:
        return self._until(ended) - self._until(began)

    def _until(self, at: float) -> float:
        place = max(bisect_right(self._times, at) - 1, 0)
        return self._work[place] + (at - self._times[place]) * self._rates[place]


def _met(spans: Sequence[tuple[str, float, float]]) -> float:
    """With b = 1 the work is the time over the mean number of those that are there."""
    whole = sum(ended - began for _, began, ended in spans)
    return whole / max(sum(works_of(spans, 1.0)), 1e-9)


def _told(cost: Cost, read: int, written: int | None) -> float:
    if written is None:
        return cost.seconds(read)
    return cost.base + cost.per_input * read + cost.per_output * written
