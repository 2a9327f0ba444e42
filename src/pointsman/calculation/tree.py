"""What a text was understood as: a tree of plain data, which says nothing of how it is computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from pointsman.domain.said import Said

Kind = Literal[
    "value",
    "simplify",
    "expand",
    "factor",
    "apart",
    "square",
    "solve",
    "convert",
    "base",
    "primes",
    "divisors",
    "is_prime",
    "compare",
    "change",
    "share",
    "whole",
    "raise",
    "lower",
    "discount",
]


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """`op` applied to `args`; leaves have a `text`: `num` (a decimal literal, 12 or 0.5 or 1.5e3), `sym` (x, x_1, alpha),
    `const` (pi, e, i, oo), `unit` (a name of units.py). `integral` is (body, variable[, from, to]), `derivative` (body,
    variable, order), `sum` and `product` (body, index, from, to), `limit` (body, variable, point) with the side as text (+,
    -, or both), `at` (body, variable, value). Relations are eq, ne, lt, le, gt, ge; several at once `and`."""

    op: str
    args: tuple[Node, ...] = ()
    text: str = ""

    def walk(self) -> Iterator[Node]:
        """This node and all below it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.args)

    def names(self) -> set[str]:
        """Variables that stand free in it."""
        if self.op == "sym":
            return {self.text}
        if self.op == "unit":
            return set()
        if self.op in ("sum", "product", "limit", "at") or (self.op == "integral" and len(self.args) == 4):
            inner = self.args[0].names() - {self.args[1].text}
            return inner.union(*[arg.names() for arg in self.args[2:]])
        return set().union(*[arg.names() for arg in self.args])

    def depth(self) -> int:
        deepest, level = 0, [self]
        while level:
            deepest += 1
            level = [arg for node in level for arg in node.args]
        return deepest


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is asked of `nodes`. `unknowns` are to be found (solve); `digits` are decimal places to round to; `base` is one
    to write the number in; `notes` name readings that could have been others (words.NOTES)."""

    kind: Kind
    nodes: tuple[Node, ...]
    unknowns: tuple[str, ...] = ()
    digits: int | None = None
    base: int = 10
    notes: tuple[str, ...] = ()


class NotUnderstood(Exception):
    """The text holds no calculation that is understood whole. `message` says, in both languages, what was not."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


RELATIONS = ("eq", "ne", "lt", "le", "gt", "ge")


def num(value: int | str) -> Node:
    return Node("num", text=str(value))


def sym(name: str) -> Node:
    return Node("sym", text=name)


def apply(op: str, *args: Node) -> Node:
    return Node(op, args)


def is_relation(node: Node) -> bool:
    return node.op in RELATIONS or (node.op == "and" and all(is_relation(arg) for arg in node.args))
