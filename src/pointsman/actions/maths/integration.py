"""Which rules an integral follows from, by SymPy's own reading of how a person would do it."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.integrals import manualintegrate as manual

from pointsman.actions.child import Room
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import say
from pointsman.actions.maths.shown import line
from pointsman.actions.maths.trouble import TimeUp
from pointsman.domain.said import Tongue

_MOST = 10
_RULES = {
    "AddRule": ("sum rule", "逐项积分"), "ConstantTimesRule": ("a constant factor stays", "常数因子提出"), "ConstantRule": ("a constant", "常数积分"),
    "PowerRule": ("power rule", "幂函数积分"), "NestedPowRule": ("power rule", "幂函数积分"), "ExpRule": ("exponential", "指数函数积分"),
    "ReciprocalRule": ("1/x gives ln|x|", "1/x 的积分是 ln|x|"), "SinRule": ("known integral", "基本积分公式"),
    "CosRule": ("known integral", "基本积分公式"), "ArctanRule": ("gives an arctangent", "化为反正切"), "ArcsinRule": ("gives an arcsine", "化为反正弦"),
    "URule": ("substitution", "换元法"), "PartsRule": ("by parts", "分部积分"), "CyclicPartsRule": ("by parts, twice", "两次分部积分"),
    "TrigSubstitutionRule": ("trigonometric substitution", "三角换元"), "RewriteRule": ("rewritten", "恒等变形"),
    "AlternativeRule": ("one of several ways", "可选方法"), "CompleteSquareRule": ("completing the square", "配方"),
}  # fmt: skip


def integral_steps(body: Any, variable: Any, tongue: Tongue, room: Room) -> list[str]:
    """None where no such reading is found in a fifth of the time."""
    lines: list[str] = []
    try:
        with within(room, 0.2):
            _explain(manual.integral_steps(body, variable), lines, tongue, 0)
    except (TimeUp, NotImplementedError, ValueError, TypeError, AttributeError, RecursionError):
        return lines[:_MOST]
    return lines[:_MOST]


def _explain(rule: Any, lines: list[str], tongue: Tongue, depth: int) -> None:
    name = type(rule).__name__
    if len(lines) >= _MOST or depth > 5 or name == "DontKnowRule":
        return
    if name == "AlternativeRule":
        _explain(rule.alternatives[0], lines, tongue, depth)
        return
    en, zh = _RULES.get(name, ("known integral", "基本积分公式"))
    value = rule.eval()
    if not value.has(sp.Integral):
        lines.append(
            f"∫ {line(rule.integrand)} d{line(rule.variable)} = {line(value)}  [{say(tongue, en, zh)}{_how(rule, name)}]"
        )
    for inner in _inner(rule, name):
        _explain(inner, lines, tongue, depth + 1)


def _how(rule: Any, name: str) -> str:
    if name == "URule":
        return f": {line(rule.u_var)} = {line(rule.u_func)}"
    if name == "PartsRule":
        return f": u = {line(rule.u)}, dv = {line(rule.dv)} d{line(rule.variable)}"
    return ""


def _inner(rule: Any, name: str) -> list[Any]:
    if name == "AddRule":
        return list(rule.substeps)
    if name == "PartsRule":
        return [rule.second_step] if rule.second_step is not None else []
    found = getattr(rule, "substep", None)
    return [found] if found is not None else []
