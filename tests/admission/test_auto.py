"""A limit that is found out: bounded, and near what the engine holds, in simulations with recorded service times."""

from __future__ import annotations

import heapq
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.admission.auto import Auto, Seen, Terms, adjusted

RECORDED = (
    1.57, 2.43, 3.05, 4.80, 1.92, 3.12, 3.77, 5.45, 2.10, 3.31, 3.99, 5.83, 2.04, 3.14, 3.84, 5.53,
    1.79, 2.74, 3.38, 4.94, 1.79, 2.76, 3.41, 5.10, 2.29, 3.54, 4.38, 6.55, 2.33, 3.75, 4.63, 6.45,
)  # fmt: skip
"""Seconds of replies of SmolLM2-135M, 8, 16, 24 and 64 tokens at a time in its four slots."""

seen = st.builds(
    Seen,
    taken=st.booleans(),
    delays=st.lists(st.floats(0.0, 100.0), max_size=5).map(tuple),
    waiting=st.none() | st.integers(0, 50),
    preempted=st.booleans(),
    out_of_memory=st.booleans(),
)


@given(st.floats(1, 600), st.lists(seen, max_size=100), st.integers(1, 512))
def test_it_is_bounded_whatever_is_seen(first: float, story: list[Seen], most: int) -> None:
    auto, terms = Auto(min(first, most)), Terms(most=most)
    for each in story:
        before, auto = auto, adjusted(auto, each, terms)
        assert 1 <= auto.sequences <= most
        assert auto.limit <= before.limit + terms.more and auto.limit >= min(before.limit * terms.cut, 1.0)


def test_it_grows_only_where_all_places_were_taken() -> None:
    terms = Terms()
    auto = Auto(4.0)
    assert adjusted(auto, Seen(waiting=0), terms).sequences == 4
    assert adjusted(auto, Seen(taken=True, waiting=0), terms) == Auto(5.0, why="all_taken")


def test_what_waits_inside_for_a_moment_is_no_sign() -> None:
    terms = Terms()
    once = adjusted(Auto(8.0), Seen(taken=True, waiting=3), terms)
    assert once.sequences == 8
    assert adjusted(once, Seen(taken=True, waiting=0), terms).sequences == 9
    twice = adjusted(once, Seen(taken=True, waiting=1), terms)
    assert (twice.sequences, twice.why) == (6, "engine_waiting")
    rested = adjusted(twice, Seen(taken=True, waiting=5), terms)
    assert rested.sequences == 6, "what waits now was sent before"
    assert adjusted(rested, Seen(taken=True, waiting=5), terms).sequences == 4


@pytest.mark.parametrize(
    ("what", "why"), [({"preempted": True}, "preempted"), ({"out_of_memory": True}, "out_of_memory")]
)
def test_one_of_these_is_sign_enough(what: dict[str, bool], why: str) -> None:
    auto = adjusted(Auto(8.0), Seen(taken=True, waiting=0, **what), Terms())
    assert (auto.sequences, auto.why) == (6, why)


def test_first_bytes_that_come_late_are_a_queue_where_the_engine_does_not_tell_of_one() -> None:
    terms = Terms()
    auto = adjusted(Auto(8.0), Seen(taken=True, delays=(0.2, 0.3, 0.2)), terms)
    assert auto.sequences == 9 and auto.best == 0.2
    assert adjusted(auto, Seen(taken=True, delays=(0.6, 0.7, 0.9)), terms).why == "slow_start"
    assert adjusted(auto, Seen(taken=True, delays=(0.6, 0.7, 0.9), waiting=0), terms).sequences == 10


class Simulated:
    """An engine with so many slots, more of which wait inside; a crowd that always wants more."""

    def __init__(self, slots: int, seed: int, *, tells: bool) -> None:
        self.slots, self.tells = slots, tells
        self.rng = random.Random(seed)
        self.ends: list[float] = []
        self.queue: list[float] = []
        self.delays: list[float] = []

    def period(self, now: float, until: float, limit: int) -> Seen:
        """At most `limit` inside from `now` on."""
        taken = False
        while now < until:
            while len(self.ends) + len(self.queue) < limit:
                self.queue.append(now)
                taken = True
            while self.queue and len(self.ends) < self.slots:
                came = self.queue.pop(0)
                self.delays.append(now - came + 0.02)
                heapq.heappush(self.ends, now + self.rng.choice(RECORDED))
            now = min(heapq.heappop(self.ends), until) if self.ends and self.ends[0] <= until else until
        delays, self.delays = tuple(self.delays), []
        return Seen(taken, delays, len(self.queue) if self.tells else None)


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("first", [1, 4, 100])
@pytest.mark.parametrize("slots", [1, 4, 24])
def test_it_comes_to_what_the_engine_holds_and_stays_there(slots: int, first: int, tells: bool) -> None:
    engine, auto = Simulated(slots, slots, tells=tells), Auto(float(first))
    limits = []
    for second in range(600):
        auto = adjusted(auto, engine.period(float(second), second + 1.0, auto.sequences), Terms())
        limits.append(auto.sequences)
    settled = limits[200:]
    assert min(settled) >= max(0.6 * slots - 1, 1)
    assert max(settled) <= 1.5 * slots + 3
    assert 0.7 * slots <= sum(settled) / len(settled) <= 1.4 * slots + 2
