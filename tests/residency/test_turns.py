"""Nobody waits for ever, however requests come: simulated, against the bound that residency/decide.py states."""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from memory_turns import Arrival, Pace, Turns

from pointsman.residency.unit import Rules, Unit

NAMES = "ABCD"


@st.composite
def scenes(draw: st.DrawFn) -> tuple[list[Unit], Rules, Pace, list[Arrival]]:
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    grouped = draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    units = [
        Unit(name, (name,), size, exclusive="g" if inside else None)
        for name, size, inside in zip(NAMES, sizes, grouped, strict=False)
    ]
    budget = draw(st.integers(max(sizes), sum(sizes)))
    rules = Rules(budget, draw(st.sampled_from([0.0, 1.0, 5.0])), draw(st.sampled_from([0.0, 0.0, 1.0, 3.0])))
    pace = Pace(
        draw(st.sampled_from([0.1, 1.0, 3.0])), 0.2, draw(st.sampled_from([0.05, 0.5, 2.0])), draw(st.integers(1, 3))
    )
    gaps = draw(st.lists(st.sampled_from([0.0, 0.01, 0.3, 1.0, 4.0]), min_size=1, max_size=40))
    at, arrivals = 0.0, []
    for gap in gaps:
        at += gap
        arrivals.append((at, draw(st.sampled_from(units)).name))
    return units, rules, pace, arrivals


def bound(model: str, came: float, turns: Turns, arrivals: list[Arrival]) -> float:
    """As the docstring of decide.py has it: what of others had come by then is at most all of theirs."""
    pace, total = turns.pace, max(turns.rules.patience, turns.rules.gather)
    for name in turns.units:
        many = sum(1 for at, other in arrivals if other == name and (name != model or at <= came))
        total += pace.unload + pace.load + pace.serve + math.ceil(many / pace.slots) * pace.serve
    return total + 0.001


@given(scenes())
def test_everybody_is_served_within_the_bound(scene: tuple[list[Unit], Rules, Pace, list[Arrival]]) -> None:
    units, rules, pace, arrivals = scene
    turns = Turns(units, rules, pace).run(arrivals)
    assert len(turns.waits) == len(arrivals)
    for model, came, let_in in turns.waits:
        assert let_in - came <= bound(model, came, turns, arrivals)


@given(scenes())
def test_nothing_is_loaded_without_a_request_that_waits_for_it(
    scene: tuple[list[Unit], Rules, Pace, list[Arrival]],
) -> None:
    units, rules, pace, arrivals = scene
    turns = Turns(units, rules, pace).run(arrivals)
    assert len(turns.loads) <= len(arrivals)
    for unit in units:
        loads = [at for at, name in turns.loads if name == unit.name]
        assert len(loads) <= sum(1 for _, name in arrivals if name == unit.name)


@given(scenes())
def test_no_other_is_loaded_twice_before_one_s_own_is_begun(
    scene: tuple[list[Unit], Rules, Pace, list[Arrival]],
) -> None:
    units, rules, pace, arrivals = scene
    alike = [Unit(unit.name, unit.models, 1) for unit in units]
    places = Rules(1 + (rules.budget or 0) % len(units), rules.patience, rules.gather)
    turns = Turns(alike, places, pace).run(arrivals)
    for model, came, let_in in turns.waits:
        begun = max(at for at, name in turns.loads if name == model and at <= let_in)
        others = Counter(name for at, name in turns.loads if came < at < begun and name != model)
        assert max(others.values(), default=0) <= 1


def test_while_others_never_stop_one_is_let_in() -> None:
    """A hundred requests a second for A keep it busy; B's turn comes when its patience is over."""
    units = [Unit(name, (name,), 1) for name in "AB"]
    arrivals = [(index * 0.01, "A") for index in range(6000)]
    pace = Pace(load=1.0, unload=0.2, serve=0.05, slots=4)  # 80 a second: more come than can be served
    turns = Turns(units, Rules(1, patience=10.0), pace).run(sorted([*arrivals, (5.0, "B")]), until=60.0)
    (let_in,) = [at for name, _, at in turns.waits if name == "B"]
    assert 15.0 <= let_in <= 15.0 + 0.05 + 0.2 + 1.0 + 0.001
