"""What is asked of whole numbers: factors, whether they are prime, another base; and which of two numbers is larger."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.build import build, settled
from pointsman.actions.maths.clock import within
from pointsman.actions.maths.outcome import Outcome, say
from pointsman.calculation.tree import Problem
from pointsman.domain.said import Tongue

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def looked_at(problem: Problem, tongue: Tongue, room: Room) -> Outcome:
    if problem.kind == "compare":
        return _compared(problem, tongue)
    value = settled(build(problem.nodes[0]))
    if problem.kind == "base":
        return _in_base(value, problem.base)
    if not getattr(value, "is_Integer", False) or value < 1:
        raise trouble.wrong_kind("A positive whole number is needed.", "需要正整数。")
    with within(room, 0.9):
        if problem.kind == "is_prime":
            return _prime(int(value), tongue)
        if problem.kind == "divisors":
            found = sp.divisors(int(value))
            if len(found) > 2000:
                raise trouble.wrong_kind("It has more than 2,000 divisors.", "它的因数超过 2000 个。")
            text = ", ".join(map(str, found))
            return Outcome(text, f"[{text}]", text, extra={"count": len(found)}, relation=r"\colon ")
        factors = sp.factorint(int(value))
    text = " × ".join(str(p) if n == 1 else f"{p}^{n}" for p, n in sorted(factors.items())) or str(value)
    code = "*".join(str(p) if n == 1 else f"{p}^{n}" for p, n in sorted(factors.items())) or str(value)
    tex = r" \times ".join(str(p) if n == 1 else f"{p}^{{{n}}}" for p, n in sorted(factors.items())) or str(value)
    steps = [say(tongue, f"{value} is prime.", f"{value} 是质数。")] if list(factors.values()) == [1] else []
    return Outcome(text, code, tex, steps=steps, extra={"factors": {str(p): n for p, n in sorted(factors.items())}})


def _prime(value: int, tongue: Tongue) -> Outcome:
    prime = bool(sp.isprime(value))
    steps: list[str] = []
    if not prime and value > 1:
        least = min(sp.factorint(value, limit=10**6))
        if least < value and value % least == 0:
            steps = [f"{value} = {least} × {value // least}"]
    text = say(tongue, f"{value} is {'' if prime else 'not '}prime", f"{value} {'是' if prime else '不是'}质数")
    return Outcome(text, str(prime).lower(), "", steps=steps, relation="")


def _in_base(value: Any, base: int) -> Outcome:
    if not getattr(value, "is_Integer", False):
        raise trouble.wrong_kind("Only whole numbers are written in another base.", "只有整数能转换进制。")
    number, digits = abs(int(value)), []
    while True:
        number, rest = divmod(number, base)
        digits.append(_DIGITS[rest])
        if not number:
            break
    text = ("-" if value < 0 else "") + "".join(reversed(digits))
    return Outcome(text, text, rf"\mathrm{{{text}}}_{{{base}}}" if base != 10 else text, extra={"base": base})


def _compared(problem: Problem, tongue: Tongue) -> Outcome:
    a, b = (settled(build(node)) for node in problem.nodes)
    difference = sp.simplify(a - b)
    if not difference.is_number or not sp.N(difference).is_real:
        raise trouble.wrong_kind("These cannot be compared.", "这两个数不能比较大小。")
    sign = "=" if difference == 0 else ">" if sp.N(difference, 30) > 0 else "<"
    left, right = (shown.exact_decimal(value) or shown.line(value) for value in (a, b))
    larger = None if sign == "=" else left if sign == ">" else right
    text = f"{left} {sign} {right}"
    steps = [] if larger is None else [say(tongue, f"{larger} is the larger one", f"{larger} 更大")]
    if difference != 0:
        steps.insert(0, f"{left} - {right} = {shown.exact_decimal(difference) or shown.line(difference)}")
    return Outcome(text, text, text, steps=steps, relation="", extra={"larger": larger})
