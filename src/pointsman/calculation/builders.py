"""What is made of a way of asking, in either language: slots → Problem."""

from __future__ import annotations

from typing import Any

import re2

from pointsman.calculation.asking import Build, Slots
from pointsman.calculation.expressions import Reader, order_of, variable_of
from pointsman.calculation.tree import Kind, Node, NotUnderstood, Problem, apply, is_relation, num, sym
from pointsman.calculation.words import MATRIX
from pointsman.domain.said import Said, said

_DIFFERENTIAL: Any = re2.compile(r"(?:^|[^a-zA-Z])(d([a-zA-Z]))$")


def value(reader: Reader, slots: Slots) -> Problem | None:
    """An expression to compute, an equation to solve or a claim to check."""
    found = reader.many(slots["e"])
    return valued(found, slots.get("k", ""))


def valued(found: tuple[Node, ...], digits: str = "") -> Problem | None:
    if any(is_relation(node) for node in found):
        return solving(found)
    if len(found) != 1:
        raise NotUnderstood(Said("what is to be done with these is not said", "没有说明要对它们做什么"))
    places = order_of(digits) if digits.strip() not in ("0", "零") and digits else (0 if digits else None)
    return Problem("value", found, digits=places)


def solving(found: tuple[Node, ...], unknowns: tuple[str, ...] = ()) -> Problem:
    relations: list[Node] = []
    for node in found:
        parts = node.args if node.op == "and" else (node,)
        relations += parts
    if not all(is_relation(node) for node in relations):
        if len(relations) == 1 and unknowns:
            relations = [apply("eq", relations[0], num(0))]
        else:
            raise NotUnderstood(Said("a system needs equations only", "方程组里只能有等式或不等式"))
    names = set().union(*[node.names() for node in relations])
    for unknown in unknowns:
        if unknown not in names:
            raise NotUnderstood(said("{x} does not stand in it", "里面没有 {x}", x=unknown))
    return Problem("solve", tuple(relations), unknowns or _unknowns(relations, names))


def _unknowns(relations: list[Node], names: set[str]) -> tuple[str, ...]:
    """All of them where there are as many as equations; else x, y, z before others."""
    wanted = len(relations) if all(node.op == "eq" for node in relations) else 1
    if len(names) <= wanted:
        return tuple(sorted(names))
    usual = [name for name in ("x", "y", "z", "t") if name in names]
    if wanted == 1 and len(usual) == 1:
        return (usual[0],)
    if len(usual) == wanted:
        return tuple(usual)
    en, zh = "for which of {names} to solve is not said", "没有说明要解哪个未知数：{names}"
    raise NotUnderstood(said(en, zh, names=", ".join(sorted(names))))


def solve(reader: Reader, slots: Slots) -> Problem | None:
    found = reader.equations(slots["e"])
    unknowns = reader.variables(slots["u"]) if slots.get("u") else ()
    if not any(is_relation(node) for node in found):
        if not slots.get("zero"):
            raise NotUnderstood(Said("there is no equation", "里面没有方程"))
        found = tuple(apply("eq", node, num(0)) for node in found)
    return solving(found, unknowns)


def derivative(reader: Reader, slots: Slots) -> Problem | None:
    node = reader.expr(slots["e"], calculus=True)
    variable = reader.variable(slots["v"]) if slots.get("v") else variable_of(node)
    found = apply("derivative", node, sym(variable), num(order_of(slots.get("k", ""))))
    if slots.get("a"):
        found = apply("at", found, sym(variable), reader.constant(slots["a"]))
    return Problem("value", (found,))


def integral(reader: Reader, slots: Slots) -> Problem | None:
    written = slots["e"]
    given = slots.get("v", "")
    if match := _DIFFERENTIAL.search(written):
        written, given = written[: match.start(1)].rstrip(" *"), match.group(2)
    node = reader.expr(written, calculus=True)
    variable = reader.variable(given) if given else variable_of(node)
    bounds: tuple[Node, ...] = ()
    if slots.get("a") and slots.get("b"):
        bounds = (reader.bound(slots["a"]), reader.bound(slots["b"]))
    elif slots.get("definite"):
        raise NotUnderstood(Said("the bounds of the integral are missing", "缺少积分的上下限"))
    return Problem("value", (apply("integral", node, sym(variable), *bounds),))


def limit(reader: Reader, slots: Slots) -> Problem | None:
    variable = reader.variable(slots["v"])
    body = reader.expr(slots["e"], calculus=True, bound=variable)
    written = slots["a"]
    side = {"left": "-", "below": "-", "左": "-", "right": "+", "above": "+", "右": "+"}.get(
        slots.get("s", "").lower(), ""
    )
    if written[-1:] in "+-" and len(written) > 1:
        written, side = written[:-1].rstrip("^"), written[-1]
    point = reader.bound(written)
    return Problem("value", (Node("limit", (body, sym(variable), point), text=side),))


def summed(op: str) -> Build:
    def build(reader: Reader, slots: Slots) -> Problem | None:
        index = reader.variable(slots["v"])
        body = reader.expr(slots["e"], bound=index)
        low, high = reader.bound(slots["a"]), reader.bound(slots["b"])
        return Problem("value", (apply(op, body, sym(index), low, high),))

    return build


def numbers_between(reader: Reader, slots: Slots) -> Problem | None:
    """1到100的和: whole numbers one after the other."""
    low, high = reader.constant(slots["a"]), reader.constant(slots["b"])
    if not all(node.op == "num" and node.text.isdigit() for node in (low, high)):
        raise NotUnderstood(Said("the bounds are no whole numbers", "起止不是整数"))
    step, start = slots.get("parity", "").lower(), int(low.text)
    term: Node = sym("k")
    if step:
        remainder = 0 if step.startswith(("even", "偶", "双")) else 1
        first = start + (start % 2 != remainder)
        last = int(high.text) - (int(high.text) % 2 != remainder)
        count = (last - first) // 2 + 1
        term = apply("add", num(first), apply("mul", num(2), apply("sub", sym("k"), num(1))))
        low, high = num(1), num(max(count, 0))
    return Problem("value", (apply("product" if slots.get("product") else "sum", term, sym("k"), low, high),))


def rewritten(kind: Kind) -> Build:
    def build(reader: Reader, slots: Slots) -> Problem | None:
        node = reader.expr(slots["e"], commas=False) if kind == "divisors" else reader.expr(slots["e"])
        if kind in ("primes", "divisors", "is_prime") or (kind == "factor" and not node.names()):
            if node.names():
                raise NotUnderstood(Said("a number is needed", "需要一个数"))
            return Problem("primes" if kind == "factor" else kind, (node,))
        return Problem(kind, (node,))

    return build


def applied(op: str) -> Build:
    def build(reader: Reader, slots: Slots) -> Problem | None:
        node = reader.expr(slots["e"])
        if op in MATRIX and not any(part.op == "matrix" for part in node.walk()):
            raise NotUnderstood(Said("no matrix is given", "没有给出矩阵"))
        return Problem("value", (apply(op, node),))

    return build


def substituted(reader: Reader, slots: Slots) -> Problem | None:
    """x^2+1 at x = 3 (and y = 2)."""
    node = reader.expr(slots["e"])
    for given in reader.many(slots["a"]):
        for relation in given.args if given.op == "and" else (given,):
            if relation.op != "eq" or relation.args[0].op != "sym" or relation.args[1].names():
                raise NotUnderstood(Said("a value like x = 3 is needed", "需要写成 x = 3 的形式"))
            node = apply("at", node, *relation.args)
    return Problem("value", (node,))


def convert(reader: Reader, slots: Slots) -> Problem | None:
    source = reader.expr(_measured(slots["e"]), units=True)
    target = reader.expr(_measured(slots["b"]), units=True)
    if not any(part.op == "unit" for part in source.walk()) or not _is_unit(target):
        raise NotUnderstood(Said("no unit to convert to is given", "没有给出要换算成的单位"))
    if target.op == "quantity":
        raise NotUnderstood(Said("a unit is needed, not a quantity", "需要单位，而不是数量"))
    if source.op in ("unit", "div", "mul", "pow") and _is_unit(source):
        source = apply("quantity", num(1), source)
    return Problem("convert", (source, target), notes=_unit_notes(source, target))


def _measured(text: str) -> str:
    """100 C to F: degrees, where both sides are."""
    stripped = text.strip()
    for letter, sign in (("C", "℃"), ("F", "℉")):
        if stripped.endswith(letter) and (len(stripped) == 1 or not stripped[-2].isalpha()):
            return stripped[:-1].rstrip("° ") + sign
    return stripped[:-2] + "inch" if stripped.endswith(" in") or stripped[-2:] == "in" == stripped else stripped


def _is_unit(node: Node) -> bool:
    return all(part.op in ("unit", "mul", "div", "pow", "num", "neg") for part in node.walk()) and any(
        part.op == "unit" for part in node.walk()
    )


def _unit_notes(*nodes: Node) -> tuple[str, ...]:
    names = {part.text for node in nodes for part in node.walk() if part.op == "unit"}
    notes = []
    if names & {"calendar_year", "calendar_month"}:
        notes.append("year")
    scaled = names & {"kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"}
    if len(scaled) > 1 or (scaled and "byte" in names):
        notes.append("bytes")
    return tuple(notes)


def in_base(written: str, base: int) -> Node:
    """Digits of a number in that base."""
    digits = written.strip().lower().replace(" ", "")
    for mark, of in (("0x", 16), ("0b", 2), ("0o", 8)):
        if base == of and digits.startswith(mark):
            digits = digits[2:]
    allowed = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    if not digits or len(digits) > 400 or any(digit not in allowed for digit in digits):
        en, zh = "“{it}” is no number of base {base}", "“{it}”不是 {base} 进制数"
        raise NotUnderstood(said(en, zh, it=written[:40], base=base))
    return num(int(digits, base))


def pair(kind: Kind, *, percent: bool = False) -> Build:
    """Two numbers a and b of a sentence about percentages; with `percent`, b is one."""

    def build(reader: Reader, slots: Slots) -> Problem | None:
        first = reader.constant(amount(slots["a"]))
        second = reader.constant(amount(slots["b"]))
        if percent and second.op != "percent":
            raise NotUnderstood(Said("a percentage is needed", "需要一个百分数"))
        if not percent and "percent" in (first.op, second.op):
            raise NotUnderstood(Said("two numbers are needed, not percentages", "需要两个数，而不是百分数"))
        if any(part.op in ("unit", "quantity") for node in (first, second) for part in node.walk()):
            raise NotUnderstood(Said("plain numbers are needed", "需要纯数字"))
        return Problem(kind, (first, second))

    return build


def discount(reader: Reader, slots: Slots) -> Problem | None:
    """打八折, 打85折, 打9.5折: of ten, or of a hundred where two digits say so."""
    price = reader.constant(amount(slots["a"]))
    written = slots["n"]
    text = reader.constant(written).text if not _two_numerals(written) else _two_numerals(written)
    if not text.replace(".", "", 1).isdigit():
        raise NotUnderstood(said("“{it}” is no discount", "“{it}”不是折扣", it=written[:20]))
    tenths = text if "." in text or len(text) == 1 else f"{text[0]}.{text[1:]}"
    if float(tenths) >= 10 or float(tenths) <= 0 or len(text.replace(".", "")) > 3:
        raise NotUnderstood(said("“{it}” is no discount", "“{it}”不是折扣", it=written[:20]))
    return Problem("discount", (price, apply("div", num(tenths), num(10))))


def _two_numerals(written: str) -> str:
    """八五 → 85."""
    digits = {c: str(n) for n, c in enumerate("零一二三四五六七八九")}
    return "".join(digits[c] for c in written) if len(written) == 2 and all(c in digits for c in written) else ""


def amount(text: str) -> str:
    """80元 → 80, 48k → 48000."""
    stripped = text.strip()
    if stripped[-1:] in "kK" and stripped[:-1].replace(".", "", 1).isdigit():
        return f"{stripped[:-1]}*1000"
    for word in ("人民币", "美元", "元钱", "块钱", "元", "块", "dollars", "dollar", "yuan", "euros", "usd", "rmb"):
        if stripped.lower().endswith(word) and len(stripped) > len(word):
            return stripped[: -len(word)].strip()
    return stripped


def compared(reader: Reader, slots: Slots) -> Problem | None:
    first, second = reader.constant(slots["a"]), reader.constant(slots["b"])
    return Problem("compare", (first, second))


def remainder(reader: Reader, slots: Slots) -> Problem | None:
    return Problem("value", (apply("mod", reader.constant(slots["a"]), reader.constant(slots["b"])),))


def rounded(reader: Reader, slots: Slots) -> Problem | None:
    node = reader.constant(slots["e"])
    places = 0 if slots.get("whole") else order_of(slots["k"])
    return Problem("value", (node,), digits=places)
