"""Traffic against machines that there are not: events one after the other, with the gate's own queue.

A target that is always there has as many engines as there are nodes; the gate has one queue before all of them, and who is
let in goes to the engine with the fewest. A model that comes and goes has one engine, and nodes add to the memory for all of
those."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

import msgspec

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import Admitted, Capacity, Ticket, TurnedAway
from pointsman.offline.whatif.asked import Asked
from pointsman.offline.whatif.engine import Engine
from pointsman.offline.whatif.memory import Memory, Models
from pointsman.offline.whatif.slowdown import Slowdown


class Served(msgspec.Struct, frozen=True):
    """A target on one node."""

    capacity: Capacity
    slowdown: Slowdown


class Fleet(msgspec.Struct, frozen=True):
    """`memory` is that of one node. At most `most` requests wait, each for `wait` seconds."""

    nodes: int
    targets: Mapping[str, Served]
    memory: Memory = Memory()
    most: int = 256
    wait: float = 30.0


class Run(msgspec.Struct, frozen=True):
    """`served`: the places of those among all that asked, in the order of their ends; `waits` in seconds and `took` from
    coming to end, in the same order. `use`: the share of time in which engines had something to do."""

    served: tuple[int, ...]
    waits: tuple[float, ...]
    took: tuple[float, ...]
    turned_away: int
    use: float
    loads: int
    evictions: int


def simulate(asked: Sequence[Asked], fleet: Fleet) -> Run:
    """`asked` in the order of their times; their targets are the fleet's."""
    return _Simulation(asked, fleet).run()


class _Simulation:
    def __init__(self, asked: Sequence[Asked], fleet: Fleet) -> None:
        self._asked = asked
        self._fleet = fleet
        moving = {target for unit in fleet.memory.units for target in unit.models}
        nodes = {name: 1 if name in moving else fleet.nodes for name in fleet.targets}
        self._engines = {
            name: [Engine(served.slowdown.rate) for _ in range(nodes[name])] for name, served in fleet.targets.items()
        }
        self._every = [engine for engines in self._engines.values() for engine in engines]
        self._queue = Queue(fleet.most)
        self._queue.install({name: _times(each.capacity, nodes[name]) for name, each in fleet.targets.items()}, 0.0)
        budget = fleet.memory.rules.budget
        rules = msgspec.structs.replace(fleet.memory.rules, budget=None if budget is None else budget * fleet.nodes)
        self._models = Models(msgspec.structs.replace(fleet.memory, rules=rules)) if moving else None
        self._tickets: dict[str, Asked] = {}
        self._deadlines: list[tuple[float, str]] = []
        self._waits: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._turned_away = 0

    def run(self) -> Run:
        coming, now = 0, 0.0
        if self._models is not None:
            self._queue.shut(self._models.shut, 0.0)
            self._look(0.0)
        while coming < len(self._asked) or self._tickets:
            arrival = self._asked[coming].at if coming < len(self._asked) else math.inf
            engine = min(self._every, key=_next)
            late = self._deadlines[0][0] if self._deadlines else math.inf
            look = math.inf if self._models is None else self._models.next
            now = min(arrival, engine.next, late, look)
            if now == math.inf:
                break
            if engine.next == now:
                now, name = engine.end()
                self._took[name] = now - self._tickets.pop(name).at
                self._begin(self._queue.leave(name, now), now)
            elif late == now:
                self._expire(now)
            elif arrival == now:
                self._arrive(str(coming), self._asked[coming], now)
                coming += 1
            self._look(now)
        span = max(now, 1e-9) * max(len(self._every), 1)
        ended = list(self._took)
        return Run(
            served=tuple(map(int, ended)),
            waits=tuple(self._waits[name] for name in ended),
            took=tuple(self._took[name] for name in ended),
            turned_away=self._turned_away,
            use=sum(engine.busy for engine in self._every) / span,
            loads=0 if self._models is None else self._models.loads,
            evictions=0 if self._models is None else self._models.evictions,
        )

    def _look(self, now: float) -> None:
        if self._models is not None and self._models.look(self._queue, now):
            self._begin(self._queue.shut(self._models.shut, now), now)

    def _arrive(self, name: str, asked: Asked, now: float) -> None:
        deadline = now + self._fleet.wait
        ticket = Ticket(name, asked.caller, (asked.target,), asked.cells, arrived=now, deadline=deadline)
        told = self._queue.arrive(ticket, now)
        if isinstance(told, TurnedAway):
            self._turned_away += 1
            return
        self._tickets[name] = asked
        if isinstance(told, Admitted):
            self._begin([told], now)
        else:
            heapq.heappush(self._deadlines, (deadline, name))

    def _expire(self, now: float) -> None:
        _, name = heapq.heappop(self._deadlines)
        if name in self._waits or name not in self._tickets:
            return
        gone, admitted = self._queue.expire(now)
        for ticket in gone:
            del self._tickets[ticket.id]
        self._turned_away += len(gone)
        self._begin(admitted, now)

    def _begin(self, admitted: Sequence[Admitted], now: float) -> None:
        for each in admitted:
            asked = self._tickets[each.ticket.id]
            self._waits[each.ticket.id] = now - asked.at
            min(self._engines[each.target], key=len).begin(each.ticket.id, asked.work, now)


def _next(engine: Engine) -> float:
    return engine.next


def _times(capacity: Capacity, nodes: int) -> Capacity:
    return Capacity(
        None if capacity.sequences is None else capacity.sequences * nodes,
        None if capacity.cells is None else capacity.cells * nodes,
    )
