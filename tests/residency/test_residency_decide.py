"""What is loaded and what goes, one moment at a time."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from memory_turns import Pace, Turns

from pointsman.residency.decide import Step, decide
from pointsman.residency.unit import Rules, Seat, Shortage, Unit, shortage

ONE = Rules(budget=1, patience=10.0)
A, B, C = (Unit(name, (name,), 1) for name in "ABC")


def at(now: float, rules: Rules, units: list[Unit], **seats: Seat) -> Step:
    known: Mapping[str, Seat] = {unit.name: seats.get(unit.name, Seat()) for unit in units}
    return decide(units, known, rules, now)


def wanted(since: float, many: int = 1) -> Seat:
    return Seat("out", many, since)


def test_what_somebody_waits_for_is_loaded_where_there_is_room() -> None:
    assert at(5.0, ONE, [A, B], A=wanted(4.0)).load == ("A",)
    assert at(5.0, Rules(budget=2), [A, B], A=wanted(4.0), B=wanted(3.0)).load == ("B", "A")
    assert at(5.0, Rules(), [A, B, C], A=wanted(4.0), B=wanted(3.0), C=Seat("in")).load == ("B", "A")


def test_nobody_waits_and_nothing_happens() -> None:
    assert at(5.0, ONE, [A, B]) == Step()
    assert at(5.0, ONE, [A, B], A=Seat("in", inside=1)) == Step()


def test_one_that_nobody_uses_goes_first_and_the_next_is_loaded_once_it_is_gone() -> None:
    step = at(5.0, ONE, [A, B], A=Seat("in", used=4.9), B=wanted(5.0))
    assert step == Step(unload=("A",))
    assert at(5.1, ONE, [A, B], A=Seat("going"), B=wanted(5.0)) == Step()
    assert at(5.2, ONE, [A, B], A=Seat("out"), B=wanted(5.0)).load == ("B",)


def test_the_longest_unused_goes() -> None:
    two = Rules(budget=2)
    step = at(9.0, two, [A, B, C], A=Seat("in", used=7.0), B=Seat("in", used=3.0), C=wanted(8.0))
    assert step.unload == ("B",)


def test_one_that_is_large_enough_goes_alone() -> None:
    large = Unit("L", ("L",), 3)
    step = at(9.0, Rules(budget=4), [A, large, C], A=Seat("in", used=1.0), L=Seat("in", used=2.0), C=wanted(8.0))
    assert step.unload == ("A",)
    need = Unit("N", ("N",), 3)
    step = at(9.0, Rules(budget=4), [A, large, need], A=Seat("in", used=1.0), L=Seat("in", used=2.0), N=wanted(8.0))
    assert step.unload == ("L",)


def test_one_in_use_stays_until_patience_is_over() -> None:
    busy = Seat("in", inside=1)
    assert at(12.0, ONE, [A, B], A=busy, B=wanted(5.0)) == Step(at=15.0)
    assert at(15.0, ONE, [A, B], A=busy, B=wanted(5.0)).unload == ("A",)


def test_who_came_before_or_waited_when_it_was_loaded_is_served_first() -> None:
    assert at(30.0, ONE, [A, B], A=Seat("in", 1, 4.0), B=wanted(5.0)).unload == ()
    assert at(30.0, ONE, [A, B], A=Seat("in", 1, 8.0, since=9.0), B=wanted(5.0)).unload == ()
    assert at(30.0, ONE, [A, B], A=Seat("in", 1, 9.5, since=9.0), B=wanted(5.0)).unload == ("A",)


def test_requests_are_gathered_before_one_goes_that_was_in_use_just_now() -> None:
    gathering = Rules(budget=1, gather=3.0)
    assert at(5.5, gathering, [A, B], A=Seat("in", used=5.2), B=wanted(5.0)) == Step(at=8.0)
    assert at(8.0, gathering, [A, B], A=Seat("in", used=5.2), B=wanted(5.0)).unload == ("A",)
    assert at(5.5, gathering, [A, B], A=Seat("in", used=2.0), B=wanted(5.0)).unload == ("A",)


def test_pinned_ones_never_go() -> None:
    pinned = Unit("A", ("A",), 1, pinned=True)
    assert at(99.0, Rules(budget=1), [pinned, B], A=Seat("in"), B=wanted(1.0)) == Step()


def test_one_that_is_unused_for_so_long_goes_unless_it_is_pinned() -> None:
    idle = Unit("A", ("A",), 1, idle=60.0)
    assert at(50.0, ONE, [idle], A=Seat("in", used=10.0)) == Step(at=70.0)
    assert at(70.0, ONE, [idle], A=Seat("in", used=10.0)) == Step(unload=("A",), unused=("A",))
    assert at(70.0, ONE, [idle], A=Seat("in", used=10.0, inside=1)) == Step()
    pinned = Unit("A", ("A",), 1, pinned=True, idle=60.0)
    assert at(70.0, ONE, [pinned], A=Seat("in", used=10.0)) == Step()


def test_of_a_group_that_excludes_one_is_in_memory() -> None:
    left, right = Unit("A", ("A",), exclusive="g"), Unit("B", ("B",), exclusive="g")
    assert at(5.0, Rules(), [left, right, C], A=Seat("in"), B=wanted(4.0), C=Seat("in")).unload == ("A",)
    assert at(5.0, Rules(), [left, right], A=Seat("coming"), B=wanted(4.0)) == Step()
    assert at(5.0, Rules(), [left, right], A=wanted(4.0), B=wanted(3.0)).load == ("B",)


def test_a_large_one_that_waits_longer_is_not_overtaken_for_ever() -> None:
    large = Unit("L", ("L",), 2)
    two = Rules(budget=2, patience=10.0)
    step = at(5.0, two, [A, B, large], A=Seat("in", inside=1), L=wanted(1.0), B=wanted(2.0))
    assert step.load == () and step.unload == ()  # what is free is kept for the large one
    step = at(11.0, two, [A, B, large], A=Seat("in", inside=1), L=wanted(1.0), B=wanted(2.0))
    assert step.unload == ("A",)


def test_what_the_one_before_does_not_need_is_for_the_next() -> None:
    large, small = Unit("L", ("L",), 2), Unit("S", ("S",), 2)
    three = Rules(budget=3, patience=10.0)
    step = at(5.0, three, [large, small, B], S=Seat("in", inside=1), L=wanted(1.0), B=wanted(2.0))
    assert step == Step(load=("B",), at=11.0)  # L waits for what S has
    step = at(5.0, three, [large, small, A, B], S=Seat("in"), A=Seat("in"), L=wanted(1.0), B=wanted(2.0))
    assert step.unload == ("S", "A") and step.load == ()  # and B does not count on what S gives back


def test_what_is_to_be_there_from_the_start_takes_only_what_is_free() -> None:
    eager = Seat(eager=True)
    assert at(0.0, ONE, [A, B], A=eager, B=eager).load == ("A",)
    assert at(0.0, ONE, [A, B], A=eager, B=wanted(0.0)).load == ("B",)
    assert at(0.0, ONE, [A, B], A=eager, B=Seat("in")) == Step()


def test_one_whose_load_failed_is_left_alone_for_a_while() -> None:
    assert at(5.0, ONE, [A], A=Seat("out", 1, 1.0, retry=8.0)) == Step(at=8.0)
    assert at(8.0, ONE, [A], A=Seat("out", 1, 1.0, retry=8.0)).load == ("A",)


def test_one_of_unknown_size_has_all_to_itself() -> None:
    unknown = Unit("A", ("A",), None)
    assert at(5.0, Rules(budget=9), [unknown, B], B=Seat("in"), A=wanted(4.0)).unload == ("B",)
    assert at(5.0, Rules(), [unknown, B], B=Seat("in"), A=wanted(4.0)).load == ("A",)


@pytest.mark.parametrize(
    ("unit", "others", "lacks"),
    [
        (Unit("A", ("A",), 5), [], Shortage(5, 4, 0)),
        (Unit("A", ("A",), 3), [Unit("B", ("B",), 2, pinned=True)], Shortage(3, 4, 2)),
        (Unit("A", ("A",), None), [Unit("B", ("B",), 2, pinned=True)], Shortage(4, 4, 2)),
        (Unit("A", ("A",), 1, exclusive="g"), [Unit("B", ("B",), 1, True, "g")], Shortage(rival="B")),
        (Unit("A", ("A",), None), [], None),
        (Unit("A", ("A",), 4), [Unit("B", ("B",), 2)], None),
    ],
)
def test_what_never_fits(unit: Unit, others: list[Unit], lacks: Shortage | None) -> None:
    assert shortage(unit, [unit, *others], Rules(budget=4)) == lacks


def test_a_b_a_a_b_c_with_one_place_loads_three_times() -> None:
    arrivals = [(index * 0.1, name) for index, name in enumerate("ABAABC")]
    turns = Turns([A, B, C], Rules(budget=1), Pace()).run(arrivals)
    assert [name for _, name in turns.loads] == ["A", "B", "C"]
    assert len(turns.waits) == 6
