"""A circuit breaker for one target: closed, open, half open. Pure: (state, what happened, now) → state.

Closed: everything goes through, and what comes of it is counted over a window. Where enough failed of enough tries, it trips
and is open: nobody is sent there while others can serve. After a pause a health probe that succeeds makes it half open; then
one request at a time tries it. What succeeds resets it, what fails trips it again, for twice as long."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from pointsman.domain.attempt import Attempt
from pointsman.routing.causes import Cause, cause_of

State = Literal["closed", "open", "half_open"]
Outcome = Literal["success", "failure", "neutral"]
_PIECES = 10
"""A window is counted in so many pieces, of which the oldest goes at a time."""
LONGEST = 300.0
"""Seconds of a pause."""


class BreakerRules(msgspec.Struct, frozen=True):
    """It trips where at least `ratio` of at least `least` tries failed within `window` seconds. `pause` in seconds, doubled
    each time that a try after it fails."""

    ratio: float = 0.05
    least: int = 20
    window: float = 30.0
    pause: float = 10.0


class Breaker(msgspec.Struct, frozen=True):
    """`counts` are (piece of time, tries, failures), the oldest first. `since` when it came into this state, `trips` how
    often it has tripped since it was last closed, `cause` why the last failure was one, `trying` whether a request is under
    way that tries it."""

    state: State = "closed"
    counts: tuple[tuple[int, int, int], ...] = ()
    since: float = 0.0
    trips: int = 0
    cause: Cause | None = None
    trying: bool = False


CLOSED = Breaker()


def outcome_of(attempt: Attempt) -> tuple[Outcome, Cause | None]:
    """2xx and 4xx are successes of the engine; 429 and 503 say that it is busy; who hangs up says nothing."""
    if attempt.broke:
        return "failure", cause_of(attempt.message) or "broke_off"
    status, failure = attempt.status, attempt.failure
    if failure is None:
        return ("neutral", None) if status is None else ("success", None)
    if failure == "http":
        if status in (429, 503):
            return "neutral", None
        if status is not None and status < 500:
            return "success", None
        return "failure", cause_of(attempt.message) or ("timeout" if status == 504 else "error")
    if failure.endswith("timeout"):
        return "failure", "timeout"
    return "failure", cause_of(attempt.message) or ("connect" if failure == "connect" else "broke_off")


def after(breaker: Breaker, attempt: Attempt, now: float, rules: BreakerRules) -> Breaker:
    """With what came of one try."""
    outcome, cause = outcome_of(attempt)
    if breaker.state == "half_open":
        if outcome == "success":
            return Breaker("closed", since=now)
        if outcome == "failure":
            return Breaker("open", since=now, trips=breaker.trips + 1, cause=cause)
        return replace(breaker, trying=False)
    if outcome == "neutral":
        return breaker
    counts = _counted(breaker.counts, outcome == "failure", now, rules)
    if breaker.state == "open":  # tries that were under way as it tripped
        return replace(breaker, counts=counts)
    if outcome == "failure":
        tries, failures = sum(each[1] for each in counts), sum(each[2] for each in counts)
        if tries >= rules.least and failures >= rules.ratio * tries:
            return Breaker("open", counts, now, 1, cause)
    return Breaker(breaker.state, counts, breaker.since, breaker.trips, cause or breaker.cause, breaker.trying)


def explained(breaker: Breaker, problem: str | None) -> Breaker:
    """With what is said of the target after it failed: a process that ended, an engine that died."""
    vague = breaker.cause in ("connect", "broke_off", "error")
    cause = cause_of(problem) if vague else None
    return breaker if cause is None else replace(breaker, cause=cause)


def probed(breaker: Breaker, healthy: bool, now: float, rules: BreakerRules) -> Breaker:
    """With what a health probe found."""
    if breaker.state == "open" and healthy and now >= reopens(breaker, rules):
        return Breaker("half_open", since=now, trips=breaker.trips, cause=breaker.cause)
    return breaker


def sent(breaker: Breaker) -> Breaker:
    """A request goes there."""
    return replace(breaker, trying=True) if breaker.state == "half_open" else breaker


def passes(breaker: Breaker) -> bool:
    """Whether a request may be sent there first."""
    return breaker.state == "closed" or (breaker.state == "half_open" and not breaker.trying)


def reopens(breaker: Breaker, rules: BreakerRules) -> float:
    """When a probe may make it half open."""
    return breaker.since + min(rules.pause * 2.0 ** min(max(breaker.trips - 1, 0), 16), LONGEST)


def _counted(
    counts: tuple[tuple[int, int, int], ...], failed: bool, now: float, rules: BreakerRules
) -> tuple[tuple[int, int, int], ...]:
    piece = int(now / (rules.window / _PIECES))
    if counts and counts[0][0] <= piece - _PIECES:
        counts = tuple([each for each in counts if each[0] > piece - _PIECES])
    if counts and counts[-1][0] == piece:
        _, tries, failures = counts[-1]
        return (*counts[:-1], (piece, tries + 1, failures + failed))
    return (*counts, (piece, 1, int(failed)))
