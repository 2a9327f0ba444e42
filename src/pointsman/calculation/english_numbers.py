"""English numerals, as people write them out: twenty-three, two hundred and five, three million."""

from __future__ import annotations

from typing import Any

import re2

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBERS = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WORD = "|".join([*NUMBERS, *_SCALES])
_RUN: Any = re2.compile(rf"(?i)\b(?:{_WORD})\b(?:(?:[ -]| and )(?:{_WORD})\b)*")
_SCALED: Any = re2.compile(r"(?i)([0-9](?:[0-9,.]*[0-9])?) ?(hundred|thousand|million|billion|trillion)\b")


def in_digits(text: str) -> str:
    """The text with its numerals in digits. What is no numeral (one two) stays."""
    if not _RUN.search(text):
        return text
    text = _SCALED.sub(_scaled, text)
    return str(_RUN.sub(lambda match: _value(match.group()), text))


def _scaled(match: Any) -> str:
    from decimal import Decimal

    value = Decimal(match.group(1).replace(",", "")) * _SCALES[match.group(2).lower()]
    return f"{value.normalize():f}"


def _value(run: str) -> str:
    """A numeral's digits, or the run itself."""
    words = run.lower().replace("-", " ").split()
    total, section, last = 0, 0, 0
    for word in words:
        if word == "and":
            if last != 100:
                return run
            continue
        if word in NUMBERS:
            value = NUMBERS[word]
            fits = last in (0, 100, 1000) or (20 <= last < 100 and last % 10 == 0 and 0 < value < 10)
            if not fits:
                return run
            section, last = section + value, value or 1
        elif word == "hundred":
            if not 0 < section < 10:
                return run
            section, last = section * 100, 100
        else:
            scale = _SCALES[word]
            if not section or (total and total % (scale * 1000)):
                return run
            total, section, last = total + section * scale, 0, 1000
    return str(total + section)
