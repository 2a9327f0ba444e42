"""Sums and products: exact where SymPy finds it, term by term where they are few, else as numbers."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.approximate import numeric
from pointsman.actions.maths.build import build, settled, symbol
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, of, say
from pointsman.calculation.tree import Node
from pointsman.domain.said import Tongue


def summed(node: Node, raw: Any, tongue: Tongue, room: Room) -> Outcome:
    from pointsman.actions.maths.evaluate import checked, tidied

    low, high = build(node.args[2]), build(node.args[3])
    try:
        with within(room, 0.7):
            value = raw.doit()
            if value.has(sp.Sum, sp.Product) and high.is_Integer and low.is_Integer and high - low < 2000:
                terms = [build(node.args[0]).subs(symbol(node.args[1].text), k) for k in range(int(low), int(high) + 1)]
                value = (sp.Add if node.op == "sum" else sp.Mul)(*terms)
    except trouble.TimeUp:
        return numeric(raw, tongue, room)
    checked(value)
    if value in (sp.oo, -sp.oo):
        return of(value, [say(tongue, "The series diverges.", "该级数发散。")])
    if value.has(sp.Sum, sp.Product):
        if isinstance(value, sp.Piecewise) or raw.free_symbols:
            raise trouble.unsolved()
        return numeric(raw, tongue, room)
    value = tidied(value, room)
    if value.free_symbols and value.is_polynomial():
        value = sp.factor(value)
    return of(value, _sum_steps(node, low, high, tongue))


def _sum_steps(node: Node, low: Any, high: Any, tongue: Tongue) -> list[str]:
    if not low.is_Integer or node.op != "sum":
        return []
    body, variable = build(node.args[0]), symbol(node.args[1].text)
    first = [settled(body.subs(variable, low + k)) for k in range(3)]
    if high.is_Integer and high - low < 3:
        return []
    last = settled(body.subs(variable, high)) if not high.is_infinite else None
    text = (
        " + ".join(shown.line(term) for term in first) + " + …" + (f" + {shown.line(last)}" if last is not None else "")
    )
    return [text]
