"""The seven states of a request, and what moves it from one to the next. Pure: (place, event) → place."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.attempt import Outcome

State = Literal["received", "l0_routing", "l0_matched", "l0_missed", "l1_processing", "execution", "completed"]
Disposition = Literal["active", "parked", "cancelled", "dead"]
"""Beside the state: it goes on; it waits for something else; somebody called it off; it failed too often."""
Event = Literal[
    "admitted",
    "matched",
    "missed",
    "arbitrated",
    "dispatched",
    "clarified",
    "stepped",
    "resumed",
    "restarted",
    "sent_again",
    "failed",
    "parked",
    "unparked",
    "died",
    "revived",
    "ended",
]

ASKED_MOST = 2
"""How often the user's answer may bring a request from the arbiter back to the rules."""
_MOVES: dict[Event, dict[State, State]] = {
    "admitted": {"received": "l0_routing"},
    "matched": {"l0_routing": "l0_matched"},
    "missed": {"l0_routing": "l0_missed"},
    "arbitrated": {"l0_missed": "l1_processing"},
    "dispatched": {"l0_matched": "execution", "l0_missed": "execution", "l1_processing": "execution"},
    "clarified": {"l1_processing": "l0_routing"},
    "stepped": {"execution": "execution"},
    "resumed": {"execution": "execution"},
    "restarted": {
        "l0_routing": "l0_routing",
        "l0_matched": "l0_routing",
        "l0_missed": "l0_routing",
        "l1_processing": "l0_routing",
        "execution": "l0_routing",
    },
    "sent_again": {"l0_missed": "l0_missed", "l1_processing": "l0_missed", "execution": "l0_missed"},
}


class Place(msgspec.Struct, frozen=True):
    """Where a request is. `outcome` is set with `completed`, never before. `asked` counts returns from the arbiter."""

    state: State = "received"
    disposition: Disposition = "active"
    outcome: Outcome | None = None
    asked: int = 0


class IllegalEvent(ValueError):
    """That event cannot happen there."""


def step(place: Place, event: Event, outcome: Outcome | None = None) -> Place:
    """Where it is afterwards. `outcome` is given with `ended` alone. Raises IllegalEvent.

    Three ways lead on from where a worker or a model left off, to the three points of resumption: `resumed` does the step of
    the execution again, `sent_again` looks for a target anew, `restarted` decides anew. `failed` notes a try that is to be
    repeated. A cancelled request has ended; a dead one keeps its state,
    and `revived` takes it up there."""
    if (outcome is not None) != (event == "ended"):
        raise IllegalEvent(f"{event} with outcome {outcome}")
    if event == "revived":
        if place.disposition != "dead":
            raise IllegalEvent(f"{event} where it is {place.disposition}")
        return msgspec.structs.replace(place, disposition="active")
    if place.state == "completed" or place.disposition in ("cancelled", "dead"):
        raise IllegalEvent(f"{event} after the end ({place.state}, {place.disposition})")
    if event == "ended":
        disposition: Disposition = "cancelled" if outcome == "cancelled" else "active"
        return Place("completed", disposition, outcome, place.asked)
    if event == "died":
        return msgspec.structs.replace(place, disposition="dead")
    if (place.disposition == "parked") != (event == "unparked"):
        raise IllegalEvent(f"{event} where it is {place.disposition}")
    if event == "unparked":
        return msgspec.structs.replace(place, disposition="active")
    if event == "parked":
        return msgspec.structs.replace(place, disposition="parked")
    if event == "failed":
        return place
    if place.state not in _MOVES[event]:
        raise IllegalEvent(f"{event} in {place.state}")
    asked = place.asked + (event == "clarified")
    if asked > ASKED_MOST:
        raise IllegalEvent(f"{event} for the {asked}. time")
    return Place(_MOVES[event][place.state], "active", None, asked)
