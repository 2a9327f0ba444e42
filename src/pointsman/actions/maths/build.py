"""The tree as SymPy's objects, node by node: no text is ever evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from pointsman.actions.maths import trouble
from pointsman.calculation.tree import Node

CONSTANTS = {"pi": sp.pi, "e": sp.E, "i": sp.I, "oo": sp.oo}
RELATIONS = {"eq": sp.Eq, "ne": sp.Ne, "lt": sp.Lt, "le": sp.Le, "gt": sp.Gt, "ge": sp.Ge}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": sp.sin, "cos": sp.cos, "tan": sp.tan, "cot": sp.cot, "sec": sp.sec, "csc": sp.csc, "asin": sp.asin,
    "acos": sp.acos, "atan": sp.atan, "acot": sp.acot, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh,
    "asinh": sp.asinh, "acosh": sp.acosh, "atanh": sp.atanh, "exp": sp.exp, "ln": sp.log, "sqrt": sp.sqrt, "abs": sp.Abs,
    "sign": sp.sign, "floor": sp.floor, "ceil": sp.ceiling, "re": sp.re, "im": sp.im, "conj": sp.conjugate, "arg": sp.arg,
    "gamma": sp.gamma, "erf": sp.erf, "fact2": sp.factorial2, "fibonacci": sp.fibonacci,
    "max": sp.Max, "min": sp.Min, "binomial": sp.binomial,
}  # fmt: skip


def symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name)


def build(node: Node) -> Any:
    """An expression, a matrix, a list or a relation. Raises ActionFailed for what has no meaning."""
    op, args = node.op, node.args
    if op == "num":
        return number(node.text)
    if op == "sym":
        return symbol(node.text)
    if op == "const":
        return CONSTANTS[node.text]
    if op in RELATIONS:
        return RELATIONS[op](build(args[0]), build(args[1]), evaluate=False)
    if op in ("integral", "sum", "product"):
        body, variable = build(args[0]), symbol(args[1].text)
        shape = {"integral": sp.Integral, "sum": sp.Sum, "product": sp.Product}[op]
        bounds = tuple(build(arg) for arg in args[2:])
        if op != "integral" and not all(_whole(bound) for bound in bounds):
            raise trouble.wrong_kind("The bounds of a sum are whole numbers.", "求和的上下限必须是整数。")
        return shape(body, (variable, *bounds))
    if op == "derivative":
        return sp.Derivative(build(args[0]), (symbol(args[1].text), int(args[2].text)))
    if op == "limit":
        return sp.Limit(build(args[0]), symbol(args[1].text), build(args[2]), dir=node.text or "+-")
    if op == "at":
        inner = build(args[0])
        return settled(inner).subs(symbol(args[1].text), build(args[2]))
    if op == "matrix":
        return sp.Matrix([[plain_of(build(item)) for item in row.args] for row in args])
    if op == "list":
        return [build(arg) for arg in args]
    values = [build(arg) for arg in args]
    return _arithmetic(op, values)


def number(text: str) -> sp.Rational:
    """A literal, exactly."""
    return sp.Rational(text)


def _whole(bound: Any) -> bool:
    return bound.is_integer is not False or bool(bound.is_infinite)


def plain_of(value: Any) -> Any:
    if isinstance(value, (sp.MatrixBase, list)):
        raise trouble.wrong_kind("A number is needed where a matrix or list stands.", "这里需要数，却是矩阵或数列。")
    return value


def _arithmetic(op: str, values: list[Any]) -> Any:
    if any(isinstance(value, sp.MatrixBase) for value in values):
        return _of_matrices(op, values)
    if op in ("mean", "median", "mode", "variance", "stdev", "sum_of", "product_of", "gcd", "lcm", "max", "min"):
        return _of_list(op, values[0] if len(values) == 1 and isinstance(values[0], list) else values)
    values = [plain_of(value) for value in values]
    match op, values:
        case "add", [a, b]:
            return a + b
        case "sub", [a, b]:
            return a - b
        case "mul", [a, b]:
            return a * b
        case "div", [a, b]:
            if b.is_zero:
                raise trouble.undefined()
            return a / b
        case "neg", [a]:
            return -a
        case "pow", [a, b]:
            if a.is_zero and (b.is_zero or b.is_negative):
                raise trouble.undefined()
            return a**b
        case "raise", [a, b]:
            return a * (1 + b)
        case "lower", [a, b]:
            return a * (1 - b)
        case "percent", [a]:
            return a / 100
        case "permille", [a]:
            return a / 1000
        case "degrees", [a]:
            return a * sp.pi / 180
        case "fact", [a]:
            if a.is_number and not (a.is_integer and a.is_nonnegative):
                if a.is_integer:
                    raise trouble.undefined()
                return sp.gamma(a + 1)
            return sp.factorial(a)
        case "cbrt", [a]:
            return _root(a, sp.Integer(3))
        case "nth_root", [a, b]:
            return _root(a, b)
        case "lg", [a]:
            return _log(a, sp.Integer(10))
        case "log2", [a]:
            return _log(a, sp.Integer(2))
        case "log_base", [a, b]:
            return _log(a, b)
        case "mod", [a, b]:
            return _mod(a, b)
        case "permutations", [a, b]:
            return sp.ff(a, b)
        case "round", [a, *rest]:
            places = int(rest[0]) if rest else 0
            return rounded(a, places)
        case _:
            if op == "ln" and values[0].is_zero:
                raise trouble.undefined()
            return _FUNCTIONS[op](*values)


def rounded(value: Any, places: int) -> Any:
    """Half away from zero, as people do it, exactly."""
    scaled = abs(value) * sp.Integer(10) ** places
    whole = sp.floor(scaled + sp.Rational(1, 2))
    return sp.sign(value) * whole / sp.Integer(10) ** places


def _root(a: Any, index: Any) -> Any:
    """The real one where there is one: ∛(-8) is -2."""
    if not (index.is_integer and index.is_positive):
        if index.is_zero:
            raise trouble.undefined()
        return a ** (1 / index)
    if a.is_negative and index.is_odd:
        return -((-a) ** (1 / index))
    if index.is_odd and a.free_symbols:
        return a ** (1 / index)
    return sp.root(a, index)


def _log(a: Any, base: Any) -> Any:
    if a.is_zero or base in (0, 1):
        raise trouble.undefined()
    return sp.log(a, base)


def _mod(a: Any, b: Any) -> Any:
    if b.is_zero:
        raise trouble.undefined()
    return sp.Mod(a, b)


def _of_list(op: str, values: list[Any]) -> Any:
    if any(isinstance(value, sp.MatrixBase) for value in values):
        raise trouble.wrong_kind("Numbers are needed here.", "这里需要数。")
    count = sp.Integer(len(values))
    total = sp.Add(*values)
    mean = total / count
    if op in ("median", "mode") and any(value.free_symbols for value in values):
        raise trouble.wrong_kind("Numbers are needed here.", "这里需要数。")
    match op:
        case "sum_of":
            return total
        case "product_of":
            return sp.Mul(*values)
        case "mean":
            return mean
        case "variance":
            return sp.Add(*[(value - mean) ** 2 for value in values]) / count
        case "stdev":
            return sp.sqrt(sp.Add(*[(value - mean) ** 2 for value in values]) / count)
        case "median":
            ordered = sorted(values, key=lambda value: sp.N(value, 30))
            middle = len(ordered) // 2
            return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
        case "mode":
            most = max(values.count(value) for value in values)
            common = list(dict.fromkeys(value for value in values if values.count(value) == most))
            return common[0] if len(common) == 1 else common
        case "gcd" | "lcm":
            if not all(value.is_Integer for value in values) and not any(value.free_symbols for value in values):
                raise trouble.wrong_kind("Whole numbers are needed here.", "这里需要整数。")
            return (sp.gcd if op == "gcd" else sp.lcm)(values)
        case _:
            return (sp.Max if op == "max" else sp.Min)(*values)


def _of_matrices(op: str, values: list[Any]) -> Any:
    from pointsman.actions.maths.matrices import of_matrices

    return of_matrices(op, values)


def power_modulo(node: Node) -> Any | None:
    """a^b mod m of whole numbers, without writing the power out."""
    if node.op != "mod" or node.args[0].op != "pow":
        return None
    values = [build(arg) for arg in (*node.args[0].args, node.args[1])]
    if not all(value.is_Integer for value in values) or values[1] < 0 or values[2] == 0:
        return None
    return sp.Integer(pow(int(values[0]), int(values[1]), int(values[2])))


def settled(expression: Any) -> Any:
    """With derivatives, integrals, sums and limits worked out, where SymPy can."""
    if isinstance(expression, list):
        return [settled(item) for item in expression]
    return expression.doit() if hasattr(expression, "doit") else expression
