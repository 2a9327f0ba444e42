"""Who is let in to which target, who waits, and who is turned away. No clock and no task: times come in, and what is to be
done goes out, so that it can be simulated and proved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pointsman.admission.room import Room
from pointsman.admission.ticket import OPEN, QUEUED, Admitted, Capacity, Place, Queued, Ticket, TurnedAway
from pointsman.admission.turns import Turns, Waiter

MOST_PASSED = 16
"""So many may go in before one whose turn it is and that does not fit; then room is kept for it."""

DOUBT = 2.0
"""Estimated waits are too long at times: an engine keeps what prompts have in common, and need not read it again. So one is
turned away as it comes only where a wait of half as long would be too long; else it waits until its deadline."""


class Queue:
    """One queue for all targets: a ticket goes to the first of its targets that has room. At most `most` wait. Methods that
    make room give those that go in for it."""

    def __init__(self, most: int = 256) -> None:
        self.most = most
        self._rooms: dict[str, Room] = {}
        self._inside: dict[str, Admitted] = {}
        self._turns = Turns()

    @property
    def waiting(self) -> int:
        return len(self._turns)

    def inside(self, target: str) -> tuple[int, int]:
        """Sequences and cells that are taken of it."""
        room = self._rooms.get(target)
        return (room.sequences, room.cells) if room is not None else (0, 0)

    def used(self, target: str) -> float:
        """When somebody was last let in or left; 0 where nobody ever was."""
        room = self._rooms.get(target)
        return room.since if room is not None else 0.0

    def capacity(self, target: str) -> Capacity:
        """What it holds at a time."""
        room = self._rooms.get(target)
        return room.capacity if room is not None else OPEN

    def holds(self, target: str, cells: int) -> bool:
        """Whether it could take so many if nobody else were there."""
        room = self._rooms.get(target)
        return room is None or room.holds(cells)

    def fits(self, target: str, cells: int) -> bool:
        """Whether it has room for so many now."""
        room = self._rooms.get(target)
        return room is None or room.fits(cells)

    @property
    def waits(self) -> Iterator[Ticket]:
        """All that wait, in no order."""
        return self._turns.waiting()

    def shut(self, targets: Collection[str], now: float) -> list[Admitted]:
        """These let nobody in until others are named; who is inside stays."""
        for name in targets:
            self._room(name)
        opened = []
        for name, room in self._rooms.items():
            before, room.shut = room.shut, name in targets
            if before and not room.shut:
                opened.append(name)
        return [each for name in opened for each in self._let_in(name, now)]

    def install(self, capacities: Mapping[str, Capacity], now: float) -> list[Admitted]:
        """What targets hold from now on; others have no limit. Nobody that is inside is thrown out."""
        for name in [*self._rooms, *capacities]:
            self._room(name).capacity = capacities.get(name, OPEN)
        return [each for name in self._rooms for each in self._let_in(name, now)]

    def arrive(self, ticket: Ticket, now: float) -> Admitted | Queued | TurnedAway:
        """Its id must be new."""
        if not self._turns:
            for name in ticket.targets:
                if self._room(name).fits(ticket.cells):
                    return self._admit(ticket, name, now)
        rooms = [self._room(name) for name in ticket.targets]
        if not any(room.holds(ticket.cells) for room in rooms):
            return TurnedAway("never_fits", max(room.capacity.cells or 0 for room in rooms))
        if ticket.deadline is not None:
            wait = self._wait(ticket, now)
            if ticket.deadline <= now + (wait or 0.0) / DOUBT:
                return TurnedAway("too_late", wait=wait)
        if len(self._turns) >= self.most:
            return TurnedAway("queue_full", self.most, self._wait(ticket, now))
        self._turns.add(ticket)
        for name in ticket.targets:
            for admitted in self._let_in(name, now, ticket):
                return admitted
        return QUEUED

    def place(self, ticket: Ticket, now: float) -> Place:
        """Where one that waits stands; in the number of those that wait."""
        return Place(sum(1 for _ in self._turns.ahead_of(ticket, now)), self._wait(ticket, now))

    def load(self, target: str, now: float) -> tuple[int, float]:
        """Requests that it holds, and the seconds until it takes one more, by how fast it has served so far: 0 while it has
        room, or where nothing tells. One that waits for several targets counts in equal parts for each."""
        room = self._rooms.get(target)
        if room is None:
            return 0, 0.0
        waiting = sum(
            ticket.cells / len(ticket.targets) for ticket in self._turns.waiting() if target in ticket.targets
        )
        if not waiting and room.fits(1):
            return room.sequences, 0.0
        speed = room.speed(now)
        if speed is None:
            return room.sequences, 0.0
        return room.sequences, (waiting + room.cells / max(room.sequences, 1)) / speed

    def leave(self, ticket_id: str, now: float) -> list[Admitted]:
        """One that was let in is through, one that waits has given up; one that is neither changes nothing."""
        admitted = self._inside.pop(ticket_id, None)
        if admitted is not None:
            self._rooms[admitted.target].give(admitted.ticket.cells, now)
            return self._let_in(admitted.target, now) if self._turns else []
        ticket = self._turns.remove(ticket_id)
        if ticket is None:
            return []
        return [each for name in ticket.targets for each in self._let_in(name, now)]

    def expire(self, now: float) -> tuple[list[Ticket], list[Admitted]]:
        """Those that wait beyond their deadline, and who goes in since they are gone."""
        late = [ticket for ticket in self._turns.waiting() if ticket.deadline is not None and ticket.deadline <= now]
        went_in: list[Admitted] = []
        for ticket in late:
            went_in += self.leave(ticket.id, now)
        gone = {ticket.id for ticket in late}
        return late, [each for each in went_in if each.ticket.id not in gone]

    def _admit(self, ticket: Ticket, target: str, now: float) -> Admitted:
        admitted = self._inside[ticket.id] = Admitted(ticket, target)
        self._rooms[target].take(ticket.cells, now)
        self._turns.serve(ticket)
        return admitted

    def _let_in(self, target: str, now: float, only: Ticket | None = None) -> list[Admitted]:
        """As many as fit, in their order, or `only` that one. One that does not fit is passed over, but not for ever."""
        room = self._rooms[target]
        found: list[Admitted] = []
        while (
            self._turns
            and not room.shut
            and (room.capacity.sequences is None or room.sequences < room.capacity.sequences)
        ):
            passed: list[Waiter] = []
            for waiter in self._turns.heads(target, now):
                ticket = waiter.ticket
                if room.fits(ticket.cells) and (only is None or ticket is only):
                    for before in passed:
                        before.passed += 1
                    found.append(self._admit(ticket, target, now))
                    break
                if room.holds(ticket.cells):
                    if waiter.passed >= MOST_PASSED:
                        return found
                    passed.append(waiter)
            else:
                return found
        return found

    def _wait(self, ticket: Ticket, now: float) -> float | None:
        """Seconds until its turn: the work inside and before it, at the speed at which its targets have served so far."""
        speeds = [speed for name in ticket.targets if (speed := self._room(name).speed(now)) is not None]
        if not speeds:
            return None
        rooms = [self._rooms[name] for name in ticket.targets]
        ahead = sum(other.cells for other in self._turns.ahead_of(ticket, now))
        if not ahead and any(room.fits(ticket.cells) for room in rooms):
            return 0.0
        inside = sum(room.cells / max(room.sequences, 1) for room in rooms if room.sequences)
        return round((ahead + inside) / sum(speeds), 3)

    def _room(self, name: str) -> Room:
        room = self._rooms.get(name)
        if room is None:
            room = self._rooms[name] = Room()
        return room
