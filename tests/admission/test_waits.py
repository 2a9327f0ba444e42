"""How long requests wait at the gate, simulated: beside an ideal central queue, and by callers."""

from __future__ import annotations

import heapq
import random

import pytest

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import Admitted, Capacity, Ticket, TurnedAway

Job = tuple[float, str, float]
"""When it comes, whose it is, and how long it takes once it is inside."""


def jobs(count: int, seed: int, *, servers: int, load: float, callers: list[str]) -> list[Job]:
    """Poisson arrivals, service times with a heavy tail (Pareto, 1.8)."""
    rng = random.Random(seed)
    mean = 1.8 / 0.8
    now, made = 0.0, []
    for _ in range(count):
        now += rng.expovariate(load * servers / mean)
        made.append((now, rng.choice(callers), rng.paretovariate(1.8)))
    return made


def ideal(work: list[Job], servers: int) -> list[float]:
    """Waits where one queue in order of arrival feeds all servers."""
    free = [0.0] * servers
    waits = []
    for came, _, takes in work:
        begins = max(came, heapq.heappop(free))
        waits.append(begins - came)
        heapq.heappush(free, begins + takes)
    return waits


def gated(work: list[Job], targets: dict[str, int]) -> dict[int, float]:
    """Waits at our gate, with the same servers as several targets."""
    queue = Queue(most=10**9)
    queue.install({name: Capacity(number) for name, number in targets.items()}, 0.0)
    ends: list[tuple[float, int]] = []
    waits: dict[int, float] = {}

    def begin(admitted: Admitted, now: float) -> None:
        number = int(admitted.ticket.id)
        waits[number] = now - work[number][0]
        heapq.heappush(ends, (now + work[number][2], number))

    def until(now: float) -> None:
        while ends and ends[0][0] <= now:
            at, number = heapq.heappop(ends)
            for admitted in queue.leave(str(number), at):
                begin(admitted, at)

    for number, (came, caller, _) in enumerate(work):
        until(came)
        told = queue.arrive(Ticket(str(number), caller, tuple(targets), 100, arrived=came), came)
        assert not isinstance(told, TurnedAway)
        if isinstance(told, Admitted):
            begin(told, came)
    until(float("inf"))
    assert len(waits) == len(work)
    return waits


def p99(waits: list[float]) -> float:
    return sorted(waits)[int(len(waits) * 0.99)]


@pytest.mark.parametrize("seed", range(5))
def test_several_targets_wait_as_one_ideal_queue(seed: int) -> None:
    callers = [f"c{number}" for number in range(10)]
    work = jobs(20_000, seed, servers=6, load=0.85, callers=callers)
    ours = p99(list(gated(work, {"a": 3, "b": 2, "c": 1}).values()))
    best = p99(ideal(work, 6))
    assert ours <= 1.2 * best, (ours, best)


def test_one_who_floods_waits_himself() -> None:
    rng = random.Random(7)
    flood = [(0.5 * number, "greedy", 2.0) for number in range(4000)]  # four places do two a second
    calm = [(rng.uniform(0, 2000), f"c{rng.randrange(5)}", 2.0) for _ in range(300)]
    work = sorted([*flood, *calm])
    waits = gated(work, {"a": 4})
    modest = [wait for number, wait in waits.items() if work[number][1] != "greedy"]
    in_order = [wait for wait, job in zip(ideal(work, 4), work, strict=True) if job[1] != "greedy"]
    assert p99(modest) <= 3.0 and p99(in_order) > 30.0
