"""Targets that let nobody in for a while: their models are not in memory."""

from __future__ import annotations

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import QUEUED, Admitted, Capacity, Ticket, TurnedAway


def ticket(name: str, *targets: str, cells: int = 1, deadline: float | None = None) -> Ticket:
    return Ticket(name, "me", targets or ("a",), cells, deadline=deadline)


def queue(**capacities: Capacity) -> Queue:
    made = Queue()
    made.install(capacities, 0.0)
    return made


def names(admitted: list[Admitted]) -> list[str]:
    return [each.ticket.id for each in admitted]


def test_who_waits_for_one_that_is_shut_goes_in_when_it_opens_as_far_as_there_is_room() -> None:
    gate = queue(a=Capacity(2))
    assert gate.shut({"a"}, 0.0) == []
    assert [gate.arrive(ticket(name), 0.0) for name in "123"] == [QUEUED] * 3
    assert {each.id for each in gate.waits} == {"1", "2", "3"}
    assert names(gate.shut(set(), 5.0)) == ["1", "2"]
    assert names(gate.leave("1", 6.0)) == ["3"]


def test_who_is_inside_stays_and_nobody_follows() -> None:
    gate = queue(a=Capacity(1))
    assert isinstance(gate.arrive(ticket("1"), 0.0), Admitted)
    assert gate.arrive(ticket("2"), 0.0) == QUEUED
    gate.shut({"a"}, 1.0)
    assert gate.inside("a") == (1, 1)
    assert gate.leave("1", 2.0) == [] and gate.install({"a": Capacity(4)}, 2.0) == []
    assert gate.used("a") == 2.0
    assert names(gate.shut(set(), 3.0)) == ["2"]


def test_another_target_takes_what_one_that_is_shut_does_not() -> None:
    gate = queue(a=Capacity(1), b=Capacity(1))
    gate.shut({"a"}, 0.0)
    assert gate.arrive(ticket("1"), 0.0) == QUEUED
    taken = gate.arrive(ticket("2", "a", "b"), 0.0)
    assert isinstance(taken, Admitted) and taken.target == "b"


def test_what_never_fits_is_told_though_it_is_shut_and_what_fits_waits() -> None:
    gate = queue(a=Capacity(1, 100))
    gate.shut({"a"}, 0.0)
    refused = gate.arrive(ticket("1", cells=101), 0.0)
    assert isinstance(refused, TurnedAway) and refused.why == "never_fits"
    assert gate.holds("a", 100) and gate.arrive(ticket("2", cells=100, deadline=9.0), 0.0) == QUEUED
    late, went_in = gate.expire(9.0)
    assert [each.id for each in late] == ["2"] and went_in == []


def test_one_that_is_not_known_yet_can_be_shut() -> None:
    gate = Queue()
    gate.shut({"new"}, 0.0)
    assert gate.arrive(ticket("1", "new"), 0.0) == QUEUED
    assert names(gate.shut(set(), 1.0)) == ["1"]
