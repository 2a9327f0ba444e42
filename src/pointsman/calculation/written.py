"""A tree as LaTeX and as plain text: the formula that was understood, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.calculation.tree import Node
from pointsman.calculation.words import GREEK

_GREEK = frozenset(GREEK)
_LOW, _ADD, _MUL, _NEG, _POW, _ATOM = range(6)
_INFIX = {
    "add": (_ADD, "+", "+"), "sub": (_ADD, "-", "-"), "mod": (_MUL, r"\bmod ", " mod "), "eq": (_LOW, "=", "="), "ne": (_LOW, r"\ne ", "≠"),
    "lt": (_LOW, "<", "<"), "le": (_LOW, r"\le ", "≤"), "gt": (_LOW, ">", ">"), "ge": (_LOW, r"\ge ", "≥"),
}  # fmt: skip
_NAMES = {
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "lg": r"\log_{10}", "log2": r"\log_{2}", "re": r"\operatorname{Re}",
    "im": r"\operatorname{Im}", "max": r"\max", "min": r"\min", "gcd": r"\gcd", "det": r"\det",
}  # fmt: skip
_OWN = frozenset(["sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "ln", "exp"])
_UNIT = {
    "meter": "m", "kilometer": "km", "centimeter": "cm", "decimeter": "dm", "millimeter": "mm", "micrometer": "μm", "nanometer": "nm",
    "foot": "ft", "inch": "in", "yard": "yd", "mile": "mi", "nautical_mile": "nmi", "light_year": "ly", "gram": "g", "kilogram": "kg",
    "milligram": "mg", "microgram": "μg", "metric_ton": "t", "pound": "lb", "ounce": "oz", "second": "s", "minute": "min", "hour": "h",
    "day": "d", "week": "wk", "calendar_month": "mo", "calendar_year": "yr", "millisecond": "ms", "microsecond": "μs", "nanosecond": "ns",
    "square_meter": "m²", "square_kilometer": "km²", "square_centimeter": "cm²", "square_decimeter": "dm²", "square_millimeter": "mm²",
    "hectare": "ha", "square_foot": "ft²", "square_mile": "mi²", "square_inch": "in²", "liter": "L", "milliliter": "mL",
    "cubic_meter": "m³", "cubic_centimeter": "cm³", "cubic_decimeter": "dm³", "cubic_millimeter": "mm³", "gallon": "gal",
    "knot": "kn", "radian": "rad", "degree": "°", "hertz": "Hz", "kilohertz": "kHz", "megahertz": "MHz", "gigahertz": "GHz",
    "newton": "N", "kilonewton": "kN", "pascal": "Pa", "kilopascal": "kPa", "megapascal": "MPa", "hectopascal": "hPa", "atmosphere": "atm",
    "joule": "J", "kilojoule": "kJ", "megajoule": "MJ", "calorie": "cal", "kilocalorie": "kcal", "watt_hour": "Wh",
    "kilowatt_hour": "kWh", "electron_volt": "eV", "watt": "W", "kilowatt": "kW", "megawatt": "MW", "gigawatt": "GW", "milliwatt": "mW",
    "horsepower": "hp", "volt": "V", "kilovolt": "kV", "millivolt": "mV", "ampere": "A", "milliampere": "mA", "ohm": "Ω", "kiloohm": "kΩ",
    "mole": "mol", "degree_Celsius": "°C", "degree_Fahrenheit": "°F", "kelvin": "K", "bit": "bit", "byte": "B", "kilobyte": "kB",
    "megabyte": "MB", "gigabyte": "GB", "terabyte": "TB", "petabyte": "PB", "kibibyte": "KiB", "mebibyte": "MiB", "gibibyte": "GiB",
    "tebibyte": "TiB", "kilobit": "kbit", "megabit": "Mbit", "gigabit": "Gbit", "ampere_hour": "Ah", "milliampere_hour": "mAh",
    "metric_horsepower": "PS", "mu_area": "mu", "astronomical_unit": "au", "millibar": "mbar", "kph": "km/h",
}  # fmt: skip


def unit_sign(name: str) -> str:
    return _UNIT.get(name, name.replace("_", " "))


def latex(node: Node) -> str:
    return _Writer(True).write(node)


def plain(node: Node) -> str:
    """One line: x^2+1, √2, |x|."""
    return _Writer(False).write(node)


class _Writer:
    def __init__(self, tex: bool) -> None:
        self.tex = tex

    def write(self, node: Node, least: int = _LOW) -> str:
        """In brackets where it binds less than `least`."""
        level, text = self._written(node)
        if level >= least:
            return text
        return rf"\left({text}\right)" if self.tex else f"({text})"

    def _written(self, node: Node) -> tuple[int, str]:
        op = node.op
        if op in _INFIX:
            return self._infix(node)
        special: Callable[[Node], tuple[int, str]] | None = getattr(self, f"_{op}", None)
        if special is not None:
            return special(node)
        return _ATOM, self._call(op, [self.write(arg) for arg in node.args])

    def _infix(self, node: Node) -> tuple[int, str]:
        level, tex, text = _INFIX[node.op]
        left, right = node.args
        sign = tex if self.tex else (f" {text} " if level in (_LOW, _ADD) else text)
        return level, self.write(left, level) + sign + self.write(right, level + 1)

    def _call(self, op: str, args: list[str]) -> str:
        name = _NAMES.get(op) or (rf"\{op}" if op in _OWN else rf"\operatorname{{{op.replace('_', ' ')}}}")
        if not self.tex:
            return f"{op}({', '.join(args)})"
        return rf"{name}\left({', '.join(args)}\right)"

    # -- leaves

    def _num(self, node: Node) -> tuple[int, str]:
        mantissa, e, exponent = node.text.partition("e")
        if e:
            return _MUL, rf"{mantissa}\times 10^{{{exponent}}}" if self.tex else f"{mantissa}×10^{exponent}"
        return _ATOM, node.text

    def _sym(self, node: Node) -> tuple[int, str]:
        name, mark, script = node.text.partition("_")
        if self.tex:
            shown = rf"\{name}" if name in _GREEK else name
            return _ATOM, shown + (f"_{{{script}}}" if mark else "")
        return _ATOM, GREEK.get(name, name) + (f"_{script}" if mark else "")

    def _const(self, node: Node) -> tuple[int, str]:
        signs = {"pi": (r"\pi ", "π"), "oo": (r"\infty ", "∞"), "e": ("e", "e"), "i": ("i", "i")}
        return _ATOM, signs[node.text][0 if self.tex else 1]

    def _unit(self, node: Node) -> tuple[int, str]:
        return _ATOM, rf"\mathrm{{{unit_sign(node.text)}}}" if self.tex else unit_sign(node.text)

    # -- arithmetic

    def _quantity(self, node: Node) -> tuple[int, str]:
        return _MUL, self.write(node.args[0]) + (r"\," if self.tex else " ") + self.write(node.args[1])

    def _neg(self, node: Node) -> tuple[int, str]:
        return _NEG if node.args[0].op != "add" else _ADD, "-" + self.write(node.args[0], _NEG)

    def _mul(self, node: Node) -> tuple[int, str]:
        left, right = node.args
        first, second = self.write(left, _MUL), self.write(right, _NEG)
        joined = right.op in ("sym", "const", "sqrt", "abs", "pow") or second.startswith((r"\left(", "(", "\\"))
        if (
            right.op in ("pow", "num", "mul", "div", "integral", "sum", "product", "derivative")
            and second[:1].isdigit()
        ):
            joined = False
        bound = left.op in ("integral", "sum", "product", "limit", "derivative")
        if joined and not bound and right.op not in ("div", "quantity", "fact", "percent", "degrees"):
            tight = left.op in ("num", "sym", "const") or first.endswith((")", "}"))
            return _MUL, first + ("" if tight or self.tex else "·") + (" " if first.endswith(" ") else "") + second
        return _MUL, first + (r"\times " if self.tex else "×") + second

    def _div(self, node: Node) -> tuple[int, str]:
        above, below = node.args
        if any(part.op == "unit" for part in node.walk()) and all(
            part.op in ("unit", "div", "mul", "pow", "num") for part in node.walk()
        ):
            return _MUL, self.write(above, _MUL) + "/" + self.write(below, _POW)
        if self.tex:
            return _NEG, rf"\frac{{{self.write(above)}}}{{{self.write(below)}}}"
        return _MUL, self.write(above, _MUL) + "/" + self.write(below, _NEG)

    def _pow(self, node: Node) -> tuple[int, str]:
        base, power = node.args
        below = self._base(base)
        if self.tex and base.op in ("div", "neg"):
            below = rf"\left({self.write(base)}\right)"
        if self.tex:
            return _POW, f"{below}^{{{self.write(power)}}}"
        return _POW, f"{below}^{self.write(power, _ATOM)}"

    def _fact(self, node: Node) -> tuple[int, str]:
        return _POW, self.write(node.args[0], _ATOM) + "!"

    def _fact2(self, node: Node) -> tuple[int, str]:
        return _POW, self.write(node.args[0], _ATOM) + "!!"

    def _percent(self, node: Node) -> tuple[int, str]:
        return _POW, self.write(node.args[0], _ATOM) + (r"\%" if self.tex else "%")

    def _permille(self, node: Node) -> tuple[int, str]:
        return _POW, self.write(node.args[0], _ATOM) + "‰"

    def _degrees(self, node: Node) -> tuple[int, str]:
        return _POW, self.write(node.args[0], _ATOM) + (r"^{\circ}" if self.tex else "°")

    def _raise(self, node: Node) -> tuple[int, str]:
        return self._changed(node, "+")

    def _lower(self, node: Node) -> tuple[int, str]:
        return self._changed(node, "-")

    def _changed(self, node: Node, sign: str) -> tuple[int, str]:
        amount, rate = self.write(node.args[0], _MUL), self.write(node.args[1], _ATOM)
        inner = f"1{sign}{rate}"
        return _MUL, rf"{amount}\times \left({inner}\right)" if self.tex else f"{amount}×({inner})"

    def _sqrt(self, node: Node) -> tuple[int, str]:
        return _ATOM, rf"\sqrt{{{self.write(node.args[0])}}}" if self.tex else "√" + self.write(node.args[0], _ATOM)

    def _cbrt(self, node: Node) -> tuple[int, str]:
        return _ATOM, rf"\sqrt[3]{{{self.write(node.args[0])}}}" if self.tex else "∛" + self.write(node.args[0], _ATOM)

    def _nth_root(self, node: Node) -> tuple[int, str]:
        inner, index = self.write(node.args[0]), self.write(node.args[1])
        return _ATOM, rf"\sqrt[{index}]{{{inner}}}" if self.tex else f"root({inner}, {index})"

    def _abs(self, node: Node) -> tuple[int, str]:
        inner = self.write(node.args[0])
        return _ATOM, rf"\left|{inner}\right|" if self.tex else f"|{inner}|"

    def _floor(self, node: Node) -> tuple[int, str]:
        inner = self.write(node.args[0])
        return _ATOM, rf"\lfloor {inner}\rfloor " if self.tex else f"⌊{inner}⌋"

    def _ceil(self, node: Node) -> tuple[int, str]:
        inner = self.write(node.args[0])
        return _ATOM, rf"\lceil {inner}\rceil " if self.tex else f"⌈{inner}⌉"

    def _exp(self, node: Node) -> tuple[int, str]:
        inner = self.write(node.args[0])
        return _POW, f"e^{{{inner}}}" if self.tex else f"e^({inner})"

    def _log_base(self, node: Node) -> tuple[int, str]:
        inner, base = self.write(node.args[0]), self.write(node.args[1])
        return _ATOM, rf"\log_{{{base}}}\left({inner}\right)" if self.tex else f"log_{base}({inner})"

    def _binomial(self, node: Node) -> tuple[int, str]:
        above, below = self.write(node.args[0]), self.write(node.args[1])
        return _ATOM, rf"\binom{{{above}}}{{{below}}}" if self.tex else f"C({above}, {below})"

    def _permutations(self, node: Node) -> tuple[int, str]:
        above, below = self.write(node.args[0]), self.write(node.args[1])
        return _ATOM, rf"P\left({above}, {below}\right)" if self.tex else f"P({above}, {below})"

    # -- what binds a variable

    def _integral(self, node: Node) -> tuple[int, str]:
        body, variable, *bounds = node.args
        inner, by = self.write(body, _MUL if body.op != "neg" else _LOW), self.write(variable)
        low, high = (self.write(bound) for bound in bounds) if bounds else ("", "")
        if self.tex:
            limits = rf"_{{{low}}}^{{{high}}}" if bounds else ""
            return _MUL, rf"\int{limits} {inner}\,d{by}"
        return _MUL, f"∫{f'[{low}, {high}]' if bounds else ''} {inner} d{by}"

    def _derivative(self, node: Node) -> tuple[int, str]:
        body, variable, order = node.args
        inner, by = self.write(body, _MUL), self.write(variable)
        power = "" if order.text == "1" else f"^{{{order.text}}}" if self.tex else f"^{order.text}"
        if self.tex:
            return _MUL, rf"\frac{{d{power}}}{{d{by}{power}}}\left({self.write(body)}\right)"
        return _MUL, f"d{power}/d{by}{power} ({self.write(body)})" if inner else ""

    def _sum(self, node: Node) -> tuple[int, str]:
        return self._over(node, r"\sum", "∑")

    def _product(self, node: Node) -> tuple[int, str]:
        return self._over(node, r"\prod", "∏")

    def _over(self, node: Node, tex: str, text: str) -> tuple[int, str]:
        body, index, low, high = node.args
        inner, by = self.write(body, _MUL), self.write(index)
        if self.tex:
            return _MUL, rf"{tex}_{{{by}={self.write(low)}}}^{{{self.write(high)}}} {inner}"
        return _MUL, f"{text}[{by}={self.write(low)}..{self.write(high)}] {inner}"

    def _limit(self, node: Node) -> tuple[int, str]:
        body, variable, point = node.args
        inner, by, to = self.write(body, _MUL), self.write(variable), self.write(point)
        if self.tex:
            return _MUL, rf"\lim_{{{by}\to {to}{f'^{{{node.text}}}' if node.text else ''}}} {inner}"
        return _MUL, f"lim[{by}→{to}{node.text}] {inner}"

    def _at(self, node: Node) -> tuple[int, str]:
        body, variable, value = node.args
        inner, by, to = self.write(body), self.write(variable), self.write(value)
        if self.tex:
            return _MUL, rf"\left.{inner}\right|_{{{by}={to}}}"
        return _MUL, f"[{inner}] ({by}={to})"

    # -- several at once

    def _and(self, node: Node) -> tuple[int, str]:
        parts = [self.write(arg) for arg in node.args]
        if self.tex:
            return _LOW, r"\begin{cases}" + r" \\ ".join(parts) + r"\end{cases}"
        return _LOW, ", ".join(parts)

    def _list(self, node: Node) -> tuple[int, str]:
        inner = ", ".join(self.write(arg) for arg in node.args)
        return _ATOM, rf"\left[{inner}\right]" if self.tex else f"[{inner}]"

    def _matrix(self, node: Node) -> tuple[int, str]:
        rows = [[self.write(item) for item in row.args] for row in node.args]
        if self.tex:
            return _ATOM, r"\begin{pmatrix}" + r" \\ ".join(" & ".join(row) for row in rows) + r"\end{pmatrix}"
        return _ATOM, "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"

    def _transpose(self, node: Node) -> tuple[int, str]:
        return _POW, self._base(node.args[0]) + ("^{T}" if self.tex else "^T")

    def _inverse(self, node: Node) -> tuple[int, str]:
        return _POW, self._base(node.args[0]) + ("^{-1}" if self.tex else "^-1")

    def _base(self, node: Node) -> str:
        """In braces where it is a matrix: what draws formulas wants them."""
        text = self.write(node, _ATOM)
        return f"{{{text}}}" if self.tex and node.op == "matrix" else text
