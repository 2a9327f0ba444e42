"""Folding: one spelling for matching, so that PDF, pdf and ＰＤＦ are the same word, and 導出, 导 出 报 表 and раssword what
they are read as.

First each character by itself (`spelling.py`): it becomes one character, or is dropped because it shows nothing (zero
width, soft hyphen, direction marks, variation selectors, tags, strokes). Then, in the few texts that call for it, what only
the neighbours tell (`mixed.py`). A lone surrogate becomes U+FFFD, so that every folded text can be encoded.

Nearly every text is ASCII and ideographs with some full-width punctuation, so that is the short way: a handful of
replacements, one look for anything else, and a lower case that only knows ASCII. Python's `re` is used with nothing but
single classes of characters, whose time is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import msgspec
import re2

from pointsman.rules import mixed
from pointsman.rules.characters import LETTERS, MARKS, for_re2, one_of, ranges
from pointsman.rules.look_alikes import LATIN
from pointsman.rules.spelling import CAPITALS, CHANGES, COMMON, GONE, INVISIBLE_ASTRAL, UNKNOWN, quiet

_BLOCK = 1 << 15  # characters that one call of the C library works on; in between, other threads may run
_FEW = 40
_SHORT = 128  # up to here three small looks are quicker than one of RE2


def _finder(pattern: str) -> Callable[[bytes], list[int]]:
    """A function that is true of texts in UTF-8 with a match: a set of one pattern, whose call costs half of a search's."""
    one: Any = re2.Set.SearchSet()
    one.Add(pattern)
    one.Compile()
    found: Callable[[bytes], list[int]] = one._set.Match
    return found


_RUNS = quiet(mixed.SIGNS)
_LOOK = re.compile(one_of(_RUNS, but="^"))  # what is notable, and the signs
_SIGNS = frozenset(mixed.SIGNS)
_SIGN = re.compile(one_of(ranges(map(ord, _SIGNS))))
_TAGS = re.compile(one_of([INVISIBLE_ASTRAL]))
_FIRST_TAG = chr(INVISIBLE_ASTRAL[0])
_ALIKE = frozenset(map(chr, LATIN))
_MARKS = frozenset(map(chr, MARKS))
_TABLE = {ord(character): folded for character, folded in CHANGES.items()}
_SUSPECT = _finder(mixed.SUSPECT)
_MIXED = _finder(mixed.MIXED)
_WORTH = _finder(f"[^{for_re2(_RUNS)}{for_re2(ranges(map(ord, _SIGNS)))}]|{mixed.SUSPECT}")


class Folded(msgspec.Struct, frozen=True, gc=False):
    """A text as the rules see it: `text`, and the same in UTF-8 as `data`.

    `source` is the text as it was. `simple` is true where no letter or digit outside ASCII belongs to a spaced script.
    `gone` says where characters were dropped: how many characters of the folded text stand before each of them."""

    text: str
    data: bytes
    source: str
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

    def place(self, original: int) -> int:
        """Where a place of the original text is in the folded one; of what was dropped, where it would stand."""
        if not self.gone:
            return original
        return original - bisect_left(range(len(self.gone)), original, key=self._dropped_at)

    def _dropped_at(self, number: int) -> int:
        return self.gone[number] + number

    def _place(self, place: int) -> int:
        return place + bisect_right(self.gone, place)


def fold(text: str) -> Folded:
    """Fold `text`, any str including lone surrogates. Linear, about 6 µs for 500 characters. Idempotent."""
    if text.isascii():
        small = text.lower()
        data = small.encode()
        if data[::2].find(b"   ") < 0 and data[1::2].find(b"   ") < 0:
            return Folded(small, data, text)
        small, gone = _cut(mixed.letters_together(data).decode(), ())
        return Folded(small, small.encode(), text, True, gone)
    plain = _plain(text) if len(text) <= _BLOCK else None
    return _lowered(*plain, text) if plain else _thorough(text)


def _plain(text: str) -> tuple[str, bytes] | None:
    """The short way: the text with plain punctuation, and its bytes, where that and the lower case of ASCII is all."""
    if _LOOK.search(text) is None:
        return text, text.encode()
    short = len(text) < _SHORT
    if short and _SIGNS.issuperset(_LOOK.findall(text)):
        return None if _parted(text) else (text, text.encode())
    for wide, plain in COMMON:
        text = text.replace(wide, plain)
    if _LOOK.search(text) is None:
        return text, text.encode()
    if short:
        return None if not _SIGNS.issuperset(_LOOK.findall(text)) or _parted(text) else (text, text.encode())
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return None
    return None if _WORTH(data) else (text, data)


def _parted(text: str) -> bool:
    """Whether single ideographs or letters may be parted by signs; for short texts, in which nothing is notable."""
    return 1 in map(len, _SIGN.split(text)) and bool(_SUSPECT(text.encode()))


def _thorough(source: str) -> Folded:
    blocks: list[str] = []
    there: set[str] = set()
    for start in range(0, len(source), _BLOCK):
        block, characters = _changed(source[start : start + _BLOCK])
        blocks.append(block)
        there |= characters
    text = "".join(blocks)
    simple = LETTERS.search("".join(there)) is None
    gone: tuple[int, ...] = ()
    if GONE in there:
        text, gone = _dropped(text)
    if not there.isdisjoint(_ALIKE):
        if _MIXED(text.encode()):
            text = mixed.latin(text)
        for capital in there & CAPITALS.keys():
            text = text.replace(capital, CAPITALS[capital])
    if not there.isdisjoint(_MARKS):
        text, gone = _cut(mixed.unpiled(text), gone)
    if not there.isdisjoint(_SIGNS):
        data = text.encode()
        if _SUSPECT(data):
            text, gone = _cut(mixed.letters_together(mixed.ideographs_together(data)).decode(), gone)
    return _lowered(text, text.encode(), source, simple, gone)


def _changed(text: str) -> tuple[str, set[str]]:
    """Each character by itself, ASCII capitals and those of look-alikes apart; U+FFFF for what is to be dropped. And the
    characters that are then there."""
    text = text.replace(GONE, UNKNOWN)
    there = set(text)
    present = there & CHANGES.keys()
    if len(present) > _FEW:
        text = text.translate(_TABLE)
    else:
        for character in present:
            text = text.replace(character, CHANGES[character])
    then = there - present | {CHANGES[character] for character in present}
    if max(there) >= _FIRST_TAG:
        text = _TAGS.sub(GONE, text)
        then.add(GONE)
    return text, then


def _lowered(text: str, data: bytes, source: str, simple: bool = True, gone: tuple[int, ...] = ()) -> Folded:
    """ASCII only; all other capitals are changed already."""
    small = data.lower()
    return Folded(text if small == data else small.decode(), small, source, simple, gone)


def _cut(text: str, gone: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """`text` without what is marked in it, and all that is gone; `gone` is counted by the text before the cut."""
    if GONE not in text:
        return text, gone
    text, cut = _dropped(text)
    places = [count + number for number, count in enumerate(cut)]  # of what is cut now, in the text before
    return text, tuple(sorted([*cut, *(count - bisect_left(places, count) for count in gone)]))


def _dropped(text: str) -> tuple[str, tuple[int, ...]]:
    kept: list[str] = []
    gone: list[int] = []
    length = 0
    for start in range(0, len(text), _BLOCK):
        pieces = text[start : start + _BLOCK].split(GONE)
        kept += pieces
        lengths = list(accumulate(map(len, pieces), initial=length))
        gone += lengths[1:-1]
        length = lengths[-1]
    return "".join(kept), tuple(gone)
