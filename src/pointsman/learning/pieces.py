"""A text as pieces of its spelling, in microseconds: words, pairs of words, beginnings of words, ideographs, pairs of
ideographs."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from operator import add

from pointsman.domain.simplified import TRADITIONAL, simplified

HEAD, TAIL = 900, 300
"""Characters of a long text that are looked at: what is wanted is said at its beginning or at its end."""
STEM = 5
_TOKENS = re.compile(r"[A-Za-z]+(?=[ ,.:;?!\n]|\Z)|[㐀-鿿]+|[^\W\d_㐀-鿿]+(?:'[^\W\d_㐀-鿿]+)?|\d+|[^\w\s]")
_ASCII_TOKENS = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[0-9]+|[^\w\s\x1c-\x1f]", re.ASCII)
_TRADITIONAL = frozenset(TRADITIONAL)
_ASCII = bytes(range(128))
_WIDE = {0x3000: 0x20, **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}}
"""Full width, which is most of what NFKC would fold: it takes longer."""
_FIRST_IDEOGRAPH, _LAST_IDEOGRAPH = "㐀", "鿿"


def plain(text: str) -> str:
    """One spelling (compatible forms, case and traditional characters folded) of what is looked at of the text."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    text = text.lower()
    if text.isascii():
        return text
    text = text.translate(_WIDE)
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text).lower()
    wide = text.encode("utf-8", "replace").translate(None, _ASCII).decode()
    return text if _TRADITIONAL.isdisjoint(wide) else text.translate(simplified())


def pieces(text: str) -> list[str]:
    """Of a text as `plain` gives it, each once, in the order of their first places. A number counts by how many digits it
    has, four at most; a word of more than five letters is there by its first five with an asterisk, too. No piece holds a
    line break."""
    found: list[str] = []
    before = "^"
    for token in (_ASCII_TOKENS if text.isascii() else _TOKENS).findall(text):
        first = token[0]
        if _FIRST_IDEOGRAPH <= first <= _LAST_IDEOGRAPH:
            found += _of_ideographs(token)
            before = token[-1]
            continue
        if first.isdecimal():
            token = "0" * min(len(token), 4)
        found += (token, f"{before} {token}")
        if len(token) > STEM:
            found.append(f"{token[:STEM]}*")
        before = token
    return list(dict.fromkeys(found))


@lru_cache(maxsize=128)
def _of_ideographs(token: str) -> tuple[str, ...]:
    """They are wanted twice of a text: of all of it, and of what it asks for."""
    return (*token, *map(add, token, token[1:]))
