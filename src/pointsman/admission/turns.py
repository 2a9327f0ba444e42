"""Whose turn it is among those that wait. By class first; within a class callers share by what they take (start-time fair
queueing), so that forty requests of one caller keep nobody else waiting; requests of one caller come in their order.

A few requests at once are nobody's flood: of a caller with no more than `ALLOWANCE` that wait, the order of arrival counts.
One turn in `EVERY` goes to a worse class that has waited longer than `PATIENCE`: low priority waits, but not for ever."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from heapq import heapify, heappop

from pointsman.admission.ticket import CLASSES, Ticket

PATIENCE = 30.0
"""Seconds."""
EVERY = 8
ALLOWANCE = 4
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

    __slots__ = ("waiters",)

    def __init__(self) -> None:
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
        self._served = 0

    def __len__(self) -> int:
        return len(self._where)

    def __contains__(self, ticket_id: str) -> bool:
        return ticket_id in self._where

    def add(self, ticket: Ticket) -> Waiter:
        """Behind all that wait of the same caller for the same."""
        name = (_RANKS[ticket.priority], ticket.targets, ticket.caller)
        line = self._lines.get(name)
        if line is None:
            line = self._lines[name] = _Line()
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
        if self._where:
            self.remove(ticket.id)
        self._served += 1
        start = self._finish.get(ticket.caller, 0.0)
        if start < self._virtual:
            start = self._virtual
        finish = self._finish[ticket.caller] = start + _cost(ticket)
        self._virtual = start if self._lines else finish  # where nobody waits, nobody has had more than a share
        if len(self._finish) > 2 * len(self._lines) + 256:
            self._forget()

    def heads(self, target: str, now: float) -> Iterator[Waiter]:
        """The next of each line that leads to the target, in the order in which they are due."""
        patient = self._served % EVERY == EVERY - 1
        found = []
        for (rank, targets, _), line in self._lines.items():
            if target in targets:
                waiter = next(iter(line.waiters.values()))
                ticket = waiter.ticket
                ranked = -1 if patient and rank and now - ticket.arrived > PATIENCE else rank
                found.append((ranked, self._due(ticket, len(line.waiters)), waiter.number, waiter))
        heapify(found)
        while found:
            yield heappop(found)[3]

    def ahead_of(self, ticket: Ticket, now: float) -> Iterator[Ticket]:
        """Those that are due before a ticket that waits, or that would come now, and want some of the same targets. It is
        as if each caller took its turns from now on."""
        rank, wanted = _RANKS[ticket.priority], set(ticket.targets)
        number = self._number + 1
        own = self._lines.get((rank, ticket.targets, ticket.caller))
        before = 0
        for waiter in own.waiters.values() if own is not None else ():
            if waiter.ticket.id == ticket.id:
                number = waiter.number
                break
            before += 1
        due = self._due(ticket, before + 1) + before * _cost(ticket) * (before >= ALLOWANCE)
        for (other_rank, targets, caller), line in self._lines.items():
            if other_rank > rank or wanted.isdisjoint(targets):
                continue
            spent, many = 0.0, len(line.waiters)
            for waiter in line.waiters.values():
                other = waiter.ticket
                if other.id == ticket.id:
                    break
                tag = self._due(other, many) + (spent if many > ALLOWANCE else 0.0)
                if other_rank < rank or caller == ticket.caller or (tag, waiter.number) < (due, number):
                    yield other
                spent += _cost(other)

    def waiting(self) -> Iterator[Ticket]:
        for line in self._lines.values():
            for waiter in line.waiters.values():
                yield waiter.ticket

    def _due(self, ticket: Ticket, waiting: int) -> float:
        """The start tag of the first of so many that wait of its caller."""
        return self._virtual if waiting <= ALLOWANCE else max(self._finish.get(ticket.caller, 0.0), self._virtual)

    def _forget(self) -> None:
        """Callers that had no more than what everybody had by now."""
        self._finish = {caller: finish for caller, finish in self._finish.items() if finish > self._virtual}


def _cost(ticket: Ticket) -> int:
    return ticket.cells if ticket.cells > 1 else 1
