"""What came out, before it is told: the value in three spellings, how it came about."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.maths import shown
from pointsman.domain.said import Said, Tongue, told


class Outcome(msgspec.Struct):
    """`relation` stands between question and result in the picture; empty: the result is a sentence of its own."""

    line: str
    code: str
    latex: str
    approximate: str | None = None
    answers: tuple[str, ...] = ()
    steps: list[str] = []
    partial: bool = False
    relation: str = "="
    extra: dict[str, Any] = {}


def of(value: Any, steps: list[str] | None = None, **more: Any) -> Outcome:
    """An expression, matrix or list as it is."""
    text = shown.line(value)
    short = shown.shortened(text)
    if short == text:
        tex = shown.latex(value)
    else:
        mantissa, _, power = shown.decimal(value).partition("×10^")
        tex = rf"{mantissa}\times 10^{{{power}}}"
        more.setdefault("relation", r"\approx ")
    approximate = more.pop("approximate", None) or shown.approximation(value)
    if short != text:
        more.setdefault("extra", {})["digits"] = len(text.lstrip("-"))
    return Outcome(short, shown.code(value), tex, approximate, steps=steps or [], **more)


def say(tongue: Tongue, en: str, zh: str) -> str:
    return told(Said(en, zh), tongue)
