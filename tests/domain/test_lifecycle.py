"""Every legal move of a request, and that there is no other; walks against arrows that are written out one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pointsman.domain.attempt import Outcome
from pointsman.domain.lifecycle import ASKED_MOST, Disposition, Event, IllegalEvent, Place, State, step

STATES, DISPOSITIONS, EVENTS, OUTCOMES = (get_args(each) for each in (State, Disposition, Event, Outcome))
ARROWS = """
received       admitted    l0_routing
l0_routing     matched     l0_matched
l0_routing     missed      l0_missed
l0_matched     dispatched  execution
l0_missed      arbitrated  l1_processing
l0_missed      dispatched  execution
l1_processing  dispatched  execution
l1_processing  clarified   l0_routing
execution      stepped     execution

execution      resumed     execution
l0_routing     restarted   l0_routing
l0_matched     restarted   l0_routing
l0_missed      restarted   l0_routing
l1_processing  restarted   l0_routing
execution      restarted   l0_routing
l0_missed      sent_again  l0_missed
l1_processing  sent_again  l0_missed
execution      sent_again  l0_missed
"""
NEXT = {(state, event): after for state, event, after in map(str.split, filter(None, ARROWS.splitlines()))}
MAIN_ROAD = ("admitted", "missed", "arbitrated", "dispatched", "stepped")

Spot = tuple[Any, Any, Any, int]  # state, disposition, outcome, asked


def after(spot: Spot, event: str, outcome: str | None) -> Spot | None:
    """Where it is then, case by case; None: that cannot happen."""
    state, disposition, _, asked = spot
    if (event == "ended") != (outcome is not None):
        return None
    if event == "revived":
        return (state, "active", None, asked) if disposition == "dead" else None
    if state == "completed" or disposition == "dead":
        return None
    if event == "ended":
        return "completed", "cancelled" if outcome == "cancelled" else "active", outcome, asked
    if event == "died":
        return state, "dead", None, asked
    if disposition == "parked":
        return (state, "active", None, asked) if event == "unparked" else None
    if event == "parked":
        return state, "parked", None, asked
    if event == "failed":
        return spot
    if event == "clarified":
        return ("l0_routing", "active", None, asked + 1) if state == "l1_processing" and asked < 2 else None
    if (state, event) in NEXT:
        return NEXT[state, event], "active", None, asked
    return None


def stepped(spot: Spot, event: Any, outcome: Any) -> Spot | None:
    try:
        place = step(Place(*spot), event, outcome)
    except IllegalEvent:
        return None
    return place.state, place.disposition, place.outcome, place.asked


def spots() -> Iterator[Spot]:
    """Every place there can be."""
    for asked in range(ASKED_MOST + 1):
        for state, disposition in product(STATES, ("active", "parked", "dead")):
            if state != "completed":
                yield state, disposition, None, asked
        for outcome in OUTCOMES:
            yield "completed", "cancelled" if outcome == "cancelled" else "active", outcome, asked


def test_states_and_beside_them_dispositions_are_the_documents() -> None:
    assert STATES == (
        "received",
        "l0_routing",
        "l0_matched",
        "l0_missed",
        "l1_processing",
        "execution",
        "completed",
    )
    assert DISPOSITIONS == ("active", "parked", "cancelled", "dead")
    assert Place() == Place("received", "active", None, 0)


@pytest.mark.parametrize("event", EVENTS)
def test_every_place_with_every_event(event: str) -> None:
    for spot, outcome in product(spots(), (None, *OUTCOMES)):
        assert stepped(spot, event, outcome) == after(spot, event, outcome), (spot, event, outcome)


def test_any_state_ends_with_any_outcome() -> None:
    for state, outcome in product(STATES[:-1], OUTCOMES):
        for disposition in ("active", "parked"):
            place = step(Place(state, disposition), "ended", outcome)
            assert (place.state, place.outcome) == ("completed", outcome)
            assert place.disposition == ("cancelled" if outcome == "cancelled" else "active")


def test_nothing_leads_on_from_the_end() -> None:
    for event, outcome in product(EVENTS, (None, *OUTCOMES)):
        for end in OUTCOMES:
            ended = step(Place("execution"), "ended", end)
            with pytest.raises(IllegalEvent):
                step(ended, event, outcome)


def test_the_arbiter_asks_twice_at_most() -> None:
    place = step(Place(), "admitted")
    for asked in (1, 2):
        place = step(step(step(place, "missed"), "arbitrated"), "clarified")
        assert place == Place("l0_routing", "active", None, asked)
    place = step(step(place, "missed"), "arbitrated")
    with pytest.raises(IllegalEvent, match="clarified"):
        step(place, "clarified")
    assert step(place, "dispatched").state == "execution"


def test_deciding_anew_does_not_forget_how_often_was_asked() -> None:
    place = Place("execution", "active", None, 2)
    assert step(place, "restarted").asked == step(place, "sent_again").asked == step(place, "ended", "ok").asked == 2
    assert step(step(place, "died"), "revived") == place
    assert step(step(place, "parked"), "unparked") == place


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(IllegalEvent, match="matched in received"):
        step(Place(), "matched")
    with pytest.raises(IllegalEvent, match="ended with outcome None"):
        step(Place(), "ended")
    with pytest.raises(IllegalEvent, match="admitted with outcome ok"):
        step(Place(), "admitted", "ok")
    with pytest.raises(IllegalEvent, match="revived where it is active"):
        step(Place(), "revived")
    with pytest.raises(IllegalEvent, match="stepped where it is parked"):
        step(Place("execution", "parked"), "stepped")


WALKS = st.lists(st.tuples(st.sampled_from(EVENTS), st.sampled_from((None, None, None, *OUTCOMES))), max_size=40)


@given(WALKS)
@example([(event, None) for event in MAIN_ROAD] + [("ended", "ok")])
def test_walks(walk: list[tuple[str, str | None]]) -> None:
    """Refused events leave it where it is; so no walk leads to a place that there is not."""
    spot, known = (Place().state, Place().disposition, None, 0), set(spots())
    for event, outcome in walk:
        there = after(spot, event, outcome if event == "ended" else None)
        assert stepped(spot, event, outcome if event == "ended" else None) == there
        spot = there or spot
        assert spot in known


@given(st.data())
def test_legal_walks_come_to_an_end_that_stays(data: st.DataObject) -> None:
    """Of what can happen, something does; from everywhere an end is at most two events away."""
    place = Place()
    for _ in range(data.draw(st.integers(0, 30))):
        events = [event for event in EVENTS if after(spot_of(place), event, "failed" if event == "ended" else None)]
        if not events:
            assert place.state == "completed"
            break
        event = data.draw(st.sampled_from(events))
        place = step(place, event, data.draw(st.sampled_from(OUTCOMES)) if event == "ended" else None)
        assert (place.outcome is not None) == (place.state == "completed")
        assert place.disposition != "cancelled" or place.outcome == "cancelled"
        assert 0 <= place.asked <= ASKED_MOST
    if place.disposition == "dead":
        place = step(place, "revived")
    if place.state != "completed":
        assert step(place, "ended", "cancelled").disposition == "cancelled"


def spot_of(place: Place) -> Spot:
    return place.state, place.disposition, place.outcome, place.asked
