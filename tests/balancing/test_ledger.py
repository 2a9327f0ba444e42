"""The line of several gateways before the slots of a pool: no slot twice, nobody forgotten, in the order of coming."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pointsman.balancing.ledger import EMPTY, MOST_WAITING, Grant, Ledger, Waiter, busy, turn
from pointsman.balancing.node import Node, load
from thorough import tries

NODES = (Node("a", 2), Node("b", 1))
GATEWAYS = ("one", "two", "three")


def least(room: object, waiter: Waiter) -> str:
    nodes = list(room)  # type: ignore[call-overload]
    return next((node.name for node in nodes if node.name == waiter.want), min(nodes, key=load).name)


class Gateway:
    """What a gateway does between its turns."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.held: dict[str, int] = {}
        self.waiting: list[Waiter] = []

    def take(self, granted: list[Grant]) -> list[int]:
        for grant in granted:
            self.waiting = [waiter for waiter in self.waiting if waiter.number != grant.number]
            self.held[grant.node] = self.held.get(grant.node, 0) + 1
        return [grant.number for grant in granted]


class OneLine(RuleBasedStateMachine):
    """Against one plain queue that knows everything: who is served, and in which order, is the same."""

    @initialize()
    def begin(self) -> None:
        self.ledger = EMPTY
        self.gateways = {name: Gateway(name) for name in GATEWAYS}
        self.number = 0
        self.queue: list[int] = []
        self.free = 3
        self.due: list[int] = []
        self.served: list[int] = []

    def _turn(self, name: str) -> None:
        gateway = self.gateways[name]
        self.ledger, granted = turn(self.ledger, name, gateway.held, gateway.waiting, NODES, GATEWAYS, least)
        self.served += gateway.take(granted)

    def _oracle(self) -> None:
        while self.free and self.queue:
            self.due.append(self.queue.pop(0))
            self.free -= 1

    @rule(name=st.sampled_from(GATEWAYS), want=st.sampled_from(["", "a", "b", "gone"]))
    def arrive(self, name: str, want: str) -> None:
        self.number += 1
        self.gateways[name].waiting.append(Waiter(name, self.number, want))
        self.queue.append(self.number)
        self._oracle()
        self._turn(name)

    @rule(name=st.sampled_from(GATEWAYS), node=st.sampled_from(["a", "b"]))
    def finish(self, name: str, node: str) -> None:
        gateway = self.gateways[name]
        if gateway.held.get(node):
            gateway.held[node] -= 1
            self.free += 1
            self._oracle()
            self._turn(name)

    @rule(name=st.sampled_from(GATEWAYS))
    def look(self, name: str) -> None:
        self._turn(name)

    @rule(name=st.sampled_from(GATEWAYS))
    def give_up(self, name: str) -> None:
        gateway = self.gateways[name]
        here = [waiter for waiter in gateway.waiting if waiter.number in self.queue]
        if here:
            gone = here[0]
            gateway.waiting.remove(gone)
            self.queue.remove(gone.number)
            self._turn(name)

    @invariant()
    def no_slot_is_given_twice(self) -> None:
        if hasattr(self, "ledger"):
            taken = busy(self.ledger)
            assert all(taken.get(node.name, 0) <= (node.slots or 0) for node in NODES), taken

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            for name in GATEWAYS:
                self._turn(name)
            assert sorted(self.served) == sorted(self.due), "all that a queue that knows everything would have served"
            assert {waiter.number for waiter in self.ledger.line} == set(self.queue)


TestOneLine = OneLine.TestCase
TestOneLine.settings = settings(max_examples=tries(18, 60), stateful_step_count=40, deadline=None)


@given(st.lists(st.sampled_from(GATEWAYS), min_size=4, max_size=20))
def test_whoever_came_first_is_served_first(coming: list[str]) -> None:
    gateways, ledger, order = {name: Gateway(name) for name in GATEWAYS}, EMPTY, []
    for number, name in enumerate(coming):
        gateways[name].waiting.append(Waiter(name, number))
        ledger, granted = turn(ledger, name, gateways[name].held, gateways[name].waiting, NODES, GATEWAYS, least)
        order += gateways[name].take(granted)
    while ledger.line or ledger.granted:
        held = next(gateway for gateway in gateways.values() if any(gateway.held.values()))
        held.held[next(node for node, count in held.held.items() if count)] -= 1
        for name in (held.name, *GATEWAYS):
            gateway = gateways[name]
            ledger, granted = turn(ledger, name, gateway.held, gateway.waiting, NODES, GATEWAYS, least)
            order += gateway.take(granted)
    assert order == sorted(order)


def test_a_gateway_that_is_gone_holds_nothing() -> None:
    dead = Ledger({"dead": {"a": 2, "b": 1}}, (Waiter("dead", 1),), (Grant("dead", 2, "a"),))
    ledger, granted = turn(dead, "one", {}, [Waiter("one", 1)], NODES, {"one"}, least)
    assert (
        [grant.node for grant in granted] and ledger.held.keys() == {"one"} and not ledger.line and not ledger.granted
    )


def test_one_that_was_taken_for_dead_says_again_what_it_holds() -> None:
    ledger, _ = turn(Ledger({"one": {"a": 2}}), "two", {"b": 1}, [Waiter("two", 5)], NODES, {"one", "two"}, least)
    assert ledger.held == {"one": {"a": 2}, "two": {"b": 1}} and ledger.line == (Waiter("two", 5),)


def test_a_slot_for_one_that_gave_up_goes_to_the_next() -> None:
    granted = Ledger({"two": {"a": 2}}, (Waiter("two", 8),), (Grant("one", 3, "b"),))
    ledger, served = turn(granted, "one", {}, [], NODES, {"one", "two"}, least)
    assert not served and ledger.granted == (Grant("two", 8, "b"),) and not ledger.line


def test_a_slot_of_a_node_that_it_does_not_know_is_not_taken() -> None:
    granted = Ledger({}, (), (Grant("one", 3, "new"),))
    ledger, served = turn(granted, "one", {}, [Waiter("one", 3)], NODES, {"one"}, least)
    assert [grant.number for grant in served] == [3] and served[0].node in {"a", "b"} and not ledger.granted


def test_a_slot_at_a_node_that_it_knows_to_be_lost_is_not_taken() -> None:
    """Who gave it did not know yet; whoever got it is the next in the line again."""
    granted = Ledger({}, (Waiter("two", 8),), (Grant("one", 3, "a"),))
    nodes = (Node("a", 2, ready=False), Node("b", 1))
    ledger, served = turn(granted, "one", {}, [Waiter("one", 3)], nodes, {"one", "two"}, least)
    assert served == [Grant("one", 3, "b")] and ledger.line == (Waiter("two", 8),)


def test_a_long_line_does_not_make_a_long_ledger() -> None:
    waiting = [Waiter("one", number) for number in range(1000)]
    ledger, served = turn(EMPTY, "one", {}, waiting, NODES, {"one"}, least)
    assert len(served) == 3 and len(ledger.line) == MOST_WAITING - 3
