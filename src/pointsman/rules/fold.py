"""Folding: one spelling for matching, so that PDF, pdf and ＰＤＦ are the same word.

`fold` is 1:1 in characters: case, full width, unusual spaces and curly quotes change one character into one. What shows
nothing (zero width, soft hyphen, direction marks, variation selectors, tags) is dropped, and only then the text is
shorter. Characters outside the basic plane stay themselves; a lone surrogate becomes U+FFFD, so that every folded text
can be encoded.

Nearly every text is ASCII and ideographs with some full-width punctuation, so that is the short way: a handful of
replacements, one look for anything else, and a lower case that only knows ASCII. Python's `re` is used with nothing but
single classes of characters, whose time is linear.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

import msgspec

from pointsman.rules.characters import WORD_LETTERS, one_of, ranges

_GONE = "\uffff"
_UNKNOWN = "\ufffd"
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
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_QUOTES = {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'}
_COMMON = tuple(zip("，？！：；（）“”’\u3000", ',?!:;()""\' ', strict=True))
# Bytes of UTF-8 that tell of nothing notable, once U+3000 is replaced: ASCII, later bytes, and the first bytes of
# ideographs, kana, most of Hangul and emoji.
_QUIET = bytes((*range(0xC0), *range(0xE3, 0xEA), 0xEB, 0xEC, 0xF0))
_BLOCK = 1 << 15  # characters that one call of the C library works on; in between, other threads may run
_FEW = 40


def _changes() -> dict[str, str]:
    """Each character of the basic plane, ASCII apart, that folding changes, and what becomes of it."""
    small = {}
    cased = (*range(0x80, 0x2E80), *range(0xA640, 0xAC00), *range(0xFB00, 0x10000))
    for character in map(chr, cased):
        folded = character.casefold()
        if folded != character:
            small[character] = folded if len(folded) == 1 else character.lower()[0]
    changes = dict(small)
    for character in map(chr, range(0xFF00, 0xFFF0)):
        plain = unicodedata.normalize("NFKC", character)
        if len(plain) == 1:
            changes[character] = small.get(plain, plain.lower())
    changes.update(dict.fromkeys(map(chr, _SPACES), " "))
    changes.update(_QUOTES)
    changes.update(dict.fromkeys(map(chr, (*range(0xD800, 0xE000), 0xFFFF)), _UNKNOWN))
    for first, last in _INVISIBLE:
        changes.update(dict.fromkeys(map(chr, range(first, last + 1)), _GONE))
    return {character: folded for character, folded in changes.items() if folded != character}


_CHANGES = _changes()
_CHANGED = re.compile(one_of([*ranges(map(ord, _CHANGES)), _INVISIBLE_ASTRAL]))
_NOTABLE = re.compile(one_of([*ranges([*map(ord, _CHANGES), *WORD_LETTERS]), _INVISIBLE_ASTRAL]))


class Folded(msgspec.Struct, frozen=True, gc=False):
    """A text as the rules see it: `text`, and the same in UTF-8 as `data`.

    `simple` is true where no letter or digit outside ASCII belongs to a spaced script. `gone` says where invisible
    characters were dropped: how many characters of the folded text stand before each of them."""

    text: str
    data: bytes
    simple: bool = True
    gone: tuple[int, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the original text that [start, end) of the folded text came from."""
        if not self.gone:
            return start, end
        if start == end:
            place = self._place(start) if start < len(self.text) else self._place(start - 1) + 1
            return place, place
        return self._place(start), self._place(end - 1) + 1

    def _place(self, place: int) -> int:
        return place + bisect_right(self.gone, place)


def fold(text: str) -> Folded:
    """Fold `text`, any str including lone surrogates. Linear, about 4 µs for 500 characters. Idempotent."""
    if text.isascii():
        text = text.lower()
        return Folded(text, text.encode())
    if len(text) <= _BLOCK:
        text, simple = _folded(text)
    else:
        blocks = [_folded(text[start : start + _BLOCK]) for start in range(0, len(text), _BLOCK)]
        text, simple = "".join([block for block, _ in blocks]), all(simple for _, simple in blocks)
    gone: tuple[int, ...] = ()
    if not simple and _GONE in text:
        text, gone = _dropped(text)
    data = text.encode()
    small = data.lower()  # ASCII only; all other capitals are changed already
    return Folded(text if small == data else small.decode(), small, simple, gone)


def _folded(text: str) -> tuple[str, bool]:
    """With ASCII capitals, and U+FFFF for what is to be dropped; and whether nothing notable is in the text."""
    if _NOTABLE.search(text) is None:
        return text, True
    for wide, plain in _COMMON:
        text = text.replace(wide, plain)
    if _quiet(text) or _NOTABLE.search(text) is None:
        return text, True
    text = text.replace(_GONE, _UNKNOWN)
    present = set(_CHANGED.findall(text))
    if len(present) > _FEW:
        return _CHANGED.sub(lambda found: _CHANGES.get(found[0], _GONE), text), False
    for character in present:
        text = text.replace(character, _CHANGES.get(character, _GONE))
    return text, False


def _dropped(text: str) -> tuple[str, tuple[int, ...]]:
    kept: list[str] = []
    gone: list[int] = []
    length = 0
    for start in range(0, len(text), _BLOCK):
        pieces = text[start : start + _BLOCK].split(_GONE)
        kept += pieces
        lengths = list(accumulate(map(len, pieces), initial=length))
        gone += lengths[1:-1]
        length = lengths[-1]
    return "".join(kept), tuple(gone)


def _quiet(text: str) -> bool:
    """Quicker than the search for what is notable, where it can tell that there is nothing."""
    try:
        return not text.encode().translate(None, _QUIET)
    except UnicodeEncodeError:
        return False
