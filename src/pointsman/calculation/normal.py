"""One spelling for what is written in many: full width, Unicode superscripts, fractions, arrows, dashes."""

from __future__ import annotations

import unicodedata
from typing import Any

import re2

_PLAIN = str.maketrans(
    {
        **{chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},
        **dict.fromkeys("−–—‐‑‒﹣", "-"),
        **dict.fromkeys("×✕✖⨯∗", "*"),
        **dict.fromkeys("·⋅∙•‧・", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("≤⩽≦", "\x01"),
        **dict.fromkeys("≥⩾≧", "\x02"),
        "≠": "\x03",
        "≡": "=",
        **dict.fromkeys("⟶⇒➔➜", "→"),
        **dict.fromkeys("，、﹐", ","),
        "；": ";",
        "：": ":",
        "。": ".",
        "　": " ",
        "\xa0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "\t": " ",
        **dict.fromkeys("【〔", "["),
        **dict.fromkeys("】〕", "]"),
        **dict.fromkeys("′’‘´`", "'"),
        "″": "''",
        "º": "°",
        "˚": "°",
        "Π": "∏",
        "Σ": "∑",
        "㎡": "平方米",
        "㎞": "km",
        "㎝": "cm",
        "㎜": "mm",
        "㎏": "kg",
        "㎎": "mg",
        "µ": "μ",
        "Å": "Å",
        "‰": "permille",
        **dict.fromkeys('“”"「」『』', " "),
    }
)
_INVISIBLE = dict.fromkeys(
    [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF, *range(0xFE00, 0xFE10)]
)
_UP = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᵏᵐᵗ", "0123456789+-=()nixyabkmt", strict=True))
_DOWN = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₓₐₖₘⱼₜ", "0123456789+-=()nixakmjt", strict=True))
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_TIMES_X: Any = re2.compile(r"([0-9)])( ?)[xX]( ?)([0-9(])")
_LETTERS: Any = re2.compile(r"[\x{1D400}-\x{1D7FF}ℯℇⅆⅈⅉ]")
_MONEY: Any = re2.compile(r"[$¥€£] ?([0-9])")


def normalised(text: str) -> str:
    """The text in the spelling that the tokenizer reads. Signs ≤ ≥ ≠ become <= >= !=, ** becomes ^."""
    if _LETTERS.search(text):
        text = "".join(unicodedata.normalize("NFKC", c) if _LETTERS.search(c) else c for c in text)
    text = text.translate(_INVISIBLE).translate(_PLAIN)
    text = text.replace("\x01", "<=").replace("\x02", ">=").replace("\x03", "!=")
    for written, sign in (
        ("**", "^"),
        ("==", "="),
        ("-->", "→"),
        ("->", "→"),
        ("=>", ">="),
        ("=<", "<="),
        ("<>", "!="),
    ):
        text = text.replace(written, sign)
    return _times(_scripts(text))


def _scripts(text: str) -> str:
    """x² → x^(2), a₁ → a_(1), 1½ → (1+1/2)."""
    if text.isascii():
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        for table, mark in ((_UP, "^"), (_DOWN, "_")):
            if character in table:
                end = at
                while end < len(text) and text[end] in table:
                    end += 1
                out.append(f"{mark}({''.join(table[c] for c in text[at:end])})")
                at = end
                break
        else:
            if character in _VULGAR:
                start = len(out)
                while start and out[start - 1].isdigit():
                    start -= 1
                whole = "".join(out[start:])
                del out[start:]
                out.append(f"({whole}+{_VULGAR[character]})" if whole else f"({_VULGAR[character]})")
            else:
                out.append(character)
            at += 1
    return "".join(out)


def _times(text: str) -> str:
    """3 x 4 and 3x4 → 3*4: a variable does not stand there. 0x1f is a number."""
    at = 0
    while match := _TIMES_X.search(text, at):
        before, left, right, after = match.groups()
        at = match.start() + 1
        hexadecimal = before == "0" and not left and not right and not _digit_before(text, match.start())
        grouped = before == ")" or after == "("
        if left == right and not hexadecimal and not (grouped and not left):
            text = text[: match.start()] + f"{before}*{after}" + text[match.end() :]
    return text


def _digit_before(text: str, at: int) -> bool:
    return at > 0 and (text[at - 1].isdigit() or text[at - 1] == ".")


def without_money(text: str) -> str:
    """$80 → 80: amounts are numbers here."""
    return str(_MONEY.sub(r"\1", text))
