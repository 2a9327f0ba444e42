"""What is done next: which units are loaded, and which go for them.

Who waits longest for a unit that is out has the next load, and what it needs is kept for it. For it go, first, those that
nobody uses, the longest unused before others; one that is in use only once somebody has waited for `patience`, and its own
requests have been let in that came before that one, or that waited when it was loaded. So requests are served in batches by
model, and yet, among models of one size, no other is loaded twice while one waits for its own to be begun; of other sizes
one that fits beside may be, which keeps nobody waiting. One waits at most

    patience (or gather, if that is more)
    + for each other model that somebody waited for before: one unloading, one loading, and what of its requests had come
      by then
    + the same for its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import msgspec

from pointsman.residency.unit import Rules, Seat, Unit, memory_of


class Step(msgspec.Struct, frozen=True):
    """`load` and `unload` are to be begun now, all of them; `unload` waits for who is inside. `unused`: those of them that
    go because nobody asked for them for so long, and not for another. `at`: when to look again if nothing else happens;
    None: no need."""

    load: tuple[str, ...] = ()
    unload: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    at: float | None = None


def decide(units: Sequence[Unit], seats: Mapping[str, Seat], rules: Rules, now: float) -> Step:
    """Pure. Units that can never be loaded (`unit.shortage`) must not be among them."""
    table = _Table(units, seats, rules, now)
    table.unload_unused()
    for _, unit in sorted(table.wanted(), key=itemgetter(0)):
        table.seat(unit)
    for unit in units:
        seat = seats[unit.name]
        if seat.eager and not seat.waiting and table.may_load(unit):
            table.seat(unit, evict=False)
    return Step(tuple(table.load), tuple(table.unload), tuple(table.unused), min(table.times, default=None))


class _Table:
    """One decision under way. `free` is what nobody takes, less what is kept for who waits; `soon` what those that go give
    back."""

    def __init__(self, units: Sequence[Unit], seats: Mapping[str, Seat], rules: Rules, now: float) -> None:
        self.units = units
        self.seats = seats
        self.rules = rules
        self.now = now
        self.load: list[str] = []
        self.unload: list[str] = []
        self.unused: list[str] = []
        self.times: list[float] = []
        self._taken: set[str] = set()
        taking = [unit for unit in units if seats[unit.name].where != "out"]
        self._free = (rules.budget or 0) - sum(memory_of(unit, rules) for unit in taking)
        self._soon = sum(memory_of(unit, rules) for unit in taking if seats[unit.name].where == "going")

    def unload_unused(self) -> None:
        for unit in self.units:
            seat = self.seats[unit.name]
            if unit.idle is None or unit.pinned or seat.where != "in" or seat.inside or seat.waiting:
                continue
            due = max(seat.used, seat.since) + unit.idle
            if due <= self.now:
                self.unused.append(unit.name)
                self._go(unit)
            else:
                self.times.append(due)

    def wanted(self) -> Iterator[tuple[float, Unit]]:
        """Those that somebody waits for, with the time since when."""
        for unit in self.units:
            seat = self.seats[unit.name]
            if seat.waiting and self.may_load(unit):
                yield self.now if seat.oldest is None else seat.oldest, unit

    def may_load(self, unit: Unit) -> bool:
        seat = self.seats[unit.name]
        if seat.where != "out":
            return False
        if seat.retry is not None and seat.retry > self.now:
            self.times.append(seat.retry)
            return False
        return True

    def seat(self, unit: Unit, evict: bool = True) -> None:
        """Loads it where there is room; else makes room, if `evict` and as far as that may be, and keeps it."""
        needs = memory_of(unit, self.rules)
        rivals = [other for other in self.units if _exclude(unit, other) and self._is_there(other)]
        if not rivals and needs <= self._free:
            self._free -= needs
            self.load.append(unit.name)
            self._taken.add(unit.name)
            return
        if not evict:
            return
        victims, enough = self._victims(unit, needs, rivals)
        if enough and all(self._may_go(victim, unit) for victim in victims):
            for victim in victims:
                self._go(victim)
        else:  # what they will give back is kept for it by their not being taken for another
            needs -= sum(memory_of(victim, self.rules) for victim in victims)
            self._taken.update(victim.name for victim in victims)
        self._keep(max(needs, 0))

    def _keep(self, needs: int) -> None:
        """Of what becomes free, and then of what is."""
        later = min(needs, self._soon)
        self._soon -= later
        self._free -= min(needs - later, self._free)

    def _is_there(self, other: Unit) -> bool:
        """Or will be, as things are."""
        return self.seats[other.name].where != "out" or other.name in self.load

    def _victims(self, unit: Unit, needs: int, rivals: Sequence[Unit]) -> tuple[list[Unit], bool]:
        """Who has to go for it, and whether there is room then: not while one is being loaded that has to go as well."""
        chosen = [rival for rival in rivals if self._can_go(rival)]
        enough = all(rival in chosen or self.seats[rival.name].where == "going" for rival in rivals)
        made = self._free + self._soon + sum(memory_of(victim, self.rules) for victim in chosen)
        others = sorted((other for other in self.units if other not in chosen and self._can_go(other)), key=self._order)
        for other in others:
            if made >= needs:
                break
            chosen.append(other)
            made += memory_of(other, self.rules)
        for other in [one for one in chosen[:-1] if one not in rivals]:  # a later one may have been enough
            if made - memory_of(other, self.rules) >= needs:
                chosen.remove(other)
                made -= memory_of(other, self.rules)
        return chosen, enough and made >= needs

    def _can_go(self, other: Unit) -> bool:
        return self.seats[other.name].where == "in" and not other.pinned and other.name not in self._taken

    def _order(self, other: Unit) -> tuple[bool, float]:
        """Those that nobody uses by when that ended; then the others by when they came."""
        seat = self.seats[other.name]
        busy = bool(seat.inside or seat.waiting)
        return busy, seat.since if busy else max(seat.used, seat.since)

    def _may_go(self, victim: Unit, for_unit: Unit) -> bool:
        """Nobody uses it; or whoever waits has waited for long enough, and its own that came before, or that waited when it
        came, have been let in."""
        seat, waits = self.seats[victim.name], self.seats[for_unit.name]
        first = self.now if waits.oldest is None else waits.oldest
        if not seat.inside and not seat.waiting:
            due = min(first, max(seat.used, seat.since)) + self.rules.gather
            if due > self.now:
                self.times.append(due)
            return due <= self.now
        if seat.waiting and seat.oldest is not None and seat.oldest <= max(first, seat.since):
            return False
        if first + self.rules.patience > self.now:
            self.times.append(first + self.rules.patience)
            return False
        return True

    def _go(self, unit: Unit) -> None:
        self.unload.append(unit.name)
        self._taken.add(unit.name)
        self._soon += memory_of(unit, self.rules)


def _exclude(unit: Unit, other: Unit) -> bool:
    return unit.name != other.name and unit.exclusive is not None and unit.exclusive == other.exclusive
