"""What the child is given and what it gives back."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.calculation.tree import Problem
from pointsman.domain.said import Tongue


class MathsTask(msgspec.Struct, frozen=True):
    """`folder` takes the picture."""

    problem: Problem
    tongue: Tongue
    steps: bool
    picture: bool


class MathsResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """`result` in one line for people, `code` the same with every sign written out (2*x^2), `approximate` where the exact
    one is no short number. `partial`: time ended before the exact result. `answers` are several solutions, one a text."""

    kind: str
    expression: str
    latex: str
    result: str
    code: str
    result_latex: str
    approximate: str | None = None
    answers: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False
    picture: str | None = None
    extra: dict[str, Any] = {}
