"""Roots as they are told, and those that only numbers find."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import trouble
from pointsman.actions.maths.clock import within


def neat(root: Any) -> Any:
    """The shorter of its forms."""
    short = sp.sqrtdenest(sp.radsimp(sp.simplify(root))) if root.count_ops() < 60 else root
    return min((root, short), key=lambda form: form.count_ops())


def found_by_numbers(difference: Any, x: Any, room: Room) -> list[Any]:
    """Between -100 and 100, where the sign changes. Raises ActionFailed where there are none."""
    if difference.free_symbols != {x}:
        raise trouble.unsolved()
    found: list[float] = []
    try:
        with within(room, 0.9):
            function = sp.lambdify(x, difference, "mpmath")
            last: tuple[float, float] | None = None
            for step in range(-2000, 2001):
                place = step / 20 + 0.00123
                try:
                    value = complex(function(place))
                except (ValueError, ZeroDivisionError, OverflowError, TypeError):
                    last = None
                    continue
                if abs(value.imag) > 1e-12 or value != value:
                    last = None
                    continue
                if last is not None and last[1] * value.real < 0:
                    root = _bisected(function, last[0], place)
                    if root is not None:
                        found.append(root)
                last = place, value.real
    except trouble.TimeUp:
        if not found:
            raise trouble.unsolved() from None
    if not found:
        raise trouble.unsolved()
    return [sp.Float(root, 15) for root in found[:20]]


def _bisected(function: Any, low: float, high: float) -> float | None:
    a = float(function(low).real)
    for _ in range(80):
        middle = (low + high) / 2
        value = float(function(middle).real)
        if value == 0:
            return middle
        if (value < 0) == (a < 0):
            low, a = middle, value
        else:
            high = middle
    return (low + high) / 2 if abs(float(function((low + high) / 2).real)) < 1e-6 else None
