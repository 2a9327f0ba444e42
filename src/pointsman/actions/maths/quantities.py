"""Quantities with units, by pint, in exact fractions; with the units of the Chinese market."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import pint
import sympy as sp

from pointsman.actions.maths import shown, trouble
from pointsman.actions.maths.outcome import Outcome
from pointsman.calculation.tree import Node, Problem
from pointsman.calculation.written import plain as written
from pointsman.calculation.written import unit_sign
from pointsman.domain.said import Tongue

_OWN = """
li = 500 * meter | zhang = 10 / 3 * meter | chi = 1 / 3 * meter | cun = 1 / 30 * meter | jin = 500 * gram | liang = 50 * gram
qian = 5 * gram | mu_area = 2000 / 3 * meter ** 2 | qing = 200000 / 3 * meter ** 2 | calendar_year = 365 * day
calendar_month = 365 / 12 * day | square_decimeter = decimeter ** 2 | square_millimeter = millimeter ** 2
square_meter = meter ** 2 | square_kilometer = kilometer ** 2 | square_centimeter = centimeter ** 2
cubic_decimeter = decimeter ** 3 | cubic_millimeter = millimeter ** 3 | cubic_meter = meter ** 3
international_acre = 4840 * yard ** 2 | infobit = [information] | infobyte = 8 * infobit
kilobit_rate = 1000 * infobit / second | megabit_rate = 1000000 * infobit / second
gigabit_rate = 1000000000 * infobit / second
"""
_NAMES_HERE = {"kbps": "kilobit_rate", "Mbps": "megabit_rate", "Gbps": "gigabit_rate", "acre": "international_acre"}
"""Where pint has another: its acre is that of the old survey foot."""
_NO_OFFSET = "Temperatures can be converted, but not added or multiplied.", "温度可以换算，但不能相加或相乘。"
_UNLIKE = "The units do not measure the same thing.", "单位的量纲不同，不能换算或相加。"


@functools.cache
def registry() -> Any:
    found: Any = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
    known = dict.fromkeys(found)
    for line in _OWN.replace("\n", "|").split("|"):
        name = line.partition("=")[0].strip()
        if name and name not in known:
            found.define(line.strip())
    return found


def converted(problem: Problem, tongue: Tongue) -> Outcome:
    source, target = problem.nodes
    units = registry()
    try:
        quantity = _quantity(source)
        wanted = _quantity(target).units if target.op != "num" else units.dimensionless
        found = quantity.to(wanted)
    except pint.OffsetUnitCalculusError:
        raise trouble.wrong_kind(*_NO_OFFSET) from None
    except pint.DimensionalityError:
        raise trouble.wrong_kind(*_UNLIKE) from None
    sign = written(target)
    outcome = _told(found.magnitude, sign)
    if quantity.units != wanted and not quantity._is_multiplicative:
        outcome.steps = _temperature(quantity, found, sign)
    elif quantity.units != wanted:
        factor = units.Quantity(Fraction(1), quantity.units).to(wanted).magnitude
        name = _sign(quantity.units)
        outcome.steps = [
            f"1 {name} = {_number(factor)} {sign}",
            f"{_number(quantity.magnitude)} × {_number(factor)} = {_number(found.magnitude)} {sign}",
        ]
    return outcome


def measured(node: Node, tongue: Tongue) -> Outcome:
    """An expression with units, in the unit of its first part."""
    try:
        quantity = _quantity(node)
    except pint.OffsetUnitCalculusError:
        raise trouble.wrong_kind(*_NO_OFFSET) from None
    except pint.DimensionalityError:
        raise trouble.wrong_kind(*_UNLIKE) from None
    if not isinstance(quantity, registry().Quantity):
        return _told(quantity, "")
    first = quantity
    reduced = quantity.to_reduced_units()
    outcome = _told(reduced.magnitude, _sign(reduced.units))
    if reduced.units != first.units:
        outcome.steps = [f"{_number(first.magnitude)} {_sign(first.units)} = {outcome.line}"]
    return outcome


def _temperature(quantity: Any, found: Any, sign: str) -> list[str]:
    value, result = _number(quantity.magnitude), _number(found.magnitude)
    names = str(quantity.units), str(found.units)
    if names == ("degree_Fahrenheit", "degree_Celsius"):
        return [f"({value} - 32) × 5/9 = {result} {sign}"]
    if names == ("degree_Celsius", "degree_Fahrenheit"):
        return [f"{value} × 9/5 + 32 = {result} {sign}"]
    return []


def _quantity(node: Node) -> Any:
    """A quantity, or a Fraction where no unit is in it."""
    units = registry()
    op = node.op
    if op == "num":
        return Fraction(node.text)
    if op == "unit":
        return units.Quantity(Fraction(1), _own_name(node.text))
    values = [_quantity(arg) for arg in node.args]
    match op, values:
        case "quantity", [a, b]:
            return units.Quantity(a, b.units) * b.magnitude if b.magnitude != 1 else units.Quantity(a, b.units)
        case "add", [a, b]:
            return a + b
        case "sub", [a, b]:
            return a - b
        case "mul", [a, b]:
            return a * b
        case "div", [a, b]:
            if (b.magnitude if isinstance(b, units.Quantity) else b) == 0:
                raise trouble.undefined()
            return a / b
        case "neg", [a]:
            return -a
        case "percent", [a]:
            return a / 100
        case "pow", [a, Fraction() as b] if b.denominator == 1 and abs(b) <= 9:
            return a ** int(b)
        case _:
            raise trouble.wrong_kind("This is not defined for quantities with units.", "带单位的量不能这样计算。")


def _own_name(name: str) -> str:
    """Bits and bytes have a dimension here: in pint they have none, and could be converted to radians."""
    if name.endswith(("bit", "byte")):
        return name.removesuffix("bit").removesuffix("byte") + ("infobit" if name.endswith("bit") else "infobyte")
    return _NAMES_HERE.get(name, name)


def _sign(unit: Any) -> str:
    above = [_power(name, power) for name, power in sorted(unit._units.items()) if power > 0]
    below = [_power(name, -power) for name, power in sorted(unit._units.items()) if power < 0]
    text = "·".join(above) or ("1" if below else "")
    return text + ("/" + ("·".join(below) if len(below) == 1 else f"({'·'.join(below)})") if below else "")


def _power(name: str, power: Any) -> str:
    sign = unit_sign(name.replace("info", "").replace("kilobit_rate", "kbps").replace("megabit_rate", "Mbps"))
    return sign if power == 1 else f"{sign}^{power}"


def _number(value: Any) -> str:
    number = sp.Rational(Fraction(value).numerator, Fraction(value).denominator)
    exact = shown.exact_decimal(number)
    return exact if exact is not None and len(exact) < 20 else shown.decimal(number)


def _told(magnitude: Any, sign: str) -> Outcome:
    number = sp.Rational(Fraction(magnitude).numerator, Fraction(magnitude).denominator)
    exact = shown.exact_decimal(number)
    if exact is not None and len(exact) > 24:
        exact = None
    fraction = str(number) if len(str(number)) <= 12 else None
    text = exact or fraction or shown.decimal(number)
    unit = f" {sign}" if sign else ""
    approximate = None if exact or text == shown.decimal(number) else shown.decimal(number) + unit
    tex = exact or (
        shown.latex(number) if fraction else text.replace("×10^", r"\times 10^{") + ("}" if "×" in text else "")
    )
    shown_sign = sign.replace("^", "").replace("·", r"\cdot ") if sign else ""
    tex_unit = rf"\,\mathrm{{{shown_sign}}}" if sign else ""
    relation = "=" if exact or fraction else r"\approx "
    extra = {"number": float(number), "unit": sign}
    return Outcome(text + unit, text + unit, tex + tex_unit, approximate, relation=relation, extra=extra)
