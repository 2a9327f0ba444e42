"""Full-width characters, read as the plain ones that they stand for."""

from __future__ import annotations

from typing import Any

import re2

_WIDE: Any = re2.compile("[０-９Ａ-Ｚａ-ｚ％＄＠＋－．／＊＾＝＿]")
_LETTERS: Any = re2.compile("[Ａ-Ｚａ-ｚ]")
_NARROW = {ord(c): ord(c) - 0xFEE0 for c in "０１２３４５６７８９％＄＠＋－．／＊＾＝＿"} | {
    code: code - 0xFEE0 for start in (0xFF21, 0xFF41) for code in range(start, start + 26)
}


def is_wide(data: bytes) -> bool:
    """Something in this UTF-8 is full-width (marks of Chinese sentences are not meant)."""
    return _WIDE.search(data) is not None


def has_wide_letters(data: bytes) -> bool:
    return _LETTERS.search(data) is not None


def narrow(text: str) -> str:
    """As many characters, plain."""
    return text.translate(_NARROW)
