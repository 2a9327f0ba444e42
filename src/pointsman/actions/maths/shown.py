"""Results as people read them in one line, as programs do, and as LaTeX."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

LONG = 60  # digits: longer numbers are shown with both ends
_NAMES = {"log": "ln"}


class _Line(StrPrinter):  # type: ignore[misc]
    """2x^2 + √2, e^x, π."""

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, power = expr.base, expr.exp
        if power == sp.Rational(1, 2):
            return "√" + self._tight(base)
        if power == sp.Rational(-1, 2):
            return "1/√" + self._tight(base)
        if power.is_Rational and power.is_negative and not base.is_Number:
            return "1/" + self._tight(base) if power == -1 else f"1/{self._tight(base)}^{self._tight(-power)}"
        return f"{self._tight(base)}^{self._tight(power)}"

    def _print_exp(self, expr: Any) -> str:
        return f"e^{self._tight(expr.args[0])}"

    def _tight(self, expr: Any) -> str:
        text = self._print(expr)
        simple = expr.is_Symbol or (expr.is_Integer and expr.is_nonnegative) or expr in (sp.pi, sp.E, sp.I)
        return (
            text
            if simple or (expr.is_Function and not isinstance(expr, sp.exp) and text.endswith(")"))
            else f"({text})"
        )

    def _print_Mul(self, expr: Any) -> str:
        text: str = super()._print_Mul(expr)
        return _without_stars(text)

    def _print_Function(self, expr: Any) -> str:
        name = type(expr).__name__
        return f"{_NAMES.get(name, name)}({', '.join(self._print(arg) for arg in expr.args)})"

    _print_log = _print_Function

    def _print_Abs(self, expr: Any) -> str:
        return f"|{self._print(expr.args[0])}|"

    def _print_factorial(self, expr: Any) -> str:
        return f"{self._tight(expr.args[0])}!"

    def _print_Exp1(self, expr: Any) -> str:
        return "e"

    def _print_Pi(self, expr: Any) -> str:
        return "π"

    def _print_ImaginaryUnit(self, expr: Any) -> str:
        return "i"

    def _print_Infinity(self, expr: Any) -> str:
        return "∞"

    def _print_NegativeInfinity(self, expr: Any) -> str:
        return "-∞"

    def _print_Symbol(self, expr: Any) -> str:
        from pointsman.calculation.words import GREEK

        name, mark, script = expr.name.partition("_")
        return f"{GREEK.get(name, name)}{mark}{script}"

    def _print_Float(self, expr: Any) -> str:
        return decimal(expr)

    def _print_MatrixBase(self, expr: Any) -> str:
        return "[" + ", ".join("[" + ", ".join(self._print(item) for item in row) + "]" for row in expr.tolist()) + "]"

    def _print_Relational(self, expr: Any) -> str:
        sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(expr.rel_op, expr.rel_op)
        return f"{self._print(expr.lhs)} {sign} {self._print(expr.rhs)}"


def _without_stars(text: str) -> str:
    """2*x → 2x, √2*x → √2·x."""
    out = []
    for at, character in enumerate(text):
        if character != "*":
            out.append(character)
            continue
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        number = before.isdigit() and _coefficient(text, at)
        out.append("" if number and (after.isalpha() or after in "(√|") else "·")
    return "".join(out)


def _coefficient(text: str, at: int) -> bool:
    """Whether digits alone stand before the star, no power or fraction."""
    start = at
    while start and text[start - 1].isdigit():
        start -= 1
    return start == 0 or text[start - 1] in "-(+ "


_LINE = _Line({"order": None})


def line(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(line(item) for item in value)
    return str(_LINE.doprint(value))


def code(value: Any) -> str:
    """With every sign: 2*x^2 + sqrt(2)."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(code(item) for item in value) + "]"
    if isinstance(value, sp.MatrixBase):
        return "[" + ", ".join("[" + ", ".join(code(item) for item in row) + "]" for row in value.tolist()) + "]"
    if isinstance(value, sp.Eq):
        return f"{code(value.lhs)} = {code(value.rhs)}"
    return str(sp.sstr(value)).replace("**", "^")


class _Latex(LatexPrinter):  # type: ignore[misc]
    def _print_Float(self, expr: Any) -> str:
        return decimal(expr).replace("×10^", r"\times 10^{") + ("}" if "×10^" in decimal(expr) else "")


_LATEX = _Latex(
    {"ln_notation": True, "fold_short_frac": False, "mat_delim": "(", "mat_str": "matrix", "imaginary_unit": "i"}
)


def latex(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return r",\; ".join(latex(item) for item in value)
    text = str(_LATEX.doprint(value))
    return text.replace(r"\left(\begin{matrix}", r"\begin{pmatrix}").replace(r"\end{matrix}\right)", r"\end{pmatrix}")


def decimal(value: Any, digits: int = 10) -> str:
    """A real number to so many significant digits, without zeros that say nothing; 6.02×10^23 where it
    is very large or small."""
    number = sp.Float(sp.N(value, digits + 5), digits)
    if number == 0:
        return "0"
    text = sp.sstr(number, full_prec=False)
    mantissa, _, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    power = int(exponent) if exponent else 0
    if power and abs(power) < 12 and not -7 < power < 0:
        return _unfolded(mantissa, power)
    if -7 < power < 0:
        return _unfolded(mantissa, power)
    return f"{mantissa}×10^{power}" if power else _short(mantissa)


def _short(text: str) -> str:
    """1234567890123.0 stays, what is beyond gets an exponent."""
    whole = text.lstrip("-").partition(".")[0]
    if len(whole) <= 15:
        return text
    digits = whole.rstrip("0")
    rest = digits[1:10].rstrip("0")
    return ("-" if text.startswith("-") else "") + digits[0] + (f".{rest}" if rest else "") + f"×10^{len(whole) - 1}"


def _unfolded(mantissa: str, power: int) -> str:
    from decimal import Decimal

    text = f"{Decimal(mantissa).scaleb(power):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact_decimal(value: Any) -> str | None:
    """A fraction that ends as a decimal, written out; None where it does not, or is longer than 30 digits."""
    if not value.is_Rational:
        return None
    below, twos, fives = int(value.q), 0, 0
    while below % 2 == 0:
        below, twos = below // 2, twos + 1
    while below % 5 == 0:
        below, fives = below // 5, fives + 1
    places = max(twos, fives)
    if below != 1 or places > 30:
        return None
    return fixed(value, places)


def fixed(value: Any, places: int) -> str:
    """To so many decimal places, rounded half away from zero; the value real."""
    scaled = abs(value) * sp.Integer(10) ** places
    whole = int(sp.floor(scaled + sp.Rational(1, 2)))
    digits = str(whole).rjust(places + 1, "0")
    sign = "-" if value.is_negative and whole else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def shortened(text: str) -> str:
    """A number of more than LONG digits with both its ends."""
    digits = text.lstrip("-")
    if not digits.isdigit() or len(digits) <= 1000:
        return text
    return f"{text[:30]}…{text[-30:]}"


def approximation(value: Any) -> str | None:
    """≈, where the exact form is no short number itself."""
    if isinstance(value, (list, sp.MatrixBase)) or value.free_symbols or (value.is_Integer and abs(value) < 10**15):
        return None
    if value in (sp.oo, -sp.oo, sp.zoo) or not value.is_number or value.has(sp.Integral, sp.Sum, sp.Limit):
        return None
    number = sp.N(value, 15)
    if number.is_real:
        return decimal(value)
    real, imaginary = number.as_real_imag()
    if not (real.is_Float or real.is_Number) or not imaginary.is_Number:
        return None
    if sp.re(value).is_integer and sp.im(value).is_integer:
        return None
    sign = "-" if imaginary < 0 else "+"
    return f"{decimal(real)} {sign} {decimal(abs(imaginary))}i"
