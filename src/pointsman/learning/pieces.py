"""A text as pieces of its spelling, in microseconds: words, pairs of words, beginnings of words, ideographs, pairs of
ideographs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from operator import add, eq

from pointsman.domain.simplified import TRADITIONAL, simplified

HEAD, TAIL = 900, 300
"""Characters of a long text that are looked at: what is wanted is said at its beginning or at its end."""
STEM = 5
_TOKENS = re.compile(r"[A-Za-z]+(?=[ ,.:;?!\n]|\Z)|[㐀-鿿]+|[^\W\d_㐀-鿿]+(?:'[^\W\d_㐀-鿿]+)?|\d+|[^\w\s]")
_ASCII_TOKENS = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[0-9]+|[^\w\s\x1c-\x1f]", re.ASCII)
_WIDE = re.compile("[\u3000！-～]")
_NARROW = {"\u3000": " ", **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}}
"""Full width, which is most of what NFKC would fold: it takes longer."""
_START = "^"
"""Before the first word."""
_FIRST_IDEOGRAPH, _LAST_IDEOGRAPH = "㐀", "鿿"


def plain(text: str) -> str:
    """One spelling (compatible forms, case and traditional characters folded) of what is looked at of the text."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    text = text.lower()
    if text.isascii():
        return text
    for wide in set(_WIDE.findall(text)):
        text = text.replace(wide, _NARROW[wide])
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text).lower()
    return text.translate(simplified()) if _traditional().search(text) else text


def pieces(text: str) -> list[str]:
    """Of a text as `plain` gives it, each once, in the order of their first places. A number counts by how many digits it
    has, four at most; a word of more than five letters is there by its first five with an asterisk, too. No piece holds a
    line break."""
    return list(dict.fromkeys(_pieces(_tokens(text), _START)[0]))


def piece_set(text: str) -> set[str]:
    """The same in no order, which takes less time; for sums."""
    return set(_pieces(_tokens(text), _START)[0])


def piece_sets(text: str, other: str) -> tuple[set[str], set[str]]:
    """Those of two texts; where they begin alike, that is taken to pieces once."""
    tokens, others = _tokens(text), _tokens(other)
    alike = [*map(eq, tokens, others), False].index(False)
    common, last = _pieces(tokens[:alike], _START)
    own, _ = _pieces(tokens[alike:], last)
    its, _ = _pieces(others[alike:], last)
    row = set(common)
    wish = row.copy()
    row.update(own)
    wish.update(its)
    return row, wish


def _tokens(text: str) -> list[str]:
    """Words, signs, numbers, and runs of ideographs."""
    return (_ASCII_TOKENS if text.isascii() else _TOKENS).findall(text)


def _pieces(tokens: Iterable[str], before: str) -> tuple[list[str], str]:
    """As often as they occur, and what stands `before` whatever comes next."""
    found: list[str] = []
    for token in tokens:
        first = token[0]
        if _FIRST_IDEOGRAPH <= first <= _LAST_IDEOGRAPH:
            characters = list(token)
            found += characters
            found += map(add, characters, characters[1:])
            before = characters[-1]
            continue
        if first.isdecimal():
            token = "0" * min(len(token), 4)
        found += (token, f"{before} {token}")
        if len(token) > STEM:
            found.append(f"{token[:STEM]}*")
        before = token
    return found, before


@cache
def _traditional() -> re.Pattern[str]:
    return re.compile(f"[{TRADITIONAL}]")
