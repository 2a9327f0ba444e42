"""Pieces of a question read as expressions, equations, variables, quantities; with what the text defined before."""

from __future__ import annotations

from typing import Any

import msgspec
import re2

from pointsman.calculation.parser import Parser
from pointsman.calculation.tokens import tokens
from pointsman.calculation.tree import Node, NotUnderstood, Problem, is_relation
from pointsman.calculation.words import COMMANDS, GREEK, GREEK_LETTERS
from pointsman.domain.said import Said, said
from pointsman.extractors.numerals import zh_number

_NAMED: Any = re2.compile(r"^(?:函数|曲线|function)? *(?:[fghFG] ?\( ?[a-z] ?\)|y) *= *")
_ORDERS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "5th": 5,
}


class Reader:
    """One question. `functions` hold for all of it; notes are of the reading that is tried."""

    def __init__(self) -> None:
        self.functions: dict[str, tuple[str, Node]] = {}
        self._notes: list[str] = []

    def begin(self) -> None:
        self._notes = []
        self.functions = {}

    def finished(self, problem: Problem) -> Problem:
        if not self._notes:
            return problem
        return msgspec.structs.replace(problem, notes=tuple(dict.fromkeys((*problem.notes, *self._notes))))

    def many(
        self, text: str, *, units: bool = False, bound: str = "", calculus: bool = False, commas: bool = True
    ) -> tuple[Node, ...]:
        """Expressions or relations, as many as there are."""
        parser = Parser(
            tokens(text, commas=commas),
            units=units,
            bound=frozenset(bound.split()),
            functions=self.functions,
            calculus=calculus,
        )
        found = parser.all()
        self._notes += parser.notes
        return found

    def one(self, text: str, **how: Any) -> Node:
        found = self.many(text, **how)
        if len(found) != 1:
            raise NotUnderstood(Said("several expressions where one belongs", "这里只能有一个表达式，却写了多个"))
        return found[0]

    def expr(self, text: str, **how: Any) -> Node:
        """One, and no relation. `f(x) =` in front says nothing."""
        node = self.one(_NAMED.sub("", text), **how)
        if is_relation(node):
            raise NotUnderstood(Said("an equation where an expression belongs", "这里需要表达式，却写了等式"))
        return node

    def constant(self, text: str, **how: Any) -> Node:
        node = self.expr(text, **how)
        if node.names():
            en, zh = "“{it}” is no number", "“{it}”不是数"
            raise NotUnderstood(said(en, zh, it=text[:40]))
        return node

    def bound(self, text: str) -> Node:
        """Of an integral, a sum or a limit."""
        return self.expr(text, commas=False)

    def equations(self, text: str) -> tuple[Node, ...]:
        """Relations; those of a system one by one."""
        found: list[Node] = []
        for node in self.many(text):
            found += node.args if node.op == "and" and not _chained(node) else (node,)
        return tuple(found)

    def variable(self, text: str) -> str:
        name = text.strip().removeprefix("\\")
        if name in COMMANDS:
            raise NotUnderstood(said("“{it}” is no variable", "“{it}”不是变量", it=name))
        name = GREEK_LETTERS.get(name, name)
        return GREEK_LETTERS.get(GREEK[name], name) if name in GREEK else name

    def variables(self, text: str) -> tuple[str, ...]:
        """x, y and z."""
        names = [name for name in re2.split(r"(?i)[ ,]*(?:and|和|与|、|,| )[ ,]*", text.strip()) if name]
        if not names or not all(len(name) == 1 or "_" in name or name.startswith("\\") for name in names):
            raise NotUnderstood(said("“{it}” are no variables", "“{it}”不是变量", it=text[:40]))
        return tuple(self.variable(name) for name in names)


def variable_of(node: Node) -> str:
    """What a derivative or integral is by, where nobody says it."""
    names = node.names()
    if not names:
        return "x"
    if len(names) == 1:
        return names.pop()
    if "x" in names and not names & {"y", "z", "t"}:
        return "x"
    if "t" in names and not names & {"x", "y", "z"}:
        return "t"
    en, zh = "by which of the variables {names} is not said", "没有说明对哪个变量：{names}"
    raise NotUnderstood(said(en, zh, names=", ".join(sorted(names))))


def order_of(text: str) -> int:
    """二, second, 2 → 2; nothing is 1."""
    text = text.strip().lower()
    if not text:
        return 1
    value = _ORDERS.get(text) or (int(text) if text.isdigit() else zh_number(text)) or 0
    if not 1 <= value <= 20:
        raise NotUnderstood(said("“{it}” is no order from 1 to 20", "“{it}”不是 1 到 20 的阶数", it=text[:20]))
    return value


def _chained(node: Node) -> bool:
    """1 < x < 3, where each relation begins with what the one before ends with; a system does not."""
    return all(first.args[1] == second.args[0] for first, second in zip(node.args, node.args[1:], strict=False))
