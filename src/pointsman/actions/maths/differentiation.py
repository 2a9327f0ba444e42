"""Which rules a derivative follows from, line by line."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.maths.outcome import say
from pointsman.actions.maths.shown import line
from pointsman.domain.said import Tongue

_MOST = 10
_NAMES = {
    "sum": ("sum rule", "和差法则"), "product": ("product rule", "乘法法则"), "quotient": ("quotient rule", "除法法则"),
    "chain": ("chain rule", "链式法则"), "power": ("power rule", "幂函数求导"), "constant": ("a constant factor stays", "常数因子提出"),
    "table": ("known derivative", "基本导数公式"),
}  # fmt: skip


def derivative_steps(body: Any, variable: Any, order: int, tongue: Tongue) -> list[str]:
    """Of each order one after the other; a few lines at most."""
    lines: list[str] = []
    current = body
    for number in range(order):
        if order > 1:
            lines.append(say(tongue, f"Derivative {number + 1}:", f"第 {number + 1} 次求导："))
        found: list[str] = []
        _explain(current, variable, found, tongue, 0)
        lines += found[:_MOST]
        current = sp.diff(current, variable)
        if order > 1:
            lines.append(f"= {line(sp.expand(current) if current.is_polynomial() else current)}")
        if len(lines) > 2 * _MOST:
            break
    return lines[: 2 * _MOST]


def _explain(body: Any, variable: Any, lines: list[str], tongue: Tongue, depth: int) -> None:
    if not body.has(variable) or body == variable or len(lines) >= _MOST or depth > 4:
        return
    found = sp.diff(body, variable)
    name, parts = _rule(body, variable)
    en, zh = _NAMES[name]
    lines.append(f"({line(body)})' = {line(found)}  [{say(tongue, en, zh)}]")
    for part in parts:
        _explain(part, variable, lines, tongue, depth + 1)


def _rule(body: Any, variable: Any) -> tuple[str, list[Any]]:
    """Its name, and the parts that are derived in turn."""
    if body.is_Add:
        return "sum", [term for term in body.args if term.has(variable) and term != variable]
    if body.is_Mul:
        constant, rest = body.as_independent(variable)
        if constant != 1:
            return "constant", [rest]
        above, below = sp.fraction(body)
        if below.has(variable) and above.has(variable):
            return "quotient", [above, below]
        return "product", list(body.args)
    if body.is_Pow:
        base, power = body.args
        if not power.has(variable):
            return ("power", []) if base == variable else ("chain", [base])
        return ("table", []) if power == variable else ("chain", [power])
    if body.is_Function and body.args:
        return ("table", []) if body.args[0] == variable else ("chain", [body.args[0]])
    return "table", []
