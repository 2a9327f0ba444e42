"""Ejection: failures in a row, a share of failures, pauses that double, and never the last node."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.balancing.outlier import (
    ENOUGH,
    FRESH,
    IN_A_ROW,
    LONGEST,
    PAUSE,
    Standing,
    adopted,
    due,
    ejected,
    failed,
    pause,
    tried,
    worked,
)


def test_failures_in_a_row() -> None:
    standing = FRESH
    for number in range(IN_A_ROW):
        assert not standing.out, number
        standing = failed(standing, 100.0, others=1)
    assert standing.out and standing.trips == 1
    assert not due(standing, 100.0 + PAUSE - 0.1) and due(standing, 100.0 + PAUSE)


def test_every_second_one_that_fails() -> None:
    standing = FRESH
    for _ in range(6 * ENOUGH):
        standing = failed(worked(standing), 0.0, others=1)
    assert standing.out
    mostly = FRESH
    for _ in range(60):
        mostly = failed(worked(worked(worked(mostly))), 0.0, others=1)
    assert not mostly.out


@given(st.lists(st.booleans(), max_size=60))
def test_the_last_one_is_never_ejected(outcomes: list[bool]) -> None:
    standing = FRESH
    for good in outcomes:
        standing = worked(standing) if good else failed(standing, 1.0, others=0)
        assert not standing.out and 0 <= standing.success <= 1


def test_it_is_tried_and_comes_back_or_waits_twice_as_long() -> None:
    out = ejected(FRESH, 0.0)
    assert pause(out) == PAUSE
    again = tried(out, False, 50.0)
    assert again.out and pause(again) == 2 * PAUSE and not due(again, 50.0 + PAUSE)
    back = tried(again, True, 90.0)
    assert not back.out and back.success == 1.0
    assert pause(ejected(back, 95.0)) == 4 * PAUSE, "it had failed before, and had no time to show that it works"
    for _ in range(ENOUGH + 1):
        back = worked(back)
    assert pause(ejected(back, 99.0)) == PAUSE
    assert pause(ejected(Standing(trips=40), 0.0)) == LONGEST
    assert adopted(FRESH, 0.0, 3).trips == 3 and adopted(FRESH, 0.0, 3).out


def test_what_was_under_way_as_it_was_ejected_changes_no_pause() -> None:
    out = ejected(FRESH, 10.0)
    late = failed(out, 12.0, others=2)
    assert late.ejected == 10.0 and late.trips == out.trips
