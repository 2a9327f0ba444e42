"""How linear and quadratic equations and systems of linear ones come out, as it is done at school."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.maths.outcome import say
from pointsman.actions.maths.shown import line
from pointsman.domain.said import Tongue


def equation_steps(relation: Any, x: Any, tongue: Tongue) -> list[str]:
    left, right = relation.lhs, relation.rhs
    difference = sp.together(left - right)
    above, below = sp.fraction(difference)
    if not above.is_polynomial(x):
        return []
    poly = sp.Poly(above, x)
    lines = []
    if below.has(x):
        lines.append(
            say(
                tongue,
                f"Multiply by {line(below)}: {line(poly.as_expr())} = 0",
                f"两边乘以 {line(below)}：{line(poly.as_expr())} = 0",
            )
        )
    if poly.degree() == 1:
        a, b = poly.all_coeffs()
        lines.append(say(tongue, "Collect terms: ", "移项合并：") + f"{line(a * x)} = {line(-b)}")
        if a != 1:
            lines.append(
                say(tongue, f"Divide by {line(a)}: ", f"两边除以 {line(a)}：")
                + f"{line(x)} = {line(sp.simplify(-b / a))}"
            )
    elif poly.degree() == 2:
        lines += _quadratic(poly, x, tongue)
    elif poly.degree() > 2:
        factored = sp.factor(poly.as_expr())
        if factored.is_Mul or factored.is_Pow:
            lines.append(say(tongue, "Factor: ", "因式分解：") + f"{line(factored)} = 0")
    return lines


def _quadratic(poly: Any, x: Any, tongue: Tongue) -> list[str]:
    a, b, c = poly.all_coeffs()
    lines = [say(tongue, "Standard form: ", "化为一般式：") + f"{line(poly.as_expr())} = 0"]
    delta = sp.expand(b**2 - 4 * a * c)
    lines.append(f"Δ = b^2 - 4ac = ({line(b)})^2 - 4·({line(a)})·({line(c)}) = {line(delta)}")
    factored = sp.factor(poly.as_expr())
    if delta.is_Integer and sp.sqrt(delta).is_Rational and (factored.is_Mul or factored.is_Pow):
        lines.append(say(tongue, "Factor: ", "因式分解：") + f"{line(factored)} = 0")
    name = line(x)
    lines.append(f"{name} = (-b ± √Δ)/(2a) = ({line(-b)} ± {line(sp.sqrt(delta))})/({line(2 * a)})")
    return lines


def system_steps(relations: list[Any], unknowns: list[Any], tongue: Tongue) -> list[str]:
    """By elimination, where all is linear and there are two or three of each."""
    if len(relations) != len(unknowns) or not 2 <= len(unknowns) <= 3:
        return []
    try:
        matrix, right = sp.linear_eq_to_matrix([relation.lhs - relation.rhs for relation in relations], unknowns)
    except (ValueError, NotImplementedError):
        return []
    if matrix.free_symbols & set(unknowns):
        return []
    rows = [
        sp.Eq(sum(c * u for c, u in zip(matrix.row(n), unknowns, strict=True)), right[n], evaluate=False)
        for n in range(len(unknowns))
    ]
    lines = [f"({n}) {line(row)}" for n, row in enumerate(rows, 1)]
    determinant = matrix.det()
    if determinant == 0:
        return [*lines, say(tongue, "The determinant is 0.", "系数行列式为 0。")]
    lines.append(say(tongue, "Determinant ", "系数行列式 ") + f"D = {line(determinant)}")
    for place, unknown in enumerate(unknowns):
        other = matrix.copy()
        other[:, place] = right
        name = line(unknown)
        lines.append(
            f"D_{name} = {line(other.det())}, {name} = D_{name}/D = {line(sp.simplify(other.det() / determinant))}"
        )
    return lines
