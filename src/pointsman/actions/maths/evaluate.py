"""A problem → what came out. The exact result first; where time ends before it, an approximation."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import arithmetic, calculus, equations, numbers, shown, trouble
from pointsman.actions.maths.approximate import numeric
from pointsman.actions.maths.build import build, power_modulo, settled
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, of, say
from pointsman.actions.maths.quantities import converted, measured
from pointsman.calculation.tree import Node, Problem
from pointsman.domain.said import Tongue


def evaluated(problem: Problem, tongue: Tongue, room: Room) -> Outcome:
    """Raises ActionFailed."""
    match problem.kind:
        case "value":
            return _value(problem, tongue, room)
        case "solve":
            return equations.solved(problem, tongue, room)
        case "convert":
            return converted(problem, tongue)
        case "simplify" | "expand" | "factor" | "apart" | "square":
            return _rewritten(problem, tongue, room)
        case "base" | "primes" | "divisors" | "is_prime" | "compare":
            return numbers.looked_at(problem, tongue, room)
        case _:
            return arithmetic.percentage(problem, tongue)


def _value(problem: Problem, tongue: Tongue, room: Room) -> Outcome:
    node = problem.nodes[0]
    if any(part.op == "unit" for part in node.walk()):
        return measured(node, tongue)
    modular = power_modulo(node)
    if modular is not None:
        return of(modular)
    if node.op in ("integral", "derivative", "limit", "sum", "product"):
        outcome = calculus.worked_out(node, tongue, room)
    else:
        outcome = _computed(node, tongue, room)
    if problem.digits is not None:
        return _rounded(node, problem.digits, outcome, tongue)
    return outcome


def _computed(node: Node, tongue: Tongue, room: Room) -> Outcome:
    raw: Any = None
    try:
        with within(room, 0.5):
            raw = build(node)
            value = settled(raw)
    except trouble.TimeUp:
        return numeric(raw, tongue, room)
    checked(value)
    value = tidied(value, room)
    checked(value)
    if isinstance(value, sp.Basic) and value.has(sp.Integral, sp.Sum, sp.Limit, sp.Product) and not value.free_symbols:
        return numeric(value, tongue, room)
    return _told(node, value, tongue)


def _told(node: Node, value: Any, tongue: Tongue) -> Outcome:
    """A fraction is told as a decimal where the question had decimals or percentages."""
    steps = arithmetic.steps(node, tongue)
    decimals = any(
        part.op in ("percent", "permille") or (part.op == "num" and "." in part.text) for part in node.walk()
    )
    if decimals and getattr(value, "is_Rational", False) and not value.is_Integer:
        written = shown.exact_decimal(value)
        if written is not None:
            return Outcome(written, written, written, steps=steps)
    return of(value, steps)


def _rounded(node: Node, digits: int, outcome: Outcome, tongue: Tongue) -> Outcome:
    value = settled(build(node))
    if not getattr(value, "is_number", False) or not sp.N(value).is_real:
        raise trouble.wrong_kind("Only a number can be rounded.", "只有数才能取近似值。")
    if not value.is_Rational:
        value = sp.Rational(str(sp.N(value, digits + 40)))
    text = shown.fixed(value, digits)
    steps = [*outcome.steps, say(tongue, f"Exactly: {outcome.line}", f"精确值：{outcome.line}")]
    return Outcome(text, text, text, steps=steps, relation=r"\approx " if sp.Rational(text) != value else "=")


def _rewritten(problem: Problem, tongue: Tongue, room: Room) -> Outcome:
    node = problem.nodes[0]
    if any(part.op == "unit" for part in node.walk()):
        raise trouble.wrong_kind("Quantities with units cannot be rewritten.", "带单位的量不能这样变形。")
    expression = settled(build(node))
    checked(expression)
    if isinstance(expression, (list, sp.MatrixBase)):
        raise trouble.wrong_kind("An expression is needed here.", "这里需要一个表达式。")
    steps: list[str] = []
    with within(room, 0.8):
        match problem.kind:
            case "expand":
                value = sp.expand(expression, complex=False)
            case "factor":
                value = sp.factor(expression)
            case "apart":
                value = sp.apart(expression) if len(expression.free_symbols) <= 1 else sp.factor(expression)
            case "square":
                value, steps = _square(expression, tongue)
            case _:
                value = simplest(expression, room)
    checked(value)
    if problem.kind == "factor" and value == sp.expand(expression) and value.is_Add:
        steps = [say(tongue, "It does not factor over the rational numbers.", "在有理数范围内不能再分解。")]
    if problem.kind == "factor" and not same(value, expression):
        raise trouble.unsolved()
    return of(value, steps)


def _square(expression: Any, tongue: Tongue) -> tuple[Any, list[str]]:
    names = sorted(expression.free_symbols, key=str)
    poly = sp.Poly(expression, names[0]) if len(names) == 1 else None
    if poly is None or poly.degree() != 2:
        raise trouble.wrong_kind("Completing the square needs a quadratic in one variable.", "配方需要一元二次式。")
    x = names[0]
    a, b, c = poly.all_coeffs()
    h, k = b / (2 * a), c - b**2 / (4 * a)
    inner = sp.Pow(x + h, 2, evaluate=False)
    value = sp.Add(sp.Mul(a, inner, evaluate=False) if a != 1 else inner, k, evaluate=False) if k != 0 else a * inner
    steps = [
        f"a = {shown.line(a)}, h = -b/(2a) = {shown.line(-h)}, k = c - b^2/(4a) = {shown.line(k)}",
        say(tongue, "a(x - h)^2 + k", "顶点式 a(x - h)^2 + k"),
    ]
    return value, steps


def checked(value: Any) -> None:
    """Raises where the result is no number: 1/0, 0/0."""
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if isinstance(part, sp.Basic) and part.has(sp.zoo, sp.nan):
            raise trouble.undefined()
        if isinstance(part, sp.AccumBounds) or (isinstance(part, sp.Basic) and part.has(sp.AccumBounds)):
            raise trouble.undefined()


def tidied(value: Any, room: Room) -> Any:
    """The simplest of some equal forms."""
    if isinstance(value, list):
        return [tidied(item, room) for item in value]
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(sp.simplify) if value.rows * value.cols <= 36 else value
    if not isinstance(value, sp.Expr) or value.is_Atom or value.is_Rational:
        return value
    try:
        with within(room, 0.4):
            return simplest(value, room)
    except trouble.TimeUp:
        return value


def simplest(value: Any, room: Room) -> Any:
    if value.free_symbols and value.is_polynomial():
        return sp.expand(value)
    forms = [value, sp.simplify(value)]
    if value.is_number:
        if value.has(sp.I):
            forms.append(sp.simplify(sp.expand_complex(value)))
            forms = [form for form in forms if not form.has(sp.re, sp.im, sp.arg)] or forms
        else:
            forms.append(sp.sqrtdenest(sp.radsimp(sp.expand(value))))
            forms += [sp.expand_func(value), value.rewrite(sp.sqrt)]
    else:
        forms += [sp.factor_terms(sp.cancel(value)) if value.is_rational_function() else value, sp.trigsimp(value)]
    return min((form for form in forms if same(form, value)), key=lambda form: (form.count_ops(), len(str(form))))


def same(first: Any, second: Any) -> bool:
    """Whether both come to the same at some places, within what floats can tell: no rewriting is trusted unseen."""
    names = sorted(first.free_symbols | second.free_symbols, key=str)
    for shift in (0, 1, 2):
        place = {name: sp.Rational(7 + 3 * at + 5 * shift, 11 + 2 * at) for at, name in enumerate(names)}
        try:
            a, b = complex(sp.N(first.subs(place), 20)), complex(sp.N(second.subs(place), 20))
        except (TypeError, ValueError, OverflowError):
            return True
        if a == a and b == b and abs(a - b) > 1e-9 * max(1.0, abs(a), abs(b)):
            return False
        if not names:
            break
    return True
