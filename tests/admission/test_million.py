"""A million arrivals at the gate: whatever comes, everybody is told once, nobody is lost, and nothing holds too much."""

from __future__ import annotations

import heapq
import random
from collections import Counter

import pytest

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import CLASSES, Admitted, Capacity, Ticket, TurnedAway

TARGETS = {"a": Capacity(6, 12_000), "b": Capacity(4, 4_000), "c": Capacity(None, 6_000), "d": Capacity(2, None)}


class World:
    """Arrivals as they come, each of which ends in one way. `seed` decides all of it."""

    def __init__(self, seed: int, most: int = 60) -> None:
        self.rng = random.Random(seed)
        self.queue = Queue(most)
        self.capacities = dict(TARGETS)
        self.queue.install(self.capacities, 0.0)
        self.ends: list[tuple[float, str]] = []
        self.waiting: dict[str, Ticket] = {}
        self.inside: dict[str, tuple[str, int]] = {}
        self.told: Counter[str] = Counter()
        self.next_of: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self.now = 0.0

    def begin(self, admitted: Admitted) -> None:
        ticket = admitted.ticket
        assert ticket.id not in self.inside and admitted.target in ticket.targets
        self.waiting.pop(ticket.id, None)
        self.inside[ticket.id] = (admitted.target, ticket.cells)
        self.told["admitted"] += 1
        heapq.heappush(self.ends, (self.now + 0.05 + self.rng.paretovariate(1.8) * 0.15, ticket.id))

    def pass_time(self, until: float) -> None:
        while self.ends and self.ends[0][0] <= until:
            self.now, name = heapq.heappop(self.ends)
            if self.inside.pop(name, None) is not None:
                self.told["through"] += 1
                for each in self.queue.leave(name, self.now):
                    self.begin(each)
        self.now = until
        if self.rng.random() < 0.05:
            late, admitted = self.queue.expire(self.now)
            for ticket in late:
                del self.waiting[ticket.id]
                self.told["expired"] += 1
            for each in admitted:
                self.begin(each)

    def arrive(self, number: int) -> None:
        rng = self.rng
        names = rng.sample(list(TARGETS), rng.choice((1, 1, 2, 4)))
        ticket = Ticket(
            str(number),
            f"c{int(rng.paretovariate(0.7)) % 40}",
            tuple(names),
            rng.choice((50, 200, 200, 800, 3_900, 20_000 if rng.random() < 0.01 else 100)),
            rng.choice(CLASSES),
            self.now,
            self.now + rng.choice((0.2, 5.0, 30.0)) if rng.random() < 0.3 else None,
        )
        told = self.queue.arrive(ticket, self.now)
        if isinstance(told, Admitted):
            self.begin(told)
        elif isinstance(told, TurnedAway):
            self.told[told.why] += 1
        else:
            self.waiting[ticket.id] = ticket
            if rng.random() < 0.1:
                self.hang_up(ticket.id)
        if rng.random() < 0.02 and self.inside:
            self.hang_up(rng.choice(tuple(self.inside)))

    def hang_up(self, name: str) -> None:
        self.told["hung up waiting" if self.waiting.pop(name, None) else "hung up inside"] += 1
        self.inside.pop(name, None)
        for each in self.queue.leave(name, self.now):
            self.begin(each)

    def change(self) -> None:
        """An engine is started anew with more or fewer places; who is inside stays."""
        name = self.rng.choice(tuple(TARGETS))
        usual = TARGETS[name]
        self.capacities[name] = self.rng.choice((usual, Capacity(1, 4_000), Capacity(12, 30_000)))
        for each in self.queue.install(self.capacities, self.now):
            self.begin(each)

    def check(self, *, steady: bool) -> None:
        """The books of the queue are those of the world, and where capacities stayed, nothing holds too much."""
        assert self.queue.waiting == len(self.waiting) <= self.queue.most
        for name in TARGETS:
            held = [cells for target, cells in self.inside.values() if target == name]
            assert self.queue.inside(name) == (len(held), sum(held))
            if steady:
                limit = self.capacities[name]
                assert limit.sequences is None or len(held) <= limit.sequences
                assert limit.cells is None or sum(held) <= limit.cells


def run(seed: int, arrivals: int, *, steady: bool) -> World:
    world = World(seed)
    for number in range(arrivals):
        world.pass_time(world.now + world.rng.expovariate(46.0))
        world.arrive(number)
        if not steady and number % 1000 == 999:
            world.change()
        if number % 97 == 0:
            world.check(steady=steady)
    world.capacities = dict(TARGETS)
    for each in world.queue.install(world.capacities, world.now):
        world.begin(each)
    for _ in range(20_000):
        if not world.ends and not world.waiting:
            break
        world.pass_time(world.now + 1.0)
    world.check(steady=True)
    ended = Counter(world.told)
    assert not world.waiting and not world.inside and world.queue.waiting == 0
    assert ended["admitted"] == ended["through"] + ended["hung up inside"]
    outcomes = ("admitted", "never_fits", "queue_full", "too_late", "expired", "hung up waiting")
    assert sum(ended[each] for each in outcomes) == arrivals, "everybody is told, once"
    assert all(ended[each] for each in outcomes), ended
    return world


@pytest.mark.parametrize("steady", [True, False])
def test_some_thousand_arrivals(steady: bool) -> None:
    run(1, 5_000, steady=steady)


@pytest.mark.slow
@pytest.mark.parametrize("steady", [True, False])
def test_a_million_arrivals(steady: bool) -> None:
    world = run(2, 500_000, steady=steady)
    print(dict(world.told))
