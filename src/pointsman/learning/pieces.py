"""A text as pieces of its spelling, in microseconds: words, pairs of words, beginnings of words, ideographs, pairs of
ideographs."""

from __future__ import annotations

import re
import unicodedata
from operator import add

from pointsman.domain.simplified import simplified

HEAD, TAIL = 900, 300
"""Characters of a long text that are looked at: what is wanted is said at its beginning or at its end."""
STEM = 5
_TOKENS = re.compile(r"[㐀-鿿]+|[^\W\d_㐀-鿿]+(?:'[^\W\d_㐀-鿿]+)?|\d+|[^\w\s]")
_FIRST_IDEOGRAPH, _LAST_IDEOGRAPH = "㐀", "鿿"


def plain(text: str) -> str:
    """One spelling (compatible forms, case and traditional characters folded) of what is looked at of the text."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    text = text.lower()
    return text if text.isascii() else unicodedata.normalize("NFKC", text).lower().translate(simplified())


def pieces(text: str) -> list[str]:
    """Of a text as `plain` gives it, each once, in the order of their first places. A number counts by how many digits it
    has, four at most; a word of more than five letters is there by its first five with an asterisk, too. No piece holds a
    line break."""
    found: list[str] = []
    before = "^"
    for token in _TOKENS.findall(text):
        if _FIRST_IDEOGRAPH <= token[0] <= _LAST_IDEOGRAPH:
            found += token
            found += map(add, token, token[1:])
            before = token[-1]
            continue
        if token[0].isdecimal():
            token = "0" * min(len(token), 4)
        found += (token, f"{before} {token}")
        if len(token) > STEM:
            found.append(f"{token[:STEM]}*")
        before = token
    return list(dict.fromkeys(found))
