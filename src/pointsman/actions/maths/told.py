"""The result as a person reads it, and as programs do."""

from __future__ import annotations

from typing import Any

from pointsman.actions.maths.job import MathsResult
from pointsman.domain.said import Said, Tongue, told

_STEPS = Said("How it came about:", "过程：")
_PICTURE = Said("formula", "公式")
_PARTIAL = Said(
    "Time ended before the exact result; this is what there is.", "在限定时间内没有得到精确结果，以下是已有的结果。"
)
_SENTENCES = ("is_prime", "compare")


def text_of(result: MathsResult, tongue: Tongue, link: str | None) -> str:
    """The answer first; then what was understood, notes, steps, the picture."""
    lines = [_answer(result)]
    if result.partial and not result.steps:
        lines.append(told(_PARTIAL, tongue))
    lines += result.notes
    if result.steps:
        lines += ["", told(_STEPS, tongue), *[f"- {step}" for step in result.steps]]
    if link is not None:
        lines += ["", f"![{told(_PICTURE, tongue)}]({link})"]
    return "\n".join(lines)


def _answer(result: MathsResult) -> str:
    if result.kind in _SENTENCES:
        return result.result
    sign = {"solve": " → ", "divisors": ": "}.get(result.kind, " = ")
    if result.result == result.approximate:
        sign, approximate = " ≈ ", ""
    else:
        approximate = f" ≈ {result.approximate}" if result.approximate else ""
    if result.kind == "solve" and result.approximate:
        approximate = (
            f"（{result.approximate}）"
            if any("\u4e00" <= c <= "\u9fff" for c in result.result)
            else f" ({result.approximate})"
        )
    if result.kind in ("change", "share", "whole", "discount", "raise", "lower"):
        return f"{result.result}{approximate}"
    base = f" (base {result.extra['base']})" if result.kind == "base" else ""
    return f"{result.expression}{sign}{result.result}{base}{approximate}"


def values_of(result: MathsResult) -> dict[str, Any]:
    return {
        "kind": result.kind,
        "expression": result.expression,
        "latex": result.latex,
        "result": result.code,
        "shown": result.result,
        "result_latex": result.result_latex,
        "approximate": result.approximate,
        "answers": list(result.answers),
        "steps": list(result.steps),
        "notes": list(result.notes),
        "partial": result.partial,
        **result.extra,
    }
