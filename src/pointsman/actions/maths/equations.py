"""Equations in one unknown, and the way to systems and inequalities: every solution is put in again before it is told."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.build import build, settled, symbol
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.inequalities import satisfied
from pointsman.actions.maths.outcome import Outcome, say
from pointsman.actions.maths.roots import found_by_numbers, neat
from pointsman.actions.maths.solving_steps import equation_steps
from pointsman.actions.maths.systems import system
from pointsman.calculation.tree import Problem
from pointsman.domain.said import Tongue

UGLY = 30  # operations beyond which a root is told as a number


def solved(problem: Problem, tongue: Tongue, room: Room) -> Outcome:
    relations = [_settled(build(node)) for node in problem.nodes]
    if any(isinstance(side, (list, sp.MatrixBase)) for relation in relations for side in (relation.lhs, relation.rhs)):
        raise trouble.wrong_kind("Equations of matrices are not solved.", "不解矩阵方程。")
    unknowns = [symbol(name) for name in problem.unknowns]
    if not unknowns:
        return _truth(relations, tongue)
    if any(not isinstance(relation, sp.Eq) for relation in relations):
        return satisfied(relations, unknowns, tongue, room)
    if len(relations) == 1 and len(unknowns) == 1:
        return _one(relations[0], unknowns[0], tongue, room)
    return system(relations, unknowns, tongue, room)


def _settled(relation: Any) -> Any:
    left, right = settled(relation.lhs), settled(relation.rhs)
    if any(isinstance(side, sp.Basic) and side.has(sp.zoo, sp.nan) for side in (left, right)):
        raise trouble.undefined()
    return type(relation)(left, right, evaluate=False)


def _truth(relations: list[Any], tongue: Tongue) -> Outcome:
    """1/3 < 0.34: holds or not."""
    lines, all_hold = [], True
    for relation in relations:
        difference = sp.simplify(relation.lhs - relation.rhs)
        if not difference.is_number:
            raise trouble.unsolved()
        if isinstance(relation, (sp.Eq, sp.Ne)):
            holds = (difference == 0) == isinstance(relation, sp.Eq)
        else:
            number = sp.N(difference, 30)
            if not number.is_real:
                raise trouble.wrong_kind("Complex numbers have no order.", "复数不能比较大小。")
            holds = bool(relation.func(number if difference != 0 else 0, 0))
        all_hold &= holds
        lines.append(f"{shown.line(relation.lhs)} - ({shown.line(relation.rhs)}) = {shown.line(difference)}")
    text = say(tongue, "true", "成立") if all_hold else say(tongue, "false", "不成立")
    return Outcome(text, str(all_hold).lower(), "", steps=lines, relation="", extra={"true": all_hold})


def _one(relation: Any, x: Any, tongue: Tongue, room: Room) -> Outcome:
    difference = relation.lhs - relation.rhs
    try:
        with within(room, 0.8):
            if not sp.simplify(difference).has(x):
                return _always(sp.simplify(difference), x, tongue)
            return _roots(relation, difference, x, tongue)
    except trouble.TimeUp:
        return _by_numbers(difference, x, tongue, room)
    except (NotImplementedError, ValueError, TypeError):
        return _by_numbers(difference, x, tongue, room)


def _always(rest: Any, x: Any, tongue: Tongue) -> Outcome:
    if rest == 0:
        text = say(tongue, f"every {x} solves it for which both sides are defined", f"使两边有意义的任意 {x} 都是解")
        return Outcome(text, "all", r"\mathbb{R}", relation=rf"\;\Rightarrow\; {x}\in ", extra={"solutions": "all"})
    if rest.free_symbols:
        raise trouble.unsolved()
    return _none(x, tongue)


def _none(x: Any, tongue: Tongue, steps: list[str] | None = None) -> Outcome:
    text = say(tongue, "no solution", "无解")
    return Outcome(
        text,
        "[]",
        r"\varnothing ",
        steps=steps or [],
        relation=rf"\;\Rightarrow\; {shown.latex(x)}\in ",
        extra={"solutions": []},
    )


def _roots(relation: Any, difference: Any, x: Any, tongue: Tongue) -> Outcome:
    above, below = sp.fraction(sp.together(difference))
    steps = equation_steps(relation, x, tongue)
    if above.is_polynomial(x):
        found = _of_polynomial(sp.Poly(above, x))
        kept = [root for root in found if sp.simplify(below.subs(x, root)) != 0]
        return _listed(kept, x, tongue, steps, dropped=len(kept) < len(found))
    answer = sp.solveset(difference, x, sp.S.Reals)
    if answer is sp.S.EmptySet:
        return _none(x, tongue, [say(tongue, "There is no real solution.", "没有实数解。")])
    if isinstance(answer, sp.FiniteSet):
        return _listed([root for root in answer if _fits(difference, x, root)], x, tongue, steps)
    if answer.has(sp.ConditionSet) or answer.has(sp.Intersection):
        found = [root for root in sp.solve(difference, x) if _fits(difference, x, root)]
        if not found:
            raise NotImplementedError
        lead = say(tongue, "Other solutions are not ruled out.", "不排除还有其他解。")
        return _listed(found, x, tongue, [*steps, lead])
    return _families(answer, x, tongue, steps)


def _of_polynomial(poly: Any) -> list[Any]:
    """Its roots, each once: exact where that is readable, else as numbers."""
    roots = list(sp.roots(poly).keys())
    if poly.degree() <= 2 or (
        sum(sp.roots(poly).values()) == poly.degree() and all(r.count_ops() <= UGLY for r in roots)
    ):
        if sum(sp.roots(poly).values()) != poly.degree():
            raise NotImplementedError
        return sorted(map(neat, roots), key=_order)
    if poly.free_symbols_in_domain:
        return sorted(roots, key=_order) if sum(sp.roots(poly).values()) == poly.degree() else _unsolvable()
    rational = [root for root in roots if root.is_Rational]
    rest = poly
    for root in rational:
        while rest.eval(root) == 0:
            rest = sp.Poly(sp.quo(rest, sp.Poly(rest.gen - root, rest.gen)), rest.gen)
    numbers = [] if rest.degree() < 1 else sp.Poly(sp.sqf_part(rest.as_expr()), rest.gen).nroots(n=15, maxsteps=200)
    return sorted([*rational, *numbers], key=_order)


def _unsolvable() -> list[Any]:
    raise NotImplementedError


def _order(root: Any) -> tuple[Any, ...]:
    if root.free_symbols:
        return (2, 0.0, 0.0, str(root))
    number = complex(sp.N(root))
    return (0 if abs(number.imag) < 1e-12 else 1, number.real, -number.imag, "")


def _fits(difference: Any, x: Any, root: Any) -> bool:
    try:
        left = complex(sp.N(difference.subs(x, root), 20))
    except (TypeError, ValueError):
        return True
    return abs(left) < 1e-9


def _listed(roots: list[Any], x: Any, tongue: Tongue, steps: list[str], *, dropped: bool = False) -> Outcome:
    if dropped:
        steps = [*steps, say(tongue, "Values that make a denominator 0 were left out.", "已舍去使分母为零的增根。")]
    if not roots:
        return _none(x, tongue, steps)
    numeric = all(not root.free_symbols for root in roots)
    if numeric and all(abs(complex(sp.N(root)).imag) > 1e-12 for root in roots):
        steps = [*steps, say(tongue, "There is no real solution; these are complex.", "没有实数解，以下为复数解。")]
    name = shown.line(x)
    texts = [f"{name} {'≈' if root.has(sp.Float) else '='} {_shown(root)}" for root in roots]
    several = [shown.approximation(root) for root in roots]
    approximate = None
    if any(several) and not all(root.has(sp.Float) for root in roots):
        joined = [f"{name} ≈ {text or _shown(root)}" for root, text in zip(roots, several, strict=True)]
        approximate = _or(joined, tongue)
    rounded = any(root.has(sp.Float) for root in roots)
    tex_roots = [shown.latex(root) if not root.has(sp.Float) else _shown(root) for root in roots]
    sign = r"\approx " if rounded else "="
    tex = r",\; ".join(f"{_name(x, at, len(roots))}{sign}{root}" for at, root in enumerate(tex_roots, 1))
    codes = [shown.code(root) if not root.has(sp.Float) else _shown(root) for root in roots]
    return Outcome(
        _or(texts, tongue),
        codes[0] if len(codes) == 1 else f"[{', '.join(codes)}]",
        tex,
        approximate,
        answers=tuple(codes),
        steps=steps,
        relation=r"\;\Rightarrow\; ",
        extra={"solutions": codes},
    )


def _name(x: Any, at: int, count: int) -> str:
    return shown.latex(x) if count == 1 else f"{{{shown.latex(x)}}}_{{{at}}}"


def _shown(root: Any) -> str:
    """Real numbers that are floats as decimals, complex ones with both parts."""
    if not root.has(sp.Float):
        return shown.line(root)
    number = complex(root)
    if abs(number.imag) < 1e-12:
        return shown.decimal(sp.Float(number.real), 10)
    sign = "-" if number.imag < 0 else "+"
    return f"{shown.decimal(sp.Float(number.real), 10)} {sign} {shown.decimal(sp.Float(abs(number.imag)), 10)}i"


def _or(texts: list[str], tongue: Tongue) -> str:
    return say(tongue, " or ", " 或 ").join(texts) if len(texts) < 3 else say(tongue, ", ", "，").join(texts)


def _families(answer: Any, x: Any, tongue: Tongue, steps: list[str]) -> Outcome:
    """x = 2πn + π/6: a whole number n."""
    sets = answer.args if isinstance(answer, sp.Union) else (answer,)
    n = sp.Symbol("n")
    found = []
    for part in sets:
        if isinstance(part, sp.FiniteSet):
            found += list(part)
        elif isinstance(part, sp.ImageSet) and part.base_set == sp.S.Integers and len(part.lamda.variables) == 1:
            found.append(sp.expand(part.lamda.expr.subs(part.lamda.variables[0], n)))
        else:
            raise NotImplementedError
    name = shown.line(x)
    texts = [f"{name} = {shown.line(value)}" for value in found]
    whole = say(tongue, "n is any whole number", "n 为任意整数")
    tex = r",\; ".join(f"{shown.latex(x)}={shown.latex(value)}" for value in found) + r"\;\left(n\in \mathbb{Z}\right)"
    codes = tuple(shown.code(value) for value in found)
    bracket = say(tongue, f" ({whole})", f"（{whole}）")
    return Outcome(
        _or(texts, tongue) + bracket, f"[{', '.join(codes)}]", tex, answers=codes, steps=steps,
        relation=r"\;\Rightarrow\; ", extra={"solutions": list(codes)},
    )  # fmt: skip


def _by_numbers(difference: Any, x: Any, tongue: Tongue, room: Room) -> Outcome:
    roots = found_by_numbers(difference, x, room)
    lead = say(
        tongue,
        "Found numerically between -100 and 100; there may be others.",
        "在 -100 到 100 之间用数值方法求得，可能还有其他解。",
    )
    outcome = _listed(roots, x, tongue, [lead])
    outcome.partial = True
    return outcome
