"""Numbers as people read them. What cannot be a number is shown as a dash, never as `nan`."""

from __future__ import annotations

import decimal
import math
from typing import Any

from pointsman.domain.wording import Tongue

Number = int | float | decimal.Decimal
NOTHING = "–"
_ZH = ((1e12, "万亿"), (1e8, "亿"), (1e4, "万"))
_EN = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))


def number_of(value: Any) -> Number | None:
    """A figure as the driver gave it; None for NULL, NaN, infinities and what is no number."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return value if value.is_finite() else None
    try:
        found = decimal.Decimal(str(value))
    except (decimal.InvalidOperation, ValueError):
        return None
    return found if found.is_finite() else None


def shown(value: Number | None, decimals: int) -> str:
    """`1,234.50`: grouped, and rounded half to even as Python does; `–` for None."""
    if value is None:
        return NOTHING
    text = f"{value:,.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def short(value: float, language: Tongue) -> str:
    """For an axis: 1.5万, 1.5K. Three digits of it at most."""
    for size, unit in _ZH if language == "zh" else _EN:
        if abs(value) >= size:
            return f"{value / size:,.4g}{unit}"
    return f"{value:,.4g}"


def percent(part: Number | None, whole: Number | None) -> str:
    if part is None or not whole:
        return NOTHING
    return f"{float(part) / float(whole) * 100:.1f}%"


def axis(low: float, high: float, steps: int = 5) -> list[float]:
    """Round marks from at most `low` to at least `high`, zero among them; `steps` is about how many."""
    low, high = min(low, 0.0), max(high, 0.0)
    if high - low < 1e-9:
        low, high = 0.0, 1.0
    raw = (high - low) / steps
    power: float = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, last + 1)]
