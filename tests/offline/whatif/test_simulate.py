"""The simulation beside oracles: a queue that is computed by hand, small steps of time, and its own log."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.admission.ticket import Capacity
from pointsman.bench.nodes.work import Work, central
from pointsman.offline.audit.cost import Cost
from pointsman.offline.whatif.asked import Asked, Logged
from pointsman.offline.whatif.engine import Engine
from pointsman.offline.whatif.forecast import Draws, drawn_from, forecast
from pointsman.offline.whatif.memory import Memory
from pointsman.offline.whatif.simulate import Fleet, Served, simulate
from pointsman.offline.whatif.slowdown import Slowdown, fitted, works_of
from pointsman.residency.unit import Rules, Unit
from thorough import tries

COST = Cost(0, 0.0, 0.0, 0.0, 0.0)


def slowdown(beside: float) -> Slowdown:
    return Slowdown(beside, True, 1.0, 0, COST)


def fleet(nodes: int, slots: int | None, beside: float = 0.0, **more: object) -> Fleet:
    return Fleet(nodes, {"m": Served(Capacity(slots), slowdown(beside))}, **{"most": 10**6, "wait": 1e9, **more})  # type: ignore[arg-type]


def poisson(count: int, rate: float, work: float, seed: int, target: str = "m") -> list[Asked]:
    rng, at, found = random.Random(seed), 0.0, []
    for _ in range(count):
        at += rng.expovariate(rate)
        found.append(Asked(at, "me", target, 10, rng.uniform(0.2, 1.8) * work))
    return found


@settings(max_examples=tries(18, 60), deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 5), st.floats(0.01, 5)), min_size=1, max_size=40),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_waits_are_those_of_one_queue(gaps: list[tuple[float, float]], nodes: int, slots: int) -> None:
    """Where a batch costs nothing and one caller asks, first come, first served."""
    at, asked = 0.0, []
    for gap, work in gaps:
        at += gap
        asked.append(Asked(at, "me", "m", 1, work))
    run = simulate(asked, fleet(nodes, slots))
    expected = central([Work(place, each.at, each.work) for place, each in enumerate(asked)], nodes * slots)
    found = dict(zip(run.served, run.waits, strict=True))
    assert [found[place] for place in range(len(asked))] == pytest.approx(expected, abs=1e-6)


def test_who_shares_an_engine_goes_on_as_in_small_steps() -> None:
    engine = Engine(slowdown(0.5).rate)
    coming = [(0.0, "a", 3.0), (0.5, "b", 1.0), (1.25, "c", 0.5), (7.0, "d", 1.0)]
    ends: dict[str, float] = {}
    for at, name, work in coming:
        while engine.next <= at:
            end, ended = engine.end()
            ends[ended] = end
        engine.begin(name, work, at)
    while len(engine):
        end, ended = engine.end()
        ends[ended] = end
    left: dict[str, float] = {}
    slowly: dict[str, float] = {}
    step = 0.0005
    for tick in range(20_000):
        now = tick * step
        left |= {name: work for at, name, work in coming if now <= at < now + step}
        rate = 1 / (1 + 0.5 * (len(left) - 1)) if left else 0.0
        for name in list(left):
            left[name] -= step * rate
            if left[name] <= 0:
                slowly[name] = now
                del left[name]
    assert ends == pytest.approx(slowly, abs=0.01)


@pytest.mark.parametrize("beside", [0.0, 0.3, 0.8])
def test_the_slowdown_is_found_again_in_what_was_simulated(beside: float) -> None:
    rng = random.Random(3)
    asked, lengths, at = [], [], 0.0
    for _ in range(600):
        at += rng.expovariate(1.0)
        read, written = rng.randrange(50, 2000), rng.randrange(5, 200)
        lengths.append((read, written))
        asked.append(Asked(at, "me", "m", 1, 0.05 + read * 0.0002 + written * 0.004))
    run = simulate(asked, fleet(1, 6, beside))
    logged = [
        Logged(
            asked[place].at, "m", "me", "m", "m", *lengths[place],
            began=asked[place].at + wait, ended=asked[place].at + took, good=True,
        )
        for place, wait, took in zip(run.served, run.waits, run.took, strict=True)
    ]  # fmt: skip
    found = fitted(logged)
    assert found is not None and found.measured
    assert found.beside == pytest.approx(beside, abs=0.051)
    works = works_of([("m", each.began or 0.0, each.ended) for each in logged], beside)
    assert works == pytest.approx([asked[place].work for place in run.served], rel=1e-6)


def test_who_waits_too_long_or_behind_too_many_is_turned_away() -> None:
    asked = [Asked(0.0, "me", "m", 1, 10.0) for _ in range(10)]
    run = simulate(asked, fleet(1, 1, wait=15.0))
    assert (len(run.waits), run.turned_away) == (2, 8)
    run = simulate(asked, fleet(1, 1, most=3))
    assert (len(run.waits), run.turned_away) == (4, 6)


def test_models_take_turns_and_a_second_node_ends_that() -> None:
    targets = {name: Served(Capacity(4), slowdown(0.0)) for name in ("a", "b")}
    units = (Unit("a", ("a",), 10), Unit("b", ("b",), 10))
    memory = Memory(units, Rules(budget=10, patience=5.0), {"a": 2.0, "b": 2.0})
    asked = [Asked(30.0 * number, "me", "ab"[number % 2], 1, 1.0) for number in range(20)]
    one, two = (simulate(asked, Fleet(nodes, targets, memory, wait=600)) for nodes in (1, 2))
    assert (one.loads, one.evictions) == (20, 19)
    assert (two.loads, two.evictions) == (2, 0)
    assert min(one.waits) >= 2.0
    assert sorted(two.waits)[:18] == [0.0] * 18


def test_draws_are_of_the_traffic_and_tell_how_sure_it_is() -> None:
    asked = poisson(800, 1.0, 0.8, 5)
    assert drawn_from(asked, 1) == drawn_from(asked, 1) != drawn_from(asked, 2)
    assert {each.work for each in drawn_from(asked, 1)} <= {each.work for each in asked}
    one, two = forecast(asked, [fleet(1, 1), fleet(2, 1)], Draws(6))
    assert one.p99.low <= one.p99.value <= one.p99.high
    assert one.p99.low < one.p99.high
    assert two.p99.high < one.p99.low
    assert two.use.value == pytest.approx(one.use.value / 2, rel=0.1)
    assert not one.suffices(2.0) and two.suffices(2.0)
