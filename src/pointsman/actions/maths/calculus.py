"""Derivatives and integrals (limits, sums by others): exact where SymPy finds it and numbers agree, else as numbers."""

from __future__ import annotations

from typing import Any

import mpmath
import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.build import build, settled, symbol
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.differentiation import derivative_steps
from pointsman.actions.maths.integration import integral_steps
from pointsman.actions.maths.limits import limit
from pointsman.actions.maths.outcome import Outcome, of, say
from pointsman.actions.maths.sums import summed
from pointsman.calculation.tree import Node
from pointsman.domain.said import Tongue


def worked_out(node: Node, tongue: Tongue, room: Room) -> Outcome:
    """Of a node that binds a variable. Raises ActionFailed."""
    raw = build(node)
    if isinstance(raw, (list, sp.MatrixBase)):
        raise trouble.wrong_kind("An expression is needed here.", "这里需要一个表达式。")
    match node.op:
        case "derivative":
            return _derivative(node, raw, tongue, room)
        case "integral" if len(node.args) == 2:
            return _antiderivative(node, raw, tongue, room)
        case "integral":
            return _definite(node, raw, tongue, room)
        case "limit":
            return limit(node, tongue, room)
        case _:
            return summed(node, raw, tongue, room)


def _derivative(node: Node, raw: Any, tongue: Tongue, room: Room) -> Outcome:
    from pointsman.actions.maths.evaluate import checked, simplest

    body, variable, order = settled(build(node.args[0])), symbol(node.args[1].text), int(node.args[2].text)
    with within(room, 0.5):
        value = sp.diff(body, variable, order)
    checked(value)
    try:
        with within(room, 0.5):
            value = min((value, simplest(value, room)), key=lambda form: form.count_ops())
    except trouble.TimeUp:
        pass
    return of(value, derivative_steps(body, variable, order, tongue))


def _antiderivative(node: Node, raw: Any, tongue: Tongue, room: Room) -> Outcome:
    from pointsman.actions.maths.evaluate import same, simplest

    body, variable = settled(build(node.args[0])), symbol(node.args[1].text)
    try:
        with within(room, 0.7):
            value = sp.integrate(body, variable)
    except trouble.TimeUp:
        raise _no_antiderivative(timed=True) from None
    if value.has(sp.Integral):
        raise _no_antiderivative()
    if not same(sp.diff(value, variable), body):
        raise trouble.unsolved()
    try:
        with within(room, 0.4):
            short = simplest(value, room)
            if short.count_ops() < value.count_ops() and same(sp.diff(short, variable), body):
                value = short
    except trouble.TimeUp:
        pass
    value = _with_bars(value)
    outcome = of(value, integral_steps(body, variable, tongue, room))
    outcome.line += " + C"
    outcome.code += " + C"
    outcome.latex += " + C"
    outcome.approximate = None
    return outcome


def _with_bars(value: Any) -> Any:
    """ln|x| where x can be negative, as school writes it."""
    return value.replace(
        lambda part: (
            isinstance(part, sp.log)
            and part.args[0].free_symbols
            and not part.args[0].is_nonnegative
            and part.args[0].is_polynomial()
            and not _positive(part.args[0])
        ),
        lambda part: sp.log(sp.Abs(part.args[0])),
    )


def _positive(expression: Any) -> bool:
    """A polynomial in one real variable without real roots, and above 0."""
    names = list(expression.free_symbols)
    if len(names) != 1:
        return True
    poly = sp.Poly(expression, names[0])
    return bool(poly.degree() and poly.count_roots() == 0) if poly.domain.is_QQ or poly.domain.is_ZZ else True


def _no_antiderivative(timed: bool = False) -> Exception:
    if timed:
        return trouble.wrong_kind("No antiderivative was found in the time there is.", "在限定时间内没有求出原函数。")
    return trouble.wrong_kind(
        "No antiderivative in elementary functions was found.", "没有求出能用初等函数表示的原函数。"
    )


def _definite(node: Node, raw: Any, tongue: Tongue, room: Room) -> Outcome:
    from pointsman.actions.maths.evaluate import tidied

    low, high = build(node.args[2]), build(node.args[3])
    number = _quadrature(raw, room) if not raw.free_symbols else None
    value: Any = None
    try:
        with within(room, 0.7):
            value = raw.doit()
    except trouble.TimeUp:
        value = None
    if value is not None and value.has(sp.nan, sp.zoo):
        raise trouble.undefined()
    if value in (sp.oo, -sp.oo):
        if number is not None:
            raise trouble.unsolved()
        text = say(tongue, "The integral diverges.", "该积分发散。")
        return of(value, [text])
    if value is None or value.has(sp.Integral):
        if number is None:
            raise trouble.unsolved()
        return _number_only(number, tongue)
    value = tidied(value, room)
    if number is not None and not _agree(value, number):
        raise trouble.unsolved()  # the two ways contradict each other: neither is told
    body, variable = settled(build(node.args[0])), symbol(node.args[1].text)
    steps = integral_steps(body, variable, tongue, room)
    steps += _evaluation(body, variable, low, high, tongue, room)
    return of(value, steps)


def _evaluation(body: Any, variable: Any, low: Any, high: Any, tongue: Tongue, room: Room) -> list[str]:
    """F(b) - F(a)."""
    try:
        with within(room, 0.3):
            found = sp.integrate(body, variable)
        if found.has(sp.Integral, sp.Piecewise) or low.is_infinite or high.is_infinite:
            return []
        above, below = found.subs(variable, high), found.subs(variable, low)
        if above.has(sp.zoo, sp.nan, sp.oo) or below.has(sp.zoo, sp.nan, sp.oo):
            return []
    except trouble.TimeUp:
        return []
    name = shown.line(variable)
    return [
        f"F({name}) = {shown.line(found)}",
        f"F({shown.line(high)}) - F({shown.line(low)}) = {shown.line(above)} - ({shown.line(below)})",
    ]


def _quadrature(raw: Any, room: Room) -> complex | None:
    """The integral as a number, by another way than the exact one; None where it does not settle."""
    try:
        with within(room, 0.25):
            if any(len(limit) != 3 for limit in raw.limits) or len(raw.limits) > 1:
                return None
            (variable, low, high) = raw.limits[0]
            function = sp.lambdify(variable, raw.function, "mpmath")
            with mpmath.workdps(20):
                ends = [mpmath.mpmathify(sp.N(low, 20)), mpmath.mpmathify(sp.N(high, 20))]
                value, error = mpmath.quad(function, ends, error=True)
            found = complex(value)
            return found if abs(error) < 1e-8 * max(1.0, abs(found)) and found == found else None
    except (
        trouble.TimeUp,
        TypeError,
        ValueError,
        ZeroDivisionError,
        ArithmeticError,
        NameError,
        KeyError,
        AttributeError,
    ):
        return None


def _agree(value: Any, number: complex) -> bool:
    try:
        return abs(complex(sp.N(value, 20)) - number) <= 1e-6 * max(1.0, abs(number))
    except (TypeError, ValueError):
        return True


def _number_only(number: complex, tongue: Tongue) -> Outcome:
    real = sp.Float(number.real, 12)
    text = shown.decimal(real, 8)
    steps = [
        say(tongue, "No exact form was found; this is a numerical value.", "没有求出精确形式，这是数值积分的结果。")
    ]
    return Outcome(text, text, text, text, steps=steps, relation=r"\approx ", partial=True)
