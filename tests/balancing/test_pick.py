"""Which node gets a request: against slow, obvious readings of what was promised."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pointsman.balancing.affinity import prefix_key, ranked
from pointsman.balancing.node import Node, has_room, load, open_slots
from pointsman.balancing.pick import drawn, pick, preferred

nodes = st.lists(
    st.builds(
        Node,
        st.sampled_from("abcdefgh"),
        st.one_of(st.none(), st.integers(1, 8)),
        st.integers(0, 10),
        st.booleans(),
        st.floats(0, 20),
        st.floats(0, 1),
    ),
    max_size=8,
    unique_by=lambda node: node.name,
)


@given(nodes, st.integers(0, 1 << 32), st.sampled_from(["", "k1", "k2", "k3"]), st.sets(st.sampled_from("abc")))
def test_it_is_a_ready_one_and_a_better_class_comes_first(
    nodes: list[Node], seed: int, key: str, avoid: set[str]
) -> None:
    choice = pick(nodes, seed, key, avoid)
    assert choice == pick(list(reversed(nodes)), seed, key, avoid)  # whatever the order in which they are known
    ready = {node.name: node for node in nodes if node.ready}
    if not ready:
        assert choice is None
        return
    assert choice is not None and choice.node in ready
    chosen = ready[choice.node]
    if any(has_room(node) and node.name not in avoid for node in ready.values()):
        assert has_room(chosen) and chosen.name not in avoid
    elif any(name not in avoid for name in ready):
        assert chosen.name not in avoid
    if choice.why == "two":
        assert len(set(choice.candidates)) == 2
        assert load(chosen) == min(load(ready[name]) for name in choice.candidates)
    assert choice.node in choice.candidates and len(choice.loads) == len(choice.candidates)


@given(st.integers(2, 9))
def test_each_pair_is_as_likely_as_any_other(count: int) -> None:
    pairs = [drawn(count, seed) for seed in range(count * (count - 1))]
    assert all(first != second and 0 <= first < count and 0 <= second < count for first, second in pairs)
    assert len(set(pairs)) == count * (count - 1)


def test_a_node_that_fails_at_once_attracts_nothing() -> None:
    fails, works = Node("fails", 4, 0, success=0.0), Node("works", 4, 3)
    assert {pick([fails, works], seed).node for seed in range(64)} == {"works"}  # type: ignore[union-attr]


def test_a_slow_start() -> None:
    assert [open_slots(Node("n", 8, age=age)) for age in (0, 1, 2.5, 5, 10, math.inf)] == [1, 1, 2, 4, 8, 8]
    assert open_slots(Node("n", None, age=0)) is None
    fresh, old = Node("fresh", 4, 0, age=0.0), Node("old", 4, 2)
    assert load(fresh) > load(old)
    assert load(replace(fresh, age=9.0)) < load(old)


def test_slots_make_loads_alike() -> None:
    large, small = Node("large", 16, 7), Node("small", 4, 2)
    assert {pick([large, small], seed).node for seed in range(16)} == {"large"}  # type: ignore[union-attr]


class TestAffinity:
    names = tuple(f"node-{number}" for number in range(6))

    @given(st.text(), st.sets(st.sampled_from(names), min_size=2))
    def test_one_that_leaves_takes_only_its_own_along(self, key: str, there: set[str]) -> None:
        before = ranked(key, there)
        for gone in there:
            assert ranked(key, there - {gone}) == [name for name in before if name != gone]

    def test_keys_are_spread_evenly(self) -> None:
        counts = dict.fromkeys(self.names, 0)
        for number in range(3000):
            counts[ranked(f"key-{number}", self.names)[0]] += 1
        assert all(400 < count < 600 for count in counts.values()), counts

    def test_the_same_beginning_goes_to_the_same_node(self) -> None:
        nodes = [Node(name, 4, 1) for name in self.names]
        chosen = {pick(nodes, seed, "prefix") for seed in range(50)}
        assert len({choice.node for choice in chosen if choice}) == 1
        assert {choice.why for choice in chosen if choice} == {"prefix"}

    def test_an_overloaded_node_is_left(self) -> None:
        home, second = ranked("k", self.names)[:2]
        nodes = {name: Node(name, 4, 0) for name in self.names}
        nodes[home] = Node(home, 4, 3)
        found = preferred(list(nodes.values()), "k")
        assert found is not None and found.name == second
        nodes[second] = Node(second, 4, 0, success=0.1)
        assert preferred(list(nodes.values()), "k") is None
        choice = pick(list(nodes.values()), 7, "k")
        assert choice is not None and choice.why == "two"

    def test_all_that_is_full_alike_is_not_overloaded(self) -> None:
        nodes = [Node(name, 4, 3) for name in self.names]
        found = preferred(nodes, "k")
        assert found is not None and found.name == ranked("k", self.names)[0]

    def test_what_counts_of_a_conversation(self) -> None:
        begin = [("system", "You help."), ("user", "Hello")]
        key = prefix_key(begin, 4096)
        assert key == prefix_key([*begin, ("assistant", "Hi"), ("user", "more")], 4096)
        assert key != prefix_key([("system", "You help."), ("user", "Other")], 4096)
        assert prefix_key(begin, 9) == prefix_key([("system", "You help."), ("user", "Other")], 9)
        assert prefix_key([], 4096) == prefix_key(begin, 0) == ""
        assert prefix_key([("user", "\ud800")], 10)
