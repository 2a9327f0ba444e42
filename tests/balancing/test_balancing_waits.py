"""How long requests wait before three nodes behind three gateways, by a clock that is simulated: beside a queue that knows
everything, and beside round robin. Nothing here takes time, and every run is the same."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import pytest

from pointsman.balancing.ledger import EMPTY, Waiter, turn
from pointsman.balancing.node import Node
from pointsman.balancing.pick import pick
from pointsman.bench.nodes.work import Work, arrivals, central, in_turn, percentile

NAMES, SLOTS, GATEWAYS = ("a", "b", "c"), 4, ("one", "two", "three")


def through_the_ledger(work: Sequence[Work], trip: float, poll: float) -> list[float]:
    """Waits, where a turn takes `trip` seconds to reach the store, and who waits looks every `poll` seconds."""
    ledger = EMPTY
    held: dict[str, dict[str, int]] = {name: {} for name in GATEWAYS}
    waiting: dict[str, list[Waiter]] = {name: [] for name in GATEWAYS}
    waits = [0.0] * len(work)
    events: list[tuple[float, int, str, str, int]] = []
    count = 0

    def at(when: float, what: str, who: str, number: int = -1) -> None:
        nonlocal count
        count += 1
        heapq.heappush(events, (when, count, what, who, number))

    nodes = [Node(name, SLOTS) for name in NAMES]
    where: dict[int, str] = {}
    polling = dict.fromkeys(GATEWAYS, False)

    def choose(room: Sequence[Node], waiter: Waiter) -> str:
        choice = pick(room, waiter.number)
        assert choice is not None
        return choice.node

    for each in work:
        at(each.at, "arrives", GATEWAYS[each.number % 3], each.number)
    while events:
        now, _, what, who, number = heapq.heappop(events)
        if what == "arrives":
            waiting[who].append(Waiter(who, number))
            at(now + trip, "turn", who)
        elif what == "ends":
            held[who][where[number]] -= 1
            at(now + trip, "turn", who)
        else:
            if what == "poll":
                polling[who] = False
            ledger, granted = turn(ledger, who, held[who], waiting[who], nodes, GATEWAYS, choose)
            for grant in granted:
                held[who][grant.node] = held[who].get(grant.node, 0) + 1
                where[grant.number] = grant.node
                waits[grant.number] = now - work[grant.number].at
                waiting[who] = [waiter for waiter in waiting[who] if waiter.number != grant.number]
                at(now + work[grant.number].seconds, "ends", who, grant.number)
            if waiting[who] and not polling[who]:
                polling[who] = True
                at(now + poll, "poll", who)
    return waits


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_as_good_as_a_central_queue(seed: int) -> None:
    work = arrivals(3000, 0.85 * len(NAMES) * SLOTS, 1.0, seed)
    ideal = percentile(central(work, len(NAMES) * SLOTS), 0.99)
    ours = percentile(through_the_ledger(work, trip=0.002, poll=0.006), 0.99)
    turns = percentile(in_turn(work, len(NAMES), SLOTS), 0.99)
    assert ideal > 0.5 and ours <= 1.2 * ideal, (ours, ideal)
    assert turns > 1.3 * ideal, (turns, ideal)


def test_with_a_store_that_takes_no_time_it_is_the_central_queue() -> None:
    work = arrivals(600, 10.0, 1.0, 7)
    ours = through_the_ledger(work, trip=0.0, poll=0.0001)
    assert [round(wait, 2) for wait in ours] == pytest.approx([round(w, 2) for w in central(work, 12)], abs=0.02)


def test_the_work_is_what_it_says() -> None:
    work = arrivals(5000, 10.0, 0.5, 1)
    assert work == arrivals(5000, 10.0, 0.5, 1) != arrivals(5000, 10.0, 0.5, 2)
    assert sum(each.seconds for each in work) / 5000 == pytest.approx(0.5)
    assert max(each.seconds for each in work) > 10 * percentile([each.seconds for each in work], 0.5)
    assert work[-1].at == pytest.approx(500, rel=0.1)
    assert central([Work(0, 0.0, 2.0), Work(1, 0.5, 1.0), Work(2, 0.6, 1.0)], 1) == pytest.approx([0.0, 1.5, 2.4])
    assert in_turn([Work(0, 0.0, 2.0), Work(1, 0.5, 1.0), Work(2, 0.6, 1.0)], 2, 1) == pytest.approx([0.0, 0.0, 1.4])
