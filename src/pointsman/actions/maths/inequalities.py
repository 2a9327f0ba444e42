"""Inequalities in one unknown, alone or several at once: what satisfies them, over the real numbers."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, say
from pointsman.domain.said import Tongue


def satisfied(relations: list[Any], unknowns: list[Any], tongue: Tongue, room: Room) -> Outcome:
    if len(unknowns) != 1 or any(relation.free_symbols - set(unknowns) for relation in relations):
        raise trouble.wrong_kind("Inequalities are solved in one unknown.", "只解一元不等式（组）。")
    x = sp.Symbol(unknowns[0].name, real=True)
    found: Any = sp.S.Reals
    steps = []
    try:
        with within(room, 0.8):
            for relation in relations:
                real = relation.subs(unknowns[0], x)
                part = _set(real, x)
                if len(relations) > 1:
                    steps.append(f"{shown.line(relation)}: {_written(part, x, tongue)}")
                found = found.intersect(part)
            if len(relations) == 1:
                steps = _zeros(relations[0].subs(unknowns[0], x), x, tongue)
    except (NotImplementedError, TypeError, ValueError, trouble.TimeUp):
        raise trouble.unsolved() from None
    _trust(relations, unknowns[0], found)
    text = _written(found, x, tongue)
    return Outcome(
        text, _code(found), shown.latex(found), steps=steps, relation=rf"\;\Rightarrow\; {shown.latex(x)}\in "
    )


def _set(relation: Any, x: Any) -> Any:
    if isinstance(relation, (sp.Eq, sp.Ne)):
        zeros = sp.solveset(relation.lhs - relation.rhs, x, sp.S.Reals)
        return zeros if isinstance(relation, sp.Eq) else sp.S.Reals - zeros
    if not relation.free_symbols:
        return sp.S.Reals if bool(relation.func(relation.lhs, relation.rhs)) else sp.S.EmptySet
    return sp.solve_univariate_inequality(relation.func(relation.lhs, relation.rhs), x, relational=False)


def _trust(relations: list[Any], x: Any, found: Any) -> None:
    """At some places the inequalities themselves and the answer must say the same."""
    for place in (
        -1000,
        -17,
        -3,
        sp.Rational(-7, 5),
        sp.Rational(-1, 3),
        sp.Rational(2, 7),
        sp.Rational(9, 8),
        sp.Rational(13, 5),
        5,
        23,
        999,
    ):
        truth = True
        for relation in relations:
            left = sp.N(relation.lhs.subs(x, place) - relation.rhs.subs(x, place), 20)
            if not left.is_real:
                truth = False
                break
            truth = truth and bool(relation.func(left, 0))
        if truth != bool(found.contains(place)):
            raise trouble.unsolved()


def _zeros(relation: Any, x: Any, tongue: Tongue) -> list[str]:
    difference = sp.together(relation.lhs - relation.rhs)
    if not difference.is_rational_function(x):
        return []
    above, below = sp.fraction(difference)
    zeros = sorted(set(sp.real_roots(sp.Poly(above, x))) if above.has(x) else [], key=lambda root: sp.N(root))
    poles = sorted(set(sp.real_roots(sp.Poly(below, x))) if below.has(x) else [], key=lambda root: sp.N(root))
    lines = []
    if zeros:
        lines.append(say(tongue, "Zeros: ", "零点：") + ", ".join(map(shown.line, zeros)))
    if poles:
        lines.append(say(tongue, "Not defined at: ", "无定义点：") + ", ".join(map(shown.line, poles)))
    return lines


def _written(found: Any, x: Any, tongue: Tongue) -> str:
    name = shown.line(x)
    if found is sp.S.EmptySet:
        return say(tongue, "no solution", "无解")
    if found == sp.S.Reals:
        return say(tongue, f"every real {name}", f"{name} 为任意实数")
    parts = found.args if isinstance(found, sp.Union) else (found,)
    texts = []
    for part in parts:
        if isinstance(part, sp.FiniteSet):
            texts += [f"{name} = {shown.line(value)}" for value in part]
        elif isinstance(part, sp.Interval):
            texts.append(_interval(part, name))
        else:
            raise trouble.unsolved()
    return say(tongue, " or ", " 或 ").join(texts)


def _interval(part: Any, name: str) -> str:
    low, high = shown.line(part.start), shown.line(part.end)
    left, right = "<" if part.left_open else "≤", "<" if part.right_open else "≤"
    if part.start == -sp.oo:
        return f"{name} {right} {high}"
    if part.end == sp.oo:
        return f"{name} {'>' if part.left_open else '≥'} {low}"
    return f"{low} {left} {name} {right} {high}"


def _code(found: Any) -> str:
    parts = found.args if isinstance(found, sp.Union) else (found,)
    texts = []
    for part in parts:
        if isinstance(part, sp.Interval):
            texts.append(
                ("(" if part.left_open else "[")
                + f"{shown.code(part.start)}, {shown.code(part.end)}"
                + (")" if part.right_open else "]")
            )
        else:
            texts.append("{}" if part is sp.S.EmptySet else shown.code(list(part.args)) if part.args else "(-oo, oo)")
    return " ∪ ".join(texts)
