"""Whose turn it is among those that wait. By class first; within a class callers share by what they take (start-time fair
queueing), so that forty requests of one caller keep nobody else waiting; requests of one caller come in their order.

A class that has waited longer than `PATIENCE` counts as the next better one: low priority waits longer, never for ever."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from heapq import heapify, heappop

from pointsman.admission.ticket import CLASSES, Ticket

PATIENCE = 30.0
"""Seconds."""
_RANKS = {name: rank for rank, name in enumerate(CLASSES)}


class Waiter:
    """A ticket that waits. `passed` counts those that went in before it though it was its turn, since it did not fit."""

    __slots__ = ("number", "passed", "ticket")

    def __init__(self, ticket: Ticket, number: int) -> None:
        self.ticket = ticket
        self.number = number
        self.passed = 0


class _Line:
    """What waits of one caller, in one class, for the same targets."""

    __slots__ = ("start", "waiters")

    def __init__(self, start: float) -> None:
        self.start = start
        self.waiters: OrderedDict[str, Waiter] = OrderedDict()


LineName = tuple[int, tuple[str, ...], str]


class Turns:
    """All that wait."""

    def __init__(self) -> None:
        self._lines: dict[LineName, _Line] = {}
        self._where: dict[str, LineName] = {}
        self._finish: dict[str, float] = {}
        self._virtual = 0.0
        self._number = 0

    def __len__(self) -> int:
        return len(self._where)

    def __contains__(self, ticket_id: str) -> bool:
        return ticket_id in self._where

    def add(self, ticket: Ticket) -> Waiter:
        """Behind all that wait of the same caller for the same."""
        name = (_RANKS[ticket.priority], ticket.targets, ticket.caller)
        line = self._lines.get(name)
        if line is None:
            line = self._lines[name] = _Line(self._start_of(ticket.caller))
        self._number += 1
        waiter = line.waiters[ticket.id] = Waiter(ticket, self._number)
        self._where[ticket.id] = name
        return waiter

    def remove(self, ticket_id: str) -> Ticket | None:
        """It waits no more. None where it did not."""
        name = self._where.pop(ticket_id, None)
        if name is None:
            return None
        line = self._lines[name]
        ticket = line.waiters.pop(ticket_id).ticket
        if not line.waiters:
            del self._lines[name]
        return ticket

    def serve(self, ticket: Ticket) -> None:
        """It goes in: its caller has had so much. Where it waited it waits no more."""
        start = self._start_of(ticket.caller)
        if self.remove(ticket.id) is not None or self._lines:
            self._virtual = max(self._virtual, start)
        finish = self._finish[ticket.caller] = start + max(ticket.cells, 1)
        for name, line in self._lines.items():
            if name[2] == ticket.caller:
                line.start = finish
        if len(self._finish) > 2 * len(self._lines) + 256:
            self._forget()

    def heads(self, target: str, now: float) -> Iterator[Waiter]:
        """The next of each line that leads to the target, in the order in which they are due."""
        found = []
        for (rank, targets, _), line in self._lines.items():
            if target in targets:
                waiter = next(iter(line.waiters.values()))
                found.append((self._ranked(rank, waiter.ticket, now), line.start, waiter.number, waiter))
        heapify(found)
        while found:
            yield heappop(found)[3]

    def ahead_of(self, ticket: Ticket, now: float) -> Iterator[Ticket]:
        """Those that are due before a ticket that waits, or that would come now, and want some of the same targets. It is
        as if each caller took its turns from now on."""
        rank = _RANKS[ticket.priority]
        start = self._start_of(ticket.caller)
        wanted = set(ticket.targets)
        own: float = 0.0
        for (_, targets, caller), line in self._lines.items():
            if caller == ticket.caller and targets == ticket.targets:
                for waiter in line.waiters.values():
                    if waiter.ticket.id == ticket.id:
                        break
                    own += max(waiter.ticket.cells, 1)
        due = start + own
        for (other_rank, targets, caller), line in self._lines.items():
            if wanted.isdisjoint(targets):
                continue
            tag = line.start
            for waiter in line.waiters.values():
                other = waiter.ticket
                if other.id == ticket.id:
                    break
                ranked = self._ranked(other_rank, other, now)
                if ranked < rank or (ranked == rank and (caller == ticket.caller or tag <= due)):
                    yield other
                tag += max(other.cells, 1)

    def waiting(self) -> Iterator[Ticket]:
        for line in self._lines.values():
            for waiter in line.waiters.values():
                yield waiter.ticket

    def _ranked(self, rank: int, ticket: Ticket, now: float) -> int:
        return max(rank - int((now - ticket.arrived) / PATIENCE), 0) if rank else 0

    def _start_of(self, caller: str) -> float:
        return max(self._finish.get(caller, 0.0), self._virtual)

    def _forget(self) -> None:
        """Callers that had no more than what everybody had by now."""
        self._finish = {caller: finish for caller, finish in self._finish.items() if finish > self._virtual}
