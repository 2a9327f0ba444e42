"""What targets have to do, as decisions see it."""

from __future__ import annotations

import pytest

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import Capacity, Ticket


def ticket(id: str, cells: int = 100, targets: tuple[str, ...] = ("t",)) -> Ticket:
    return Ticket(id, "a", targets, cells)


def test_a_target_that_nobody_knows_is_idle() -> None:
    assert Queue().load("t", 0.0) == (0, 0.0)


def test_with_room_nobody_waits_and_before_anything_was_served_nobody_knows_for_how_long() -> None:
    queue = Queue()
    queue.install({"t": Capacity(sequences=2)}, 0.0)
    queue.arrive(ticket("1"), 0.0)
    assert queue.load("t", 1.0) == (1, 0.0)
    queue.arrive(ticket("2"), 1.0)
    assert queue.load("t", 2.0) == (2, 0.0)


def test_the_wait_is_the_work_before_at_the_speed_so_far() -> None:
    queue = Queue()
    queue.install({"t": Capacity(sequences=1), "u": Capacity(sequences=1)}, 0.0)
    queue.arrive(ticket("1"), 0.0)
    queue.leave("1", 10.0)  # 100 cells in 10 s
    queue.arrive(ticket("2"), 10.0)
    in_flight, wait = queue.load("t", 10.0)
    assert (in_flight, wait) == (1, pytest.approx(10.0))
    queue.arrive(ticket("3", targets=("t",)), 10.0)
    queue.arrive(ticket("4", targets=("u",)), 10.0)
    queue.arrive(ticket("5", targets=("t", "u")), 10.0)
    in_flight, wait = queue.load("t", 10.0)
    assert (in_flight, wait) == (1, pytest.approx(25.0)), "one inside, one before it, half of one that may go elsewhere"
