"""What is made of prices, taxes, interest and series: slots → Problem."""

from __future__ import annotations

from pointsman.calculation import builders as make
from pointsman.calculation.asking import Build, Slots
from pointsman.calculation.expressions import Reader
from pointsman.calculation.tree import Node, NotUnderstood, Problem, apply, num, sym
from pointsman.domain.said import Said

_ONE = num(1)


def money(reader: Reader, text: str) -> Node:
    return reader.constant(make.amount(text))


def rate(reader: Reader, text: str) -> Node:
    """A percentage."""
    node = reader.constant(text)
    if node.op != "percent":
        raise NotUnderstood(Said("a percentage is needed", "需要一个百分数"))
    return node


def without(sign: str) -> Build:
    """What a was before b was added to it (`add`: a tax) or taken off (`sub`: a discount)."""

    def build(reader: Reader, slots: Slots) -> Problem | None:
        share = apply(sign, _ONE, apply("div", rate(reader, slots["b"]).args[0], num(100)))
        return Problem("value", (apply("div", money(reader, slots["a"]), share),))

    return build


def share_of(reader: Reader, slots: Slots) -> Problem | None:
    """A tax or a tip of b on a."""
    return Problem("value", (apply("mul", rate(reader, slots["b"]), money(reader, slots["a"])),))


def in_percent(reader: Reader, slots: Slots) -> Problem | None:
    return Problem("share", (reader.constant(slots["e"]), _ONE))


def interest(*, compound: bool, months: bool = False) -> Build:
    """On a at b a year for n years: what a has become, or the simple interest alone."""

    def build(reader: Reader, slots: Slots) -> Problem | None:
        capital, part = money(reader, slots["a"]), apply("div", rate(reader, slots["b"]).args[0], num(100))
        time = reader.constant(slots["n"])
        if months:
            time = apply("div", time, num(12))
        if compound:
            return Problem("value", (apply("mul", capital, apply("pow", apply("add", _ONE, part), time)),))
        return Problem("value", (apply("mul", apply("mul", capital, part), time),))

    return build


def series(op: str) -> Build:
    """First term a, difference or ratio b, n terms."""

    def build(reader: Reader, slots: Slots) -> Problem | None:
        first, step = reader.constant(slots["a"]), reader.constant(slots["b"])
        index = apply("sub", sym("k"), _ONE)
        term = (
            apply("add", first, apply("mul", step, index))
            if op == "add"
            else apply("mul", first, apply("pow", step, index))
        )
        return Problem("value", (apply("sum", term, sym("k"), _ONE, reader.constant(slots["n"])),))

    return build


def first_numbers(reader: Reader, slots: Slots) -> Problem | None:
    """前 50 个正奇数的和, the product of the first six even numbers."""
    odd = slots["parity"].lower() in ("奇", "单", "odd")
    term = apply("mul", num(2), sym("k"))
    whole = apply("sub", term, _ONE) if odd else term
    return Problem(
        "value",
        (apply("product" if slots.get("product") else "sum", whole, sym("k"), _ONE, reader.constant(slots["n"])),),
    )


def powers_between(reader: Reader, slots: Slots) -> Problem | None:
    """从 1 到 12 的立方和."""
    exponent = num(3 if slots["p"].lower() in ("立方", "cubes") else 2)
    low, high = reader.constant(slots["a"]), reader.constant(slots["b"])
    return Problem("value", (apply("sum", apply("pow", sym("k"), exponent), sym("k"), low, high),))


def logarithm(reader: Reader, slots: Slots) -> Problem | None:
    return Problem("value", (apply("log_base", reader.expr(slots["b"]), reader.constant(slots["a"])),))


def power(reader: Reader, slots: Slots) -> Problem | None:
    return Problem("value", (apply("pow", reader.expr(slots["a"]), reader.constant(slots["k"])),))


def chosen(reader: Reader, slots: Slots) -> Problem | None:
    return Problem("value", (apply("binomial", reader.constant(slots["b"]), reader.constant(slots["a"])),))


def angle(unit: str) -> Build:
    """An arcus in degrees or radians; degrees as radians, and back."""

    def build(reader: Reader, slots: Slots) -> Problem | None:
        node = reader.constant(slots["e"])
        if unit == "radian" and node.op in ("num", "degrees"):
            value = node.args[0] if node.op == "degrees" else node
            return Problem("value", (apply("div", apply("mul", value, Node("const", text="pi")), num(180)),))
        if unit == "radian":
            return Problem("value", (node,))
        return Problem("value", (apply("div", apply("mul", node, num(180)), Node("const", text="pi")),))

    return build


def per(reader: Reader, slots: Slots) -> Problem | None:
    """72 km/h 等于每秒多少米."""
    return make.convert(reader, {"e": slots["e"], "b": f"{slots['b']}/{slots['n']}"})
