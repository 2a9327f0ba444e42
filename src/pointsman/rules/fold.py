"""Folding: one spelling for matching, so that PDF, pdf and ＰＤＦ are the same word.

`fold` is 1:1 in characters: case, full width, unusual spaces and curly quotes change one character into one. What shows
nothing (zero width, soft hyphen, direction marks, variation selectors, tags) is dropped, and only then an offset map is
kept. Characters outside the basic plane stay themselves; a lone surrogate becomes U+FFFD, so that every folded text
can be encoded.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

_GONE = 0xFFFF
_GONE_CHAR = "\uffff"
_UNKNOWN = 0xFFFD
_BLANK = 0x20
_INVISIBLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2069),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
)
_INVISIBLE_ASTRAL = (0xE0000, 0xE0FFF)
# Scripts that put no spaces between words, or glue particles to them: a neighbour of theirs does not continue a word.
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x109F),  # Tibetan, Myanmar
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x31FF),  # CJK radicals and marks, kana, bopomofo, Hangul compatibility jamo
    (0x3200, 0xA4CF),  # CJK, Yi
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),
    (0xFF66, 0xFFDC),  # half-width kana and Hangul
)
_QUOTES = {0x2018: 0x27, 0x2019: 0x27, 0x02BC: 0x27, 0x201C: 0x22, 0x201D: 0x22}

Offsets = npt.NDArray[np.intp]


def _tables() -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """(folded unit, folded unit or blank where it is no part of a spaced word), by UTF-16 unit."""
    characters = [chr(point) for point in range(0x10000)]
    folded = []
    for character in characters:
        small = character.casefold()
        if len(small) != 1:
            small = character.lower()
        folded.append(ord(small[0]))
    table = np.array(folded, dtype=np.uint16)
    for point in range(0xFF00, 0xFFF0):
        plain = unicodedata.normalize("NFKC", chr(point))
        if len(plain) == 1:
            table[point] = table[ord(plain)]
    for point in (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000):
        table[point] = _BLANK
    for point, plain_point in _QUOTES.items():
        table[point] = plain_point
    table[0xD800:0xE000] = _UNKNOWN
    table[_GONE] = _UNKNOWN
    for first, last in _INVISIBLE:
        table[first : last + 1] = _GONE

    word = np.array([character.isalnum() or character == "_" for character in characters], dtype=bool)
    word[0x0300:0x0370] = True  # combining accents continue the letter before them
    for first, last in _UNSPACED:
        word[first : last + 1] = False
    words = np.where(word[table], table, _BLANK).astype(np.uint16)
    words[table == _GONE] = _GONE
    return table, words


_FOLD, _WORDS = _tables()
_UNIT = np.dtype("<u2")
# The codec functions themselves: `str.encode("utf-16-le")` looks its codec up, which takes longer than the work.
_encode: Callable[[str, str], tuple[bytes, int]] = codecs.utf_16_le_encode
_decode: Callable[[Any], tuple[str, int]] = codecs.utf_16_le_decode
_ASCII_WORDS = {point: int(_WORDS[point]) for point in range(128)}


class Folded(msgspec.Struct, frozen=True, gc=False):
    """A text as the rules see it.

    `text` is the folded text; `words` has the same length, with a blank for each character that is no part of a spaced
    word (Latin, Greek, Cyrillic, … letters, digits, underscore). `offsets[i]` is the place of folded character i in
    the original, or None where the places are the same."""

    text: str
    words: str
    offsets: Offsets | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the original text that [start, end) of the folded text came from."""
        if self.offsets is None:
            return start, end
        if start == end:
            place = int(self.offsets[start]) if start < len(self.offsets) else int(self.offsets[-1]) + 1
            return place, place
        return int(self.offsets[start]), int(self.offsets[end - 1]) + 1


def fold(text: str) -> Folded:
    """Fold `text`, any str including lone surrogates. O(len), about 5 µs for 500 characters. Idempotent."""
    if text.isascii():
        return Folded(text.lower(), text.translate(_ASCII_WORDS))
    units = np.frombuffer(_encode(text, "surrogatepass")[0], _UNIT)
    if len(units) == len(text):
        folded = _decode(_FOLD.take(units))[0]
        if _GONE_CHAR not in folded:
            return Folded(folded, _decode(_WORDS.take(units))[0])
    return _fold_rare(text)


def _fold_rare(text: str) -> Folded:
    """With characters outside the basic plane, or with invisible ones."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    low = np.minimum(points, _GONE)
    astral = points > _GONE
    folded = np.where(astral, points, _FOLD.take(low))
    words = np.where(astral, _BLANK, _WORDS.take(low))
    keep = (folded != _GONE) & ~((points >= _INVISIBLE_ASTRAL[0]) & (points <= _INVISIBLE_ASTRAL[1]))
    offsets = None
    if not keep.all():
        offsets = np.flatnonzero(keep)
        folded, words = folded[keep], words[keep]
    return Folded(
        folded.astype("<u4").tobytes().decode("utf-32-le"),
        words.astype("<u4").tobytes().decode("utf-32-le"),
        offsets,
    )
