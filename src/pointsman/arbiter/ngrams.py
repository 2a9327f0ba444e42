"""A text as weighed pieces of its spelling: words and parts of words, characters and pairs of ideographs."""

from __future__ import annotations

import re
import unicodedata
import zlib

from pointsman.domain.simplified import simplified

_TOKENS = re.compile(r"[㐀-鿿]+|[^\W_㐀-鿿]+(?:['’][^\W\d_㐀-鿿]+)?|[^\w\s]")
_IDEOGRAPH = re.compile("[㐀-鿿]")
MOST_CHARACTERS = 1000
"""Beyond them nothing is looked at; callers cut by a better rule before."""


def plain(text: str) -> str:
    """One spelling: compatible forms, case and traditional characters folded."""
    return unicodedata.normalize("NFKC", text[:MOST_CHARACTERS]).lower().translate(simplified())


def pieces(text: str) -> list[str]:
    """In the text's order, with repetitions. Of ideographs: each, each two in a row, the first one after the word before. Of
    other words: the word, the word after the one before it, its parts of three to five letters with its ends marked. A
    number counts by its length."""
    found: list[str] = []
    before = "^"
    for token in _TOKENS.findall(plain(text)):
        if _IDEOGRAPH.match(token):
            found.append(f"b {before} {token[0]}")
            found += token
            found += [token[at : at + 2] for at in range(len(token) - 1)]
            before = token[-1]
            continue
        word = "0" * min(len(token), 4) if token.isdecimal() else token
        found.append(f"w {word}")
        found.append(f"b {before} {word}")
        marked = f"<{word}>"
        for size in (3, 4, 5):
            found += ["g " + marked[at : at + size] for at in range(len(marked) - size + 1) if size < len(marked)]
        before = word
    return found


def counted(text: str) -> dict[int, int]:
    """Hash of a piece (32 bits) → how often it occurs."""
    counts: dict[int, int] = {}
    for piece in pieces(text):
        key = zlib.crc32(piece.encode("utf-8", "replace"))
        counts[key] = counts.get(key, 0) + 1
    return counts
