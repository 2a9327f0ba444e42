"""Which node gets one request. Pure: the same nodes, key and seed give the same choice, so what was logged can be checked.

Who shares a prefix with others goes where they went, unless that node is overloaded; else two nodes are drawn, and the less
loaded one gets it. Two, and not the best of all: gateways that see the same old figures would all run to the same node."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pointsman.balancing.affinity import ranked
from pointsman.balancing.node import SLOW_START, Node, has_room, load
from pointsman.domain.node import NodeChoice

LEAN = 1.25
"""A node is overloaded for affinity's sake where it is so much fuller than the mean of all."""


def pick(
    nodes: Sequence[Node], seed: int, key: str = "", avoid: Collection[str] = (), slow_start: float = SLOW_START
) -> NodeChoice | None:
    """None where no node is ready. Those that have room come before those that have none, and those to `avoid` (they failed
    this request already) come last. `seed` is any number from 0."""
    able = sorted((node for node in nodes if node.ready), key=lambda node: node.name)
    for better in (
        [node for node in able if node.name not in avoid and has_room(node, slow_start)],
        [node for node in able if node.name not in avoid],
        able,
    ):
        if better:
            return _of(better, seed, key, slow_start)
    return None


def _of(nodes: Sequence[Node], seed: int, key: str, slow_start: float) -> NodeChoice:
    if len(nodes) == 1:
        return NodeChoice(nodes[0].name, "only", seed, (nodes[0].name,), (_short(nodes[0], slow_start),))
    if key and (home := preferred(nodes, key, slow_start)) is not None:
        return NodeChoice(home.name, "prefix", seed, (home.name,), (_short(home, slow_start),))
    first, second = drawn(len(nodes), seed)
    two = (nodes[first], nodes[second])
    best = min(two, key=lambda node: (load(node, slow_start), node is not two[0]))
    return NodeChoice(
        best.name, "two", seed, tuple(node.name for node in two), tuple(_short(node, slow_start) for node in two)
    )


def preferred(nodes: Sequence[Node], key: str, slow_start: float = SLOW_START) -> Node | None:
    """The node that the prefix belongs to, or its second choice; None where both are overloaded, have no room, or fail."""
    by_name = {node.name: node for node in nodes if node.ready}
    if not by_name:
        return None
    mean = sum(node.in_flight for node in by_name.values()) / sum(node.slots or 1 for node in by_name.values())
    for name in ranked(key, by_name)[:2]:
        node = by_name[name]
        room = has_room(node, slow_start) and node.success >= 0.5
        if room and node.in_flight <= max(LEAN * mean * (node.slots or 1), 1.0):
            return node
    return None


def drawn(count: int, seed: int) -> tuple[int, int]:
    """Two different numbers below `count` (at least 2), each pair as likely as any other."""
    first, rest = seed % count, seed // count
    second = rest % (count - 1)
    return first, second + (second >= first)


def _short(node: Node, slow_start: float) -> float:
    return round(load(node, slow_start), 3)
