"""The way of a relayed request through its states, told by what its record holds. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from pointsman.domain.attempt import Attempt, Outcome
from pointsman.domain.lifecycle import Event, Place, step


class Point(msgspec.Struct, frozen=True):
    """`at_ms` counts from the request's arrival; None where it is not known."""

    event: Event
    place: Place
    at_ms: float | None
    about: dict[str, Any] = {}


def path_of(
    stage: str | None,
    decided_ms: float | None,
    attempts: Iterable[Attempt],
    ended: tuple[Outcome, float | None] | None,
    about: dict[str, Any],
    *,
    arbitrated: bool = False,
    asked: int = 0,
) -> list[Point]:
    """`stage` is the decision's, None where there was none; `ended` (outcome, milliseconds), None while it is under way.
    `about` is told of the step that decided. `arbitrated`: an arbiter had a say; `asked` questions of its own were answered
    before, in this conversation."""
    points: list[Point] = []
    place = Place()

    def go(event: Event, at: float | None, told: dict[str, Any] | None = None, outcome: Outcome | None = None) -> None:
        nonlocal place
        place = step(place, event, outcome)
        points.append(Point(event, place, at, told or {}))

    go("admitted", 0.0)
    for _ in range(asked):
        go("missed", None)
        go("arbitrated", None)
        go("clarified", 0.0)
    if stage is not None:
        go("matched" if stage == "l0" else "missed", None if arbitrated else decided_ms, {} if arbitrated else about)
        if arbitrated:
            go("arbitrated", decided_ms, about)
        tries = list(attempts)
        for number, tried in enumerate(tries):
            if number == 0:
                go("dispatched", tried.began_ms, {"target": tried.target})
            elif tries[number - 1].broke:
                before = tries[number - 1]
                go("sent_again", before.began_ms + before.took_ms, {"after": before.target})
                go("dispatched", tried.began_ms, {"target": tried.target})
            else:
                go("stepped", tried.began_ms, {"target": tried.target})
        if not tries:
            go("dispatched", decided_ms)
    if ended is not None:
        outcome, at = ended
        go("ended", at, None, outcome)
    return points
