"""The circuit breaker: when it trips, when it tries again, what counts for what."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.attempt import Attempt
from pointsman.routing.breaker import (
    CLOSED,
    LONGEST,
    Breaker,
    BreakerRules,
    after,
    outcome_of,
    passes,
    probed,
    reopens,
    sent,
)

RULES = BreakerRules()


def tried(status: int | None = 200, failure: str | None = None, **more: Any) -> Attempt:
    return Attempt("m@a", 0.0, 1.0, status, failure, **more)


GOOD, BAD = tried(), tried(500, "http")


def run(breaker: Breaker, *attempts: Attempt, now: float = 0.0, rules: BreakerRules = RULES) -> Breaker:
    for attempt in attempts:
        breaker = after(breaker, attempt, now, rules)
    return breaker


@pytest.mark.parametrize(
    ("attempt", "outcome"),
    [
        (tried(200), ("success", None)),
        (tried(400, "http"), ("success", None)),
        (tried(404), ("success", None)),
        (tried(429, "http"), ("neutral", None)),
        (tried(503, "http"), ("neutral", None)),
        (tried(None), ("neutral", None)),
        (tried(500, "http"), ("failure", "error")),
        (tried(500, "http", message="CUDA out of memory"), ("failure", "out_of_memory")),
        (tried(502, "http", message="Failed to load model"), ("failure", "load")),
        (tried(None, "connect"), ("failure", "connect")),
        (tried(None, "first_byte_timeout"), ("failure", "timeout")),
        (tried(200, "idle_timeout", broke=True), ("failure", "broke_off")),
        (tried(200, "reset", broke=True), ("failure", "broke_off")),
    ],
)
def test_what_counts_as_what(attempt: Attempt, outcome: tuple[str, str | None]) -> None:
    assert outcome_of(attempt) == outcome


def test_one_failure_of_few_says_nothing() -> None:
    assert run(CLOSED, BAD, *[GOOD] * 5, BAD).state == "closed"
    assert run(CLOSED, *[BAD] * 19).state == "closed"
    assert run(CLOSED, *[BAD] * 20).state == "open"


def test_the_ratio() -> None:
    assert run(CLOSED, *[GOOD] * 39, BAD).state == "closed"
    assert run(CLOSED, *[GOOD] * 38, BAD, BAD).state == "open"
    assert run(CLOSED, BAD, BAD, *[GOOD] * 38).state == "closed", "a success trips nothing"


def test_what_is_long_past_counts_no_more() -> None:
    breaker = run(CLOSED, *[BAD] * 19)
    assert run(breaker, BAD, now=RULES.window + 1).state == "closed"


def test_open_half_open_closed() -> None:
    breaker = run(CLOSED, *[BAD] * 20, now=100.0)
    assert breaker.state == "open" and not passes(breaker) and breaker.cause == "error"
    assert probed(breaker, True, 109.9, RULES) is breaker, "not before the pause"
    assert probed(breaker, False, 111.0, RULES) is breaker
    half = probed(breaker, True, 111.0, RULES)
    assert half.state == "half_open" and passes(half)
    trying = sent(half)
    assert not passes(trying), "one request at a time"
    assert passes(after(trying, tried(429, "http"), 112.0, RULES)), "a busy engine decides nothing"
    assert after(trying, GOOD, 112.0, RULES) == Breaker("closed", since=112.0)
    again = after(trying, BAD, 112.0, RULES)
    assert again.state == "open" and reopens(again, RULES) == 112.0 + 2 * RULES.pause
    assert probed(again, True, 131.9, RULES).state == "open" and probed(again, True, 132.0, RULES).state == "half_open"


def test_pauses_do_not_grow_for_ever() -> None:
    assert reopens(Breaker("open", since=0.0, trips=5000), RULES) == LONGEST


@given(
    st.lists(st.tuples(st.sampled_from(["good", "bad", "busy", "up", "down", "send"]), st.floats(0, 60)), max_size=200)
)
def test_it_trips_exactly_where_a_recount_says_so(story: list[tuple[str, float]]) -> None:
    rules = BreakerRules(0.25, 4, 20.0, 5.0)
    breaker, now = CLOSED, 0.0
    log: list[tuple[int, bool]] = []
    for what, passed in story:
        now += passed / 10
        piece = int(now / 2.0)
        before = breaker
        if what in ("good", "bad"):
            failed = what == "bad"
            breaker = after(breaker, BAD if failed else GOOD, now, rules)
            if before.state == "half_open":
                assert breaker.state == ("open" if failed else "closed")
                log = []
            else:
                log.append((piece, failed))
            recent = [bad for at, bad in log if at > piece - 10]
            if before.state == "closed":
                trips = failed and len(recent) >= 4 and sum(recent) >= 0.25 * len(recent)
                assert (breaker.state == "open") is trips
        elif what == "busy":
            breaker = after(breaker, tried(429, "http"), now, rules)
            assert breaker.state == before.state
        elif what == "send":
            breaker = sent(breaker)
        else:
            breaker = probed(breaker, what == "up", now, rules)
            opens = before.state == "open" and what == "up" and now >= reopens(before, rules)
            assert (breaker.state == "half_open") is (opens or before.state == "half_open")
            if opens:
                log = []
