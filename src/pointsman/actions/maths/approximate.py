"""A number where the exact way took too long."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, say
from pointsman.domain.said import Tongue


def numeric(raw: Any, tongue: Tongue, room: Room) -> Outcome:
    """An approximation where the exact way took too long. Raises ActionFailed."""
    if raw is None or not isinstance(raw, sp.Basic) or raw.free_symbols:
        raise trouble.unsolved()
    try:
        with within(room, 0.9):
            value = sp.N(raw, 12)
    except trouble.TimeUp:
        raise trouble.unsolved() from None
    if not value.is_number or not getattr(value, "is_finite", False) or not value.is_real:
        raise trouble.unsolved()
    text = shown.decimal(value)
    steps = [
        say(tongue, "No exact form was found in time; this is an approximation.", "没有及时求出精确形式，这是近似值。")
    ]
    return Outcome(text, text, text, text, steps=steps, relation=r"\approx ", partial=True)
