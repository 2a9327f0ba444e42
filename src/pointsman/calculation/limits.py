"""What a calculation may come to, told from the tree alone: before a number is too large, it is refused."""

from __future__ import annotations

import math
from fractions import Fraction

from pointsman.calculation.tree import Node, Problem
from pointsman.domain.said import Said, said

DIGITS = 20_000
FACTORIAL = 5_000
EXPONENT = 1_000
TERMS = 2_000
NODES = 3_000
RADICALS = 12
FACTOR_DIGITS = 40
ORDER = 20
SIDE = 20
"""Digits of a number, n of n!, exponent of a sum, terms when brackets are multiplied out, parts, roots within roots, digits
of a number to factor, order of all derivatives, rows of a matrix."""
_GROWING = ("fact", "fact2", "gamma", "fibonacci", "binomial", "permutations")


class TooLarge(Exception):
    """`message` says, in both languages, which limit."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


def check(problem: Problem) -> None:
    """Raises TooLarge."""
    count = 0
    orders = 0
    for node in problem.nodes:
        _size(node)
        for part in node.walk():
            count += 1
            orders += int(part.args[2].text) if part.op == "derivative" else 0
            _single(part)
        if problem.kind == "expand" and _terms(node) > TERMS:
            en, zh = (
                "Multiplied out this has more than {most:,} terms; that is the limit.",
                "展开后超过 {most:,} 项，超出上限。",
            )
            raise TooLarge(said(en, zh, most=TERMS))
        if problem.kind in ("primes", "divisors", "is_prime") and _size(node) > FACTOR_DIGITS:
            en, zh = "Numbers of up to {most} digits are factored.", "最多只能分解 {most} 位的数。"
            raise TooLarge(said(en, zh, most=FACTOR_DIGITS))
        if _radicals(node) > RADICALS:
            en, zh = "Roots are nested more than {most} deep; that is the limit.", "根号嵌套超过 {most} 层，超出上限。"
            raise TooLarge(said(en, zh, most=RADICALS))
    if count > NODES:
        en, zh = (
            "The expression has more than {most:,} parts; that is the limit.",
            "表达式超过 {most:,} 个部分，超出上限。",
        )
        raise TooLarge(said(en, zh, most=NODES))
    if orders > ORDER:
        en, zh = "Derivatives up to order {most} are taken.", "最多求 {most} 阶导数。"
        raise TooLarge(said(en, zh, most=ORDER))


def _single(node: Node) -> None:
    if node.op == "pow" and node.args[0].names() and node.args[0].op not in ("sym", "num"):
        power = _approx(node.args[1])
        if power is not None and abs(power) > EXPONENT:
            en, zh = "Powers of a sum go up to {most:,}; that is the limit.", "多项式的幂最高为 {most:,} 次，超出上限。"
            raise TooLarge(said(en, zh, most=EXPONENT))
    if node.op == "pow" and node.args[0].op == "matrix":
        power = _approx(node.args[1])
        if power is not None and abs(power) > EXPONENT:
            en, zh = (
                "Powers of a matrix go up to {most:,}; that is the limit.",
                "矩阵的幂最高为 {most:,} 次，超出上限。",
            )
            raise TooLarge(said(en, zh, most=EXPONENT))
    if node.op == "pow" and node.args[0].op == "sym":
        power = _approx(node.args[1])
        if power is not None and abs(power) > 10**6:
            raise _digits()
    if node.op == "matrix" and max(len(node.args), len(node.args[0].args)) > SIDE:
        en, zh = (
            "Matrices have up to {most} rows and columns; that is the limit.",
            "矩阵最多 {most} 行 {most} 列，超出上限。",
        )
        raise TooLarge(said(en, zh, most=SIDE))
    if node.op == "product":
        high = _approx(node.args[3])
        if high is not None and not math.isinf(high) and abs(high) > FACTORIAL:
            en, zh = "Products have up to {most:,} factors; that is the limit.", "连乘最多 {most:,} 项，超出上限。"
            raise TooLarge(said(en, zh, most=FACTORIAL))


def _digits() -> TooLarge:
    en = "A number in this would have more than {most:,} digits; that is the limit."
    return TooLarge(said(en, "其中的数会超过 {most:,} 位，超出上限。", most=DIGITS))


def _size(node: Node) -> float:
    """An upper bound of the digits of numerator or denominator of what it comes to, nearly; raises TooLarge on the way."""
    if node.op == "mod" and node.args[0].op == "pow":  # a power modulo a number is never written out
        return max([_size(arg) for arg in (*node.args[0].args, node.args[1])])
    sizes = [_size(arg) for arg in node.args]
    size = _size_of(node, sizes)
    if size > DIGITS:
        if node.op in ("fact", "fact2"):
            en, zh = "Factorials go up to {most:,}!; that is the limit.", "阶乘最大算到 {most:,}!，超出上限。"
            raise TooLarge(said(en, zh, most=FACTORIAL))
        raise _digits()
    return size


def _size_of(node: Node, sizes: list[float]) -> float:
    op = node.op
    if op == "num":
        mantissa, _, exponent = node.text.partition("e")
        power = abs(int(exponent)) if exponent else 0
        if power > DIGITS:
            return math.inf
        value = Fraction(mantissa)
        return math.log10(max(abs(value.numerator), value.denominator, 1)) + power
    if op in ("sym", "const", "unit"):
        return 0.0
    if op in ("mul", "div", "percent", "permille", "degrees"):
        return sum(sizes) + (2 if op == "percent" else 3 if op in ("permille", "degrees") else 0)
    if op in ("add", "sub", "raise", "lower", "mean", "sum_of", "variance", "stdev"):
        return sum(sizes) + 1
    if op == "pow":
        exponent_size = _approx(node.args[1])
        if node.args[0].op == "num" and node.args[0].text in ("0", "1"):
            return 0.0
        if exponent_size is None:
            return sizes[0]
        return sizes[0] * max(abs(exponent_size), 1.0) if sizes[0] else 0.0
    if op in _GROWING:
        return _growth(node, sizes)
    if op in ("sin", "cos", "tan", "ln", "lg", "log2", "log_base", "exp"):
        return 1.0
    return max(sizes, default=0.0) if op not in ("list", "matrix", "row", "product_of", "lcm") else sum(sizes)


def _growth(node: Node, sizes: list[float]) -> float:
    first = _approx(node.args[0])
    if first is None:
        return 0.0
    if node.op in ("fact", "fact2", "gamma"):
        return math.inf if abs(first) > FACTORIAL else max(abs(first), 1.0) * 3.4
    if node.op == "fibonacci":
        return abs(first) * 0.21
    second = _approx(node.args[1])
    if second is None:
        return 0.0
    if abs(first) > 10**9:
        return math.inf
    fewer = min(abs(second), abs(first - second)) if node.op == "binomial" else abs(second)
    return fewer * max(sizes[0], 1.0)


def _approx(node: Node) -> float | None:
    """About how large it is; None where it holds variables, infinity where it is beyond floats."""
    if node.names():
        return None
    try:
        return _value(node)
    except (OverflowError, ValueError, ZeroDivisionError):
        return math.inf


def _value(node: Node) -> float:
    values = [_value(arg) for arg in node.args if arg.op not in ("matrix", "list", "unit")]
    match node.op:
        case "num":
            return float(node.text)
        case "const":
            return {"pi": math.pi, "e": math.e, "i": 1.0}.get(node.text, math.inf)
        case "add" | "sum_of":
            return math.fsum(values)
        case "sub":
            return values[0] - values[1]
        case "mul" | "product_of":
            return math.prod(values)
        case "div":
            return values[0] / values[1]
        case "neg":
            return -values[0]
        case "percent":
            return values[0] / 100
        case "pow":
            return float(abs(values[0]) ** values[1])
        case "sqrt":
            return math.sqrt(abs(values[0]))
        case "fact" | "gamma":
            return math.exp(math.lgamma(abs(values[0]) + 1))
        case "binomial" | "permutations":
            return float(values[0] ** values[1])
        case "ln" | "lg" | "log2":
            return abs(math.log(abs(values[0]))) * 4
        case "sin" | "cos":
            return 1.0
        case _:
            return max((abs(value) for value in values), default=1.0)


def _terms(node: Node) -> float:
    """How many terms it has when all brackets are multiplied out, at most."""
    if node.op in ("add", "sub"):
        return sum(_terms(arg) for arg in node.args)
    if node.op == "mul":
        return math.prod(_terms(arg) for arg in node.args)
    if node.op == "pow":
        power, terms = _approx(node.args[1]), _terms(node.args[0])
        if power is None or terms <= 1:
            return terms
        if power > EXPONENT:
            return math.inf
        return float(math.comb(int(power) + int(terms) - 1, int(terms) - 1)) if terms < 200 and power >= 0 else math.inf
    return max((_terms(arg) for arg in node.args), default=1.0)


def _radicals(node: Node) -> int:
    inner = max((_radicals(arg) for arg in node.args), default=0)
    return inner + (node.op in ("sqrt", "cbrt", "nth_root"))
