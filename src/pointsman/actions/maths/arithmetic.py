"""Percentages, and how plain sums come about, step by step."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.build import build, settled
from pointsman.actions.maths.outcome import Outcome, of, say
from pointsman.calculation.tree import Node, Problem
from pointsman.calculation.written import plain
from pointsman.domain.said import Tongue

_MOST = 8


def percentage(problem: Problem, tongue: Tongue) -> Outcome:
    """change, share, whole, raise, lower, discount."""
    first, second = problem.nodes
    a, b = settled(build(first)), settled(build(second))
    x, y = _number(a), _number(b)
    match problem.kind:
        case "change":
            if a == 0:
                raise trouble.undefined()
            value = (b - a) / a
            steps = [f"({y} - {x})/{x} = {_number(b - a)}/{x} = {_percent(value)}"]
            word = say(tongue, "up", "上升") if value > 0 else say(tongue, "down", "下降")
            return _rate(value, steps, {"direction": "up" if value > 0 else "down"}, word)
        case "share":
            if b == 0:
                raise trouble.undefined()
            return _rate(a / b, [f"{x}/{y} = {_percent(a / b)}"])
        case "whole":
            if b == 0:
                raise trouble.undefined()
            return _amount(a / b, [f"{x} / {plain(second)} = {_number(a / b)}"])
        case "raise":
            return _amount(
                a * (1 + b), [f"{x} × (1 + {plain(second)}) = {x} × {_number(1 + b)} = {_number(a * (1 + b))}"]
            )
        case "lower":
            return _amount(
                a * (1 - b), [f"{x} × (1 - {plain(second)}) = {x} × {_number(1 - b)} = {_number(a * (1 - b))}"]
            )
        case _:
            return _amount(a * b, [f"{x} × {y} = {_number(a * b)}"])


def _number(value: Any) -> str:
    return shown.exact_decimal(value) or shown.line(value)


def _percent(value: Any) -> str:
    scaled = value * 100
    exact = shown.exact_decimal(scaled)
    return f"{exact}%" if exact else f"{shown.line(scaled)}% ≈ {shown.decimal(scaled)}%"


def _rate(value: Any, steps: list[str], extra: dict[str, Any] | None = None, word: str = "") -> Outcome:
    scaled = value * 100
    exact = shown.exact_decimal(scaled)
    text = f"{exact}%" if exact else f"{shown.line(scaled)}%"
    approximate = None if exact else f"{shown.decimal(scaled)}%"
    tex = (exact or shown.latex(scaled)) + r"\%"
    more = {"fraction": shown.code(value), **(extra or {})}
    return Outcome(text, text, tex, approximate, steps=[*steps, *([f"{word} {text}"] if word else [])], extra=more)


def _amount(value: Any, steps: list[str]) -> Outcome:
    exact = shown.exact_decimal(value) if value.is_Rational else None
    return Outcome(exact, exact, exact, steps=steps) if exact else of(value, steps)


def steps(node: Node, tongue: Tongue) -> list[str]:
    """What is done first, second, …: each part of a sum of numbers with its value."""
    if node.names() or node.op in ("matrix", "list"):
        return []
    lines: list[str] = []
    _part(node, lines, tongue)
    return lines if 1 < len(lines) <= _MOST else []


def _part(node: Node, lines: list[str], tongue: Tongue) -> Any:
    if node.op in ("num", "const", "percent", "permille", "degrees", "neg"):
        return build(node)
    values = []
    for arg in node.args:
        if arg.op in ("row", "matrix", "list", "unit"):
            return None
        values.append(_part(arg, lines, tongue))
    if any(value is None for value in values) or len(lines) > _MOST:
        return None
    value = settled(build(node))
    if not getattr(value, "is_number", False) or len(str(value)) > 60:
        return None
    text = plain(node.__class__(node.op, tuple(_leaf(v, a) for v, a in zip(values, node.args, strict=True)), node.text))
    lines.append(f"{text} = {shown.exact_decimal(value) or shown.line(value)}")
    return value


def _leaf(value: Any, node: Node) -> Node:
    """The value of a part in its place."""
    if node.op in ("num", "const", "percent", "permille", "degrees"):
        return node
    if isinstance(value, sp.Integer):
        return Node("num", text=str(value)) if value >= 0 else Node("neg", (Node("num", text=str(-value)),))
    if isinstance(value, sp.Rational):
        exact = shown.exact_decimal(abs(value))
        leaf = (
            Node("num", text=exact)
            if exact
            else Node("div", (Node("num", text=str(abs(value.p))), Node("num", text=str(value.q))))
        )
        return leaf if value >= 0 else Node("neg", (leaf,))
    return node
