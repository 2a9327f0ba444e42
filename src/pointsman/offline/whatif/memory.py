"""Models that come and go within a simulation, by the decider that the gateway itself uses."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

import msgspec

from pointsman.admission.queue import Queue
from pointsman.residency.decide import decide
from pointsman.residency.unit import Rules, Seat, Unit, Where

_LEAVING = 0.5
"""Seconds that an unloading takes."""


class Memory(msgspec.Struct, frozen=True):
    """What comes and goes, in how much; `load_seconds` by the name of the unit."""

    units: tuple[Unit, ...] = ()
    rules: Rules = Rules()
    load_seconds: Mapping[str, float] = {}


class Models:
    """As of a moment. `loads` so far, `evictions` of them for another."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._where: dict[str, Where] = dict.fromkeys((unit.name for unit in memory.units), "out")
        self._since: dict[str, float] = {}
        self._ends: list[tuple[float, str]] = []
        self._at: float | None = None
        self.loads = 0
        self.evictions = 0

    @property
    def next(self) -> float:
        """When to look again if nothing else happens."""
        ends = self._ends[0][0] if self._ends else math.inf
        return min(ends, math.inf if self._at is None else self._at)

    @property
    def shut(self) -> list[str]:
        """Targets that nobody can be served by now."""
        return [target for unit in self._memory.units if self._where[unit.name] != "in" for target in unit.models]

    def look(self, queue: Queue, now: float) -> bool:
        """What has come or gone by now, and what is to. Whether others are shut than before."""
        before = self.shut
        while self._ends and self._ends[0][0] <= now:
            _, name = heapq.heappop(self._ends)
            self._where[name] = "in" if self._where[name] == "coming" else "out"
            self._since[name] = now
        units = self._memory.units
        seats = self._seats(units, queue)
        step = decide(units, seats, self._memory.rules, now)
        self._at = step.at if step.at is None or step.at > now else now + 1e-3
        for name in step.load:
            self._where[name] = "coming"
            heapq.heappush(self._ends, (now + self._memory.load_seconds.get(name, 0.0), name))
            self.loads += 1
        for name in step.unload:
            self._where[name] = "going"
            self.evictions += name not in step.unused
        leaving = {name for _, name in self._ends}
        for name, where in self._where.items():
            if where == "going" and name not in leaving and not seats[name].inside:
                heapq.heappush(self._ends, (now + _LEAVING, name))
        return self.shut != before

    def _seats(self, units: Sequence[Unit], queue: Queue) -> dict[str, Seat]:
        waits: dict[str, list[float]] = {}
        for ticket in queue.waits:
            waits.setdefault(ticket.targets[0], []).append(ticket.arrived)
        seats = {}
        for unit in units:
            waiting = [at for target in unit.models for at in waits.get(target, ())]
            seats[unit.name] = Seat(
                where=self._where[unit.name],
                waiting=len(waiting),
                oldest=min(waiting, default=None),
                inside=sum(queue.inside(target)[0] for target in unit.models),
                used=max(queue.used(target) for target in unit.models),
                since=self._since.get(unit.name, 0.0),
                eager=unit.start and not self._since.get(unit.name) and self._where[unit.name] == "out",
            )
        return seats
