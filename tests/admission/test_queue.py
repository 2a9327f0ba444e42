"""Who goes in, who waits, who is turned away: by example, and against a slow and obvious model."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.admission.queue import MOST_PASSED, Queue
from pointsman.admission.ticket import QUEUED, Admitted, Capacity, Queued, Ticket, TurnedAway
from pointsman.admission.turns import EVERY, PATIENCE
from thorough import tries


def ticket(id: str, cells: int = 10, caller: str = "a", **more: Any) -> Ticket:
    return Ticket(id, caller, more.pop("targets", ("t",)), cells, **more)


def queue(most: int = 100, **capacities: Capacity) -> Queue:
    made = Queue(most)
    made.install(capacities, 0.0)
    return made


def ids(admitted: list[Admitted]) -> list[str]:
    return [each.ticket.id for each in admitted]


def serve_all(made: Queue, inside: list[str], now: float = 1.0) -> list[str]:
    """Ends one after the other; the order in which those that wait go in."""
    order = []
    while inside:
        came = ids(made.leave(inside.pop(0), now))
        order += came
        inside += came
    return order


class TestRoom:
    def test_the_first_target_with_room(self) -> None:
        made = queue(a=Capacity(1), b=Capacity(1))
        places = [made.arrive(ticket(str(n), targets=("a", "b")), 0.0) for n in range(3)]
        assert [place.target for place in places if isinstance(place, Admitted)] == ["a", "b"]
        assert places[2] == QUEUED

    def test_sequences_and_cells(self) -> None:
        made = queue(t=Capacity(3, 100))
        assert isinstance(made.arrive(ticket("1", 60), 0.0), Admitted)
        assert isinstance(made.arrive(ticket("2", 41), 0.0), Queued)
        assert made.inside("t") == (1, 60)
        assert ids(made.leave("1", 1.0)) == ["2"] and made.inside("t") == (1, 41)

    def test_what_never_fits_is_said_with_the_numbers(self) -> None:
        made = queue(t=Capacity(4, 100), u=Capacity(4, 200))
        assert made.arrive(ticket("1", 201, targets=("t", "u")), 0.0) == TurnedAway("never_fits", 200)
        assert isinstance(made.arrive(ticket("2", 200, targets=("t", "u")), 0.0), Admitted)

    def test_without_limits_everybody_goes_in(self) -> None:
        made = Queue()
        assert all(isinstance(made.arrive(ticket(str(n)), 0.0), Admitted) for n in range(1000))

    def test_a_limit_that_is_lowered_throws_nobody_out(self) -> None:
        made = queue(t=Capacity(2))
        for n in range(3):
            made.arrive(ticket(str(n)), 0.0)
        assert made.install({"t": Capacity(1)}, 1.0) == [] and made.inside("t")[0] == 2
        assert made.leave("0", 1.0) == []
        assert ids(made.leave("1", 1.0)) == ["2"]
        made.arrive(ticket("3"), 1.0)
        assert ids(made.install({"t": Capacity(2)}, 2.0)) == ["3"]


class TestTheQueue:
    def test_it_is_bounded(self) -> None:
        made = queue(2, t=Capacity(1))
        answers = [made.arrive(ticket(str(n)), 0.0) for n in range(4)]
        assert answers[3] == TurnedAway("queue_full", 2, None) and made.waiting == 2

    def test_who_gives_up_is_forgotten_and_others_go_on(self) -> None:
        made = queue(t=Capacity(1))
        for n in range(4):
            made.arrive(ticket(str(n)), 0.0)
        assert made.leave("1", 0.5) == [] and made.leave("1", 0.5) == [] and made.leave("nobody", 0.5) == []
        assert serve_all(made, ["0"]) == ["2", "3"] and made.inside("t") == (0, 0)

    def test_callers_share(self) -> None:
        made = queue(t=Capacity(1))
        made.arrive(ticket("now"), 0.0)
        for n in range(40):
            made.arrive(ticket(f"greedy{n}", caller="greedy"), 0.0)
        made.arrive(ticket("modest", caller="modest"), 1.0)
        order = serve_all(made, ["now"])
        assert order.index("modest") <= 1
        assert [name for name in order if name != "modest"] == [f"greedy{n}" for n in range(40)]

    def test_by_what_they_take_and_not_by_their_number(self) -> None:
        made = queue(t=Capacity(1))
        made.arrive(ticket("now"), 0.0)
        for n in range(20):
            made.arrive(ticket(f"big{n}", 1000, caller="big"), 0.0)
            made.arrive(ticket(f"small{n}", 100, caller="small"), 0.0)
        order = serve_all(made, ["now"])[:11]
        assert sum(name.startswith("small") for name in order) >= 9

    def test_who_was_away_has_saved_up_nothing(self) -> None:
        made = queue(t=Capacity(1))
        made.arrive(ticket("now"), 0.0)
        for n in range(50):
            made.arrive(ticket(f"a{n}"), 0.0)
        inside = ["now"]
        for _ in range(30):
            inside += ids(made.leave(inside.pop(0), 1.0))
        for n in range(10):
            made.arrive(ticket(f"late{n}", caller="late"), 2.0)
        order = serve_all(made, inside)
        late = [order.index(f"late{n}") for n in range(10)]
        assert late[0] <= 1 and late[5] >= 9, "they alternate; the newcomer does not go before all others"

    def test_priorities(self) -> None:
        made = queue(t=Capacity(1))
        made.arrive(ticket("now"), 0.0)
        for name in ("low", "normal", "high"):
            made.arrive(ticket(name, caller=name, priority=name), 0.0)
        assert serve_all(made, ["now"], 1.0) == ["high", "normal", "low"]

    def test_low_priority_does_not_wait_for_ever(self) -> None:
        made = queue(t=Capacity(1))
        made.arrive(ticket("now"), 0.0)
        made.arrive(ticket("low", caller="low", priority="low", arrived=0.0), 0.0)
        inside, now = ["now"], 0.0
        for n in range(200):
            now += 1.0
            made.arrive(ticket(f"high{n}", caller="busy", priority="high", arrived=now), now)
            inside += ids(made.leave(inside.pop(0), now))
            if inside == ["low"]:
                break
        assert inside == ["low"] and PATIENCE <= now <= PATIENCE + EVERY + 1

    def test_a_large_one_is_passed_over_and_then_waited_for(self) -> None:
        made = queue(t=Capacity(None, 100))
        made.arrive(ticket("now", 60), 0.0)
        made.arrive(ticket("large", 90, caller="large"), 0.0)
        passed = 0
        while isinstance(made.arrive(ticket(f"small{passed}", 1, caller=f"c{passed}"), 1.0), Admitted):
            passed += 1
        assert passed == MOST_PASSED
        assert ids(made.leave("now", 2.0)) == []
        for n in range(6):
            made.leave(f"small{n}", 2.0)
        assert "large" in ids([*made.leave("small6", 2.0), *made.leave("small7", 2.0)]) or made.inside("t")[1] >= 90


class TestDeadlines:
    def test_those_that_come_too_late_go(self) -> None:
        made = queue(t=Capacity(1))
        made.arrive(ticket("now"), 0.0)
        made.arrive(ticket("hasty", deadline=5.0), 0.0)
        made.arrive(ticket("patient"), 0.0)
        assert made.expire(4.9) == ([], [])
        late, went_in = made.expire(5.0)
        assert ([each.id for each in late], went_in) == (["hasty"], [])
        assert serve_all(made, ["now"]) == ["patient"]

    def test_one_whose_turn_would_come_too_late_is_told_at_once(self) -> None:
        made = queue(t=Capacity(1))
        for n in range(10):  # ten cells a second
            made.arrive(ticket(f"warm{n}"), float(n))
            made.leave(f"warm{n}", n + 1.0)
        for n in range(6):
            made.arrive(ticket(f"{n}"), 10.0)
        place = made.place(ticket("5"), 10.0)
        assert place.ahead == 4 and place.wait == pytest.approx(5.0, rel=0.3)
        told = made.arrive(ticket("hasty", deadline=12.0), 10.0)
        assert isinstance(told, TurnedAway) and told.why == "too_late" and told.wait and told.wait > 2
        assert isinstance(made.arrive(ticket("calm", deadline=60.0), 10.0), Queued)


class Model:
    """Slow and obvious: a list of those that wait, searched from the start whenever anything happened."""

    def __init__(self, capacities: dict[str, Capacity]) -> None:
        self.capacities = capacities
        self.inside: dict[str, tuple[Ticket, str]] = {}

    def check(self, made: Queue) -> None:
        for name, capacity in self.capacities.items():
            own = [each for each, target in self.inside.values() if target == name]
            assert made.inside(name) == (len(own), sum(each.cells for each in own))
            if capacity.sequences is not None:
                assert len(own) <= capacity.sequences
            if capacity.cells is not None:
                assert sum(each.cells for each in own) <= capacity.cells


@st.composite
def stories(draw: Any) -> tuple[dict[str, Capacity], list[tuple[str, Any]]]:
    names = draw(st.sampled_from([["a"], ["a", "b"], ["a", "b", "c"]]))
    limit = st.none() | st.integers(1, 4)
    cells = st.none() | st.integers(5, 30)
    capacities = {name: Capacity(draw(limit), draw(cells)) for name in names}
    step = st.tuples(
        st.sampled_from(["arrive", "arrive", "arrive", "leave", "leave", "give_up", "expire"]),
        st.tuples(
            st.integers(0, 10**6),
            st.sampled_from("xyz"),
            st.integers(1, 35),
            st.sampled_from(["high", "normal", "low"]),
            st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True).map(tuple),
            st.none() | st.integers(1, 50),
        ),
    )
    return capacities, draw(st.lists(step, max_size=60))


@given(stories())
@settings(max_examples=tries(90, 300), deadline=None)
def test_the_books_are_right_and_nobody_is_forgotten(story: Any) -> None:
    capacities, steps = story
    made, model = Queue(12), Model(capacities)
    made.install(capacities, 0.0)
    waiting: dict[str, Ticket] = {}
    now = 0.0

    def came(admitted: list[Admitted]) -> None:
        for each in admitted:
            assert waiting.pop(each.ticket.id) is each.ticket and each.target in each.ticket.targets
            model.inside[each.ticket.id] = (each.ticket, each.target)

    for number, (what, (pick, caller, cells, priority, targets, patience)) in enumerate(steps):
        now += pick % 7
        if what == "arrive":
            one = Ticket(str(number), caller, targets, cells, priority, now, now + patience if patience else None)
            told = made.arrive(one, now)
            if isinstance(told, Admitted):
                model.inside[one.id] = (one, told.target)
            elif isinstance(told, Queued):
                waiting[one.id] = one
                assert made.place(one, now).ahead < len(waiting)
            elif told.why == "queue_full":
                assert len(waiting) == 12
            elif told.why == "never_fits":
                assert all((capacities[t].cells or 99) < cells for t in targets)
        elif what == "leave" and model.inside:
            gone = sorted(model.inside)[pick % len(model.inside)]
            del model.inside[gone]
            came(made.leave(gone, now))
        elif what == "give_up" and waiting:
            gone = sorted(waiting)[pick % len(waiting)]
            del waiting[gone]
            came(made.leave(gone, now))
        elif what == "expire":
            late, admitted = made.expire(now)
            for each in late:
                assert waiting.pop(each.id).deadline <= now
            came(admitted)
        model.check(made)
        assert made.waiting == len(waiting)
        idle = [t for t in capacities if not any(target == t for _, target in model.inside.values())]
        for each in waiting.values():  # where nobody is inside, nobody who would fit waits
            assert not any(t in idle and (capacities[t].cells or 99) >= each.cells for t in each.targets)
    while model.inside:  # and once all leave, all go in
        gone = next(iter(model.inside))
        del model.inside[gone]
        came(made.leave(gone, now))
    assert not waiting and made.waiting == 0


def simulate(arrivals: int, seed: int) -> dict[str, int]:
    """An open queue with random cancellations, some at the very moment of being let in."""
    rng = random.Random(seed)
    capacities = {"a": Capacity(4, 4000), "b": Capacity(2, 2000)}
    made = Queue(200)
    made.install(capacities, 0.0)
    now, waiting, inside = 0.0, {}, {}
    fate = {"served": 0, "gave_up": 0, "turned_away": 0, "late": 0}

    def came(admitted: list[Admitted]) -> None:
        for each in admitted:
            inside[each.ticket.id] = waiting.pop(each.ticket.id)

    for number in range(arrivals):
        now += rng.expovariate(1.0)
        one = Ticket(
            str(number),
            f"c{rng.randrange(8)}",
            rng.choice((("a", "b"), ("a",), ("b", "a"))),
            int(rng.paretovariate(1.5) * 50) + 1,
            rng.choice(("high", "normal", "low")),
            now,
            now + rng.expovariate(0.02) if rng.random() < 0.5 else None,
        )
        told = made.arrive(one, now)
        if isinstance(told, Admitted):
            inside[one.id] = one
        elif isinstance(told, Queued):
            waiting[one.id] = one
        else:
            fate["turned_away"] += 1
        if inside and rng.random() < 0.93:
            gone = rng.choice(tuple(inside))
            del inside[gone]
            fate["served"] += 1
            came(made.leave(gone, now))
        if waiting and rng.random() < 0.02:
            gone = rng.choice(tuple(waiting))
            del waiting[gone]
            fate["gave_up"] += 1
            came(made.leave(gone, now))
        if number % 64 == 0:
            late, admitted = made.expire(now)
            for each in late:
                del waiting[each.id]
            fate["late"] += len(late)
            came(admitted)
    while inside:
        gone = next(iter(inside))
        del inside[gone]
        fate["served"] += 1
        came(made.leave(gone, now))
    assert not waiting and made.waiting == 0 and made.inside("a") == made.inside("b") == (0, 0)
    assert sum(fate.values()) == arrivals
    return fate


def test_no_waiter_is_forgotten() -> None:
    fate = simulate(20_000, 1)
    assert all(count >= 50 for count in fate.values()), fate


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_waiter_of_a_million_is_forgotten() -> None:
    fate = simulate(1_000_000, 2)
    assert all(count > 1000 for count in fate.values()), fate
