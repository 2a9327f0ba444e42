"""What is known of a node at the moment when a request is to be sent."""

from __future__ import annotations

import math

import msgspec

SLOW_START = 10.0
"""Seconds in which a node that has just come up is given its share, bit by bit: its caches are cold."""
LEAST_SHARE = 0.1
"""Of its share, that a node has from the beginning."""
LEAST_SUCCESS = 0.05
"""So much a node counts at least, however much of it failed."""


class Node(msgspec.Struct, frozen=True, gc=False):
    """`slots` are requests that it works on at a time (None: nobody knows), `in_flight` those that are there, of all
    gateways. `age` in seconds since it came up, `success` the share of late tries that worked (0 to 1). Only nodes that
    are `ready` get requests: they answer their probes, do not leave, and are not ejected. One that is `unproven` failed
    lately, and no request has worked there since: it gets one at a time."""

    name: str
    slots: int | None = None
    in_flight: int = 0
    ready: bool = True
    age: float = math.inf
    success: float = 1.0
    unproven: bool = False


def share(node: Node, slow_start: float = SLOW_START) -> float:
    """How much of its share it gets by its age, above 0 to 1."""
    return 1.0 if node.age >= slow_start else max(node.age / slow_start, LEAST_SHARE)


def open_slots(node: Node, slow_start: float = SLOW_START) -> int | None:
    """The requests that it may have now; None: no limit is known."""
    if node.unproven:
        return 1
    return None if node.slots is None else max(math.ceil(node.slots * share(node, slow_start)), 1)


def has_room(node: Node, slow_start: float = SLOW_START) -> bool:
    """Whether one more would be worked on at once, as far as is known."""
    slots = open_slots(node, slow_start)
    return node.ready and (slots is None or node.in_flight < slots)


def load(node: Node, slow_start: float = SLOW_START) -> float:
    """How full it would be with one more, 1.0: all slots taken. What failed there lately makes it count as fuller, so that a
    node that is quick to fail does not look idle; where slots are not known, requests alone are compared."""
    weight = (node.slots or 1) * share(node, slow_start) * max(node.success, LEAST_SUCCESS)
    return (node.in_flight + 1) / weight
