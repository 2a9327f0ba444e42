"""Ejection: one failure is a doubt, what is left alone comes back by the gateway's own call and not by a request, pauses
double for as long as a node only fails, and the last one stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.balancing.outlier import (
    ENOUGH,
    FORGIVES,
    FRESH,
    IN_A_ROW,
    WRONG_FOR,
    Ejection,
    Standing,
    adopted,
    due,
    ejected,
    failed,
    lost,
    pause,
    tried,
    worked,
)

RULES = Ejection()


def test_one_failure_is_a_doubt_that_the_own_call_settles() -> None:
    doubted = failed(FRESH, 100.0, others=1)
    assert doubted.doubted and doubted.out and due(doubted, 100.0, RULES) and not doubted.trips
    out = tried(doubted, False, 101.0)
    assert out.ejected == 101.0 and out.trips == 1 and not out.doubted
    assert not due(out, 101.0 + RULES.pause - 0.1, RULES) and due(out, 101.0 + RULES.pause, RULES)
    back = tried(doubted, True, 101.0)
    assert not back.out and back.unproven
    assert not worked(back, 102.0).unproven


def test_who_only_fails_requests_gets_one_after_each_pause() -> None:
    """Its own calls all work: the first request makes it doubted, each other one ejects it for twice as long."""
    standing, now, requests = FRESH, 0.0, 0
    pauses = []
    while now < 3600.0:
        standing, requests = failed(standing, now, others=1), requests + 1
        if standing.ejected is not None:
            pauses.append(pause(standing, RULES))
            now += pauses[-1]
        assert standing.out and due(standing, now, RULES)
        standing = tried(standing, True, now)
        assert standing.unproven, "one at a time"
    assert pauses[:8] == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0, 300.0]
    assert requests == 1 + len(pauses) == 18, "in an hour"


def test_a_request_that_is_at_fault_makes_doubts_slower() -> None:
    standing = FRESH
    for wrong in range(IN_A_ROW):
        for _ in range(wrong):
            standing = failed(standing, 10.0, others=1)
            assert not standing.out, wrong
        standing = failed(standing, 10.0, others=1)
        assert standing.doubted, wrong
        standing = tried(standing, True, 10.0)
        for _ in range(ENOUGH):
            standing = worked(standing, 10.0)
    assert standing.wrong == IN_A_ROW - 1, "no slower than that"
    assert not failed(standing, 10.0 + WRONG_FOR - 1, others=1).out
    assert failed(standing, 10.0 + WRONG_FOR, others=1).doubted, "that was long ago"


def test_a_doubt_is_right_where_its_probe_fails_too() -> None:
    assert lost(FRESH, 1.0) == FRESH
    out = lost(failed(FRESH, 1.0, others=1), 2.0)
    assert out.ejected == 2.0 and out.trips == 1
    back = worked(tried(out, True, 10.0), 11.0)
    assert not back.wrong, "that was no mistake"


def test_every_second_one_that_fails() -> None:
    standing = Standing(wrong=IN_A_ROW - 1)
    for _ in range(6 * ENOUGH):
        standing = failed(worked(standing, 0.0), 0.0, others=1)
    assert standing.out
    mostly = Standing(wrong=IN_A_ROW - 1)
    for _ in range(60):
        mostly = failed(worked(worked(worked(mostly, 0.0), 0.0), 0.0), 0.0, others=1)
    assert not mostly.out


@given(st.lists(st.booleans(), max_size=60))
def test_the_last_one_is_never_left_alone(outcomes: list[bool]) -> None:
    standing = FRESH
    for good in outcomes:
        standing = worked(standing, 1.0) if good else failed(standing, 1.0, others=0)
        assert not standing.out and 0 <= standing.success <= 1


@given(st.lists(st.sampled_from(("worked", "failed", "lost")), max_size=60))
def test_only_the_own_call_brings_one_back(happens: list[str]) -> None:
    standing = failed(FRESH, 0.0, others=1)
    for now, what in enumerate(happens):
        if what == "worked":
            standing = worked(standing, now)
        else:
            standing = failed(standing, now, others=1) if what == "failed" else lost(standing, now)
        assert standing.out


def test_it_is_tried_and_comes_back_or_waits_twice_as_long() -> None:
    out = ejected(FRESH, 0.0)
    assert pause(out, RULES) == RULES.pause
    again = tried(out, False, 50.0)
    assert again.out and pause(again, RULES) == 2 * RULES.pause and not due(again, 50.0 + RULES.pause, RULES)
    back = tried(again, True, 90.0)
    assert not back.out and back.success == 1.0
    assert pause(ejected(back, 95.0), RULES) == 4 * RULES.pause, "it comes and goes"
    assert pause(ejected(back, 90.0 + FORGIVES), RULES) == 2 * RULES.pause, "each minute of service counts"
    assert pause(ejected(back, 90.0 + 10 * FORGIVES), RULES) == RULES.pause
    assert pause(ejected(Standing(trips=40), 0.0), RULES) == RULES.longest
    assert adopted(FRESH, 0.0, 3).trips == 3 and adopted(FRESH, 0.0, 3).out


def test_what_was_under_way_as_it_was_ejected_changes_no_pause() -> None:
    out = ejected(FRESH, 10.0)
    late = failed(out, 12.0, others=2)
    assert late.ejected == 10.0 and late.trips == out.trips
