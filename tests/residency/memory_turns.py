"""Models that take turns in memory, simulated: requests come, the decider says what is loaded, and time is a number."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pointsman.residency.decide import decide
from pointsman.residency.unit import Rules, Seat, Unit, Where, memory_of

Arrival = tuple[float, str]
_SOON = 1e-6


@dataclass
class Model:
    """One unit as it is; `queue` are the arrivals of those that wait."""

    where: Where = "out"
    queue: list[float] = field(default_factory=list)
    inside: int = 0
    used: float = 0.0
    since: float = 0.0
    draining: bool = False


@dataclass(frozen=True)
class Pace:
    """Seconds to load, to unload, and to serve one request; requests that a model serves at a time."""

    load: float = 1.0
    unload: float = 0.2
    serve: float = 0.5
    slots: int = 2


class Turns:
    """`loads` are (when, unit) in order, `waits` (unit, arrived, let in). Raises AssertionError where something is loaded
    for which there is no room, or sent away that is pinned, or in use while nobody has waited for `patience`."""

    def __init__(self, units: Sequence[Unit], rules: Rules, pace: Pace) -> None:
        self.units = {unit.name: unit for unit in units}
        self.rules = rules
        self.pace = pace
        self.models = {unit.name: Model() for unit in units}
        self.loads: list[Arrival] = []
        self.gone: list[Arrival] = []
        self.waits: list[tuple[str, float, float]] = []
        self._events: list[tuple[float, int, str, str]] = []
        self._number = 0
        self.now = 0.0

    def run(self, arrivals: Sequence[Arrival], until: float = math.inf) -> Turns:
        for at, name in arrivals:
            self._later(at, "comes", name)
        while self._events and self._events[0][0] <= until:
            self.now, _, what, name = heapq.heappop(self._events)
            self._happens(what, self.models.get(name))
            self._let_in()
            while self._decide():
                self._let_in()
        return self

    def seats(self) -> Mapping[str, Seat]:
        return {
            name: Seat(
                model.where,
                len(model.queue),
                model.queue[0] if model.queue else None,
                model.inside,
                model.used,
                model.since,
            )
            for name, model in self.models.items()
        }

    def _happens(self, what: str, model: Model | None) -> None:
        if model is None:
            return  # a timer
        if what == "comes":
            model.queue.append(self.now)
        elif what == "loaded":
            model.where, model.since = "in", self.now
        elif what == "served":
            model.inside, model.used = model.inside - 1, self.now
        else:
            model.where, model.draining = "out", False

    def _let_in(self) -> None:
        for name, model in self.models.items():
            while model.where == "in" and model.queue and model.inside < self.pace.slots:
                self.waits.append((name, model.queue.pop(0), self.now))
                model.inside, model.used = model.inside + 1, self.now
                self._later(self.now + self.pace.serve, "served", name)

    def _decide(self) -> bool:
        seats = self.seats()
        step = decide(list(self.units.values()), seats, self.rules, self.now)
        waited = [self.now - seat.oldest for seat in seats.values() if seat.oldest is not None and seat.where == "out"]
        for name in step.unload:
            model, unit = self.models[name], self.units[name]
            assert model.where == "in" and not unit.pinned
            assert not (model.inside or model.queue) or max(waited) >= self.rules.patience - _SOON
            model.where = "going"
            self.gone.append((self.now, name))
        for name in step.load:
            assert self.models[name].where == "out"
            self.models[name].where = "coming"
            self.loads.append((self.now, name))
            self._later(self.now + self.pace.load, "loaded", name)
        for name, model in self.models.items():
            if model.where == "going" and not model.inside and not model.draining:
                model.draining = True
                self._later(self.now + self.pace.unload, "gone", name)
        self._check()
        if step.at is not None:
            self._later(max(step.at, self.now + _SOON), "timer", "")
        return bool(step.load or step.unload)

    def _check(self) -> None:
        taking = [self.units[name] for name, model in self.models.items() if model.where != "out"]
        if self.rules.budget is not None:
            assert sum(memory_of(unit, self.rules) for unit in taking) <= self.rules.budget
        groups = [unit.exclusive for unit in taking if unit.exclusive is not None]
        assert len(groups) == len(set(groups))

    def _later(self, at: float, what: str, name: str) -> None:
        self._number += 1
        heapq.heappush(self._events, (at, self._number, what, name))
