"""Limits: exact, and held against numbers near the point."""

from __future__ import annotations

import contextlib
from typing import Any

import mpmath
import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.build import build, settled, symbol
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, of, say
from pointsman.calculation.tree import Node
from pointsman.domain.said import Tongue


def limit(node: Node, tongue: Tongue, room: Room) -> Outcome:
    body, variable, point = settled(build(node.args[0])), symbol(node.args[1].text), build(node.args[2])
    side = node.text
    with within(room, 0.8):
        if side or point.is_infinite:
            value = sp.limit(body, variable, point, side or "+")
        else:
            left, right = sp.limit(body, variable, point, "-"), sp.limit(body, variable, point, "+")
            if sp.simplify(left - right) != 0 and left != right:
                name, at = shown.line(variable), shown.line(point)
                raise trouble.wrong_kind(
                    f"The limit does not exist: from the left it is {shown.line(left)}, from the right {shown.line(right)}"
                    f" ({name} → {at}).",
                    f"极限不存在：左极限为 {shown.line(left)}，右极限为 {shown.line(right)}（{name} → {at}）。",
                )
            value = right
    if isinstance(value, sp.AccumBounds) or value.has(sp.AccumBounds, sp.nan, sp.zoo):
        raise trouble.wrong_kind("The limit does not exist.", "极限不存在。")
    if value.has(sp.Limit):
        raise trouble.unsolved()
    with contextlib.suppress(trouble.TimeUp), within(room, 0.3):
        _trust(body, variable, point, side, value)
    return of(value, _limit_steps(body, variable, point, value, tongue))


def _trust(body: Any, variable: Any, point: Any, side: str, value: Any) -> None:
    """Refuses a limit that numbers near the point plainly contradict."""
    if body.free_symbols != {variable} or not value.is_finite or not value.is_number:
        return
    function = sp.lambdify(variable, body, "mpmath")
    target, near = mpmath.mpmathify(sp.N(value, 30)), []
    for exponent in (5, 6, 7):
        with mpmath.workdps(40):
            step = mpmath.mpf(10) ** -exponent
            if point.is_infinite:
                place = 1 / step if point == sp.oo else -1 / step
            else:
                place = mpmath.mpmathify(sp.N(point, 40)) + (-step if side == "-" else step)
            try:
                near.append(abs(complex(function(place) - target)))
            except (TypeError, ValueError, ArithmeticError, NameError, KeyError, AttributeError):
                return
    if near[0] < near[1] < near[2] and near[2] > 0.5 * max(1.0, abs(complex(sp.N(value)))):
        raise trouble.unsolved()


def _limit_steps(body: Any, variable: Any, point: Any, value: Any, tongue: Tongue) -> list[str]:
    if point.is_infinite:
        return []
    above, below = sp.fraction(sp.together(body))
    at = [part.subs(variable, point) for part in (above, below)]
    if at == [0, 0]:
        first, second = sp.diff(above, variable), sp.diff(below, variable)
        rule = say(tongue, "0/0: by L'Hôpital's rule, limit of", "0/0 型，由洛必达法则，化为求极限：")
        return [f"{rule} ({shown.line(first)})/({shown.line(second)})"]
    if not any(part.has(sp.oo, sp.zoo, sp.nan) for part in at) and at[1] != 0:
        put = say(
            tongue,
            f"Put in {shown.line(variable)} = {shown.line(point)}",
            f"代入 {shown.line(variable)} = {shown.line(point)}",
        )
        return [put] if sp.simplify(at[0] / at[1] - value) == 0 else []
    return []
