"""Systems of equations: every solution is put in again before it is told."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, say
from pointsman.actions.maths.roots import neat
from pointsman.actions.maths.solving_steps import system_steps
from pointsman.domain.said import Tongue


def system(relations: list[Any], unknowns: list[Any], tongue: Tongue, room: Room) -> Outcome:
    differences = [relation.lhs - relation.rhs for relation in relations]
    try:
        with within(room, 0.8):
            found = sp.solve(differences, unknowns, dict=True)
    except (trouble.TimeUp, NotImplementedError):
        raise trouble.unsolved() from None
    kept = [one for one in found if all(_holds(difference, one) for difference in differences)]
    real = [
        one
        for one in kept
        if all(value.free_symbols or abs(complex(sp.N(value)).imag) < 1e-12 for value in one.values())
    ]
    steps = system_steps(relations, unknowns, tongue)
    if not kept:
        text = say(tongue, "no solution", "无解")
        return Outcome(text, "[]", r"\varnothing ", steps=steps, relation=r"\;\Rightarrow\; ", extra={"solutions": []})
    if not real:
        steps = [*steps, say(tongue, "There is no real solution; these are complex.", "没有实数解，以下为复数解。")]
    texts, codes, texs = [], [], []
    for one in sorted(real or kept, key=str):
        names = [name for name in unknowns if name in one]
        texts.append(
            say(tongue, ", ", "，").join(f"{shown.line(name)} = {shown.line(neat(one[name]))}" for name in names)
        )
        codes.append(", ".join(f"{shown.code(name)} = {shown.code(neat(one[name]))}" for name in names))
        texs.append(
            r"\begin{cases}"
            + r" \\ ".join(f"{shown.latex(n)}={shown.latex(neat(one[n]))}" for n in names)
            + r"\end{cases}"
        )
    free = [name for name in unknowns if any(name in value.free_symbols for one in kept for value in one.values())]
    if free:
        names_text = ", ".join(map(shown.line, free))
        steps = [*steps, say(tongue, f"{names_text} can be any number.", f"{names_text} 可取任意值。")]
    approximate = None
    values = [value for one in (real or kept) for value in one.values()]
    if any(shown.approximation(value) for value in values):
        approximate = say(tongue, "; ", "；").join(
            say(tongue, ", ", "，").join(
                f"{shown.line(n)} ≈ {shown.approximation(one[n]) or shown.line(one[n])}" for n in unknowns if n in one
            )
            for one in sorted(real or kept, key=str)
        )
    return Outcome(
        say(tongue, "; ", "；").join(texts), "; ".join(codes), r"\;\text{, }\; ".join(texs), approximate,
        answers=tuple(codes), steps=steps, relation=r"\;\Rightarrow\; ", extra={"solutions": codes},
    )  # fmt: skip


def _holds(difference: Any, one: dict[Any, Any]) -> bool:
    left = difference.subs(one)
    if left.free_symbols:
        return bool(sp.simplify(left) == 0)
    return abs(complex(sp.N(left, 20))) < 1e-9
