"""Rows of a value and its synonyms → the values of a dimension."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pointsman.actions.report.figures import plain_text
from pointsman.domain.report import DimensionValue

LONGEST = 200  # characters; no request says more in one word
MAX_WORDS = 20_000  # synonyms of one dimension
_PARTED = re.compile(r"[、,，;；|｜\n]")


def values_of_rows(rows: Iterable[Sequence[Any]]) -> tuple[DimensionValue, ...]:
    """Each row begins with a value; in the other cells are words for it, several in one parted by 、 , ; or |. Rows of
    the same value are put together. All of it is text and stays text; what is empty or too long to be said is left out,
    and of the value as stored (padded, or with a line break in it) the spelling that a person writes is one more word."""
    found: dict[str, dict[str, None]] = {}
    left = MAX_WORDS
    for value, *cells in rows:
        text = plain_text(value)
        if not _plain(text) or len(text) > LONGEST:
            continue
        words = found.setdefault(text, {})
        parts = (part for cell in cells if cell is not None for part in _PARTED.split(plain_text(cell)))
        for word in map(_plain, (text, *parts)):
            if word and word != text and len(word) <= LONGEST and word not in words and left:
                words[word] = None
                left -= 1
    return tuple(DimensionValue(value, tuple(words)) for value, words in found.items())


def _plain(text: str) -> str:
    """Single spaces and nothing that does not print."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
