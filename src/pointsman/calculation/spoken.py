"""How numbers, units and angles are spoken, in the spelling that the rest reads: 零下 40 度, 三斤半, 3 quarters, sq m."""

from __future__ import annotations

from typing import Any

import re2

from pointsman.calculation.units import ZH_UNITS
from pointsman.extractors.numerals import zh_number

_UNIT = "|".join(sorted((unit for unit in ZH_UNITS if unit != "度"), key=len, reverse=True))
_NUMERAL = r"[0-9]+|[零一二两三四五六七八九十百千万]+"
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "twelfth": 12, "sixteenth": 16, "hundredth": 100,
}  # fmt: skip
_PART_WORDS = "|".join(sorted({*_PARTS, *(f"{word}s" for word in _PARTS)}, key=len, reverse=True))
_BELOW: Any = re2.compile(r"零下 ?([0-9])")
_SCALE: Any = re2.compile(r"(华氏|摄氏) ?(-?[0-9.]+|几|多少) ?度")
_ANGLE: Any = re2.compile(r"(sin|cos|tan|cot|sec|csc) ?\(? ?([0-9.]+) ?度 ?\)?|(正弦|余弦|正切)(-?[0-9.]+)度")
_HALF_UNIT: Any = re2.compile(rf"({_NUMERAL})(个)?({_UNIT})半")
_AND_A_HALF: Any = re2.compile(r"(?i)\b([0-9]+) and a half\b")
_FRACTION: Any = re2.compile(rf"(?i)\b([0-9]+)[ -]({_PART_WORDS})\b(?: of\b)?")
_SQUARE: Any = re2.compile(
    r"(?i)\b(square|sq\.?|cubic|cu\.?) "
    r"(met(?:er|re)s?|centimet(?:er|re)s?|kilomet(?:er|re)s?|feet|foot|miles?|inch(?:es)?|yards?|km|cm|mm|m|ft)\b"
)
_FEET: Any = re2.compile(
    r"(?i)([0-9]) ?(?:ft|feet|foot|') ?([0-9.]+) ?(?:in|inch|inches|''|\")? ?(in|to|into|→|=) ?(cm|m|mm|centim|met)"
)
_AMERICAN: Any = re2.compile(r"(?i)\bU\.?S\.? (gal|fluid|cup|pint|quart)|美制|美式")


def plainly(text: str) -> str:
    """Of a normalised text."""
    if not text.isascii():
        text = _BELOW.sub(r"-\1", text)
        text = _SCALE.sub(lambda match: match[2] + ("℉" if match[1] == "华氏" else "℃"), text)
        text = _ANGLE.sub(lambda match: f"{match[1]} {match[2]}°" if match[1] else match.group(), text)
        text = _HALF_UNIT.sub(_half, text)
    text = _AND_A_HALF.sub(r"\1.5", text)
    text = _FRACTION.sub(_fraction, text)
    text = _SQUARE.sub(lambda match: f"{match[2]}^{2 if match[1].lower().startswith('s') else 3}", text)
    text = _FEET.sub(r"\1 ft \2 inch \3 \4", text)
    return str(_AMERICAN.sub(lambda match: match[1] or "", text))


def _half(match: Any) -> str:
    whole = int(match[1]) if match[1].isdigit() else zh_number(match[1])
    return match.group() if whole is None else f"{whole}.5{match[3]}"


def _fraction(match: Any) -> str:
    """2 thirds of 9, 7 eighths; but 1 second and 2 fifths of a second stay what they are."""
    word = match[2].lower()
    parts = _PARTS.get(word) or _PARTS[word.removesuffix("s")]
    return f"({match[1]}/{parts})" + (" *" if match.group().lower().endswith(" of") else "")
