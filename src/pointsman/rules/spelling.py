"""What folding makes of each character by itself: one character, or nothing.

Case, width, unusual spaces, curly quotes; traditional characters; and what Unicode calls another way of writing a letter,
a digit or an ideograph (𝐩, ⓟ, ², ⼈), where that is one character. Negative circled and squared letters (🅟, 🅿) have no
such name in Unicode, but read the same. Capitals that look like Latin ones stay until their word is known (`mixed.py`).
"""

from __future__ import annotations

import unicodedata

from pointsman.domain.simplified import SIMPLIFIED, TRADITIONAL
from pointsman.rules.characters import MARKS, WORD_LETTERS, ranges
from pointsman.rules.look_alikes import LATIN

GONE = "\uffff"
UNKNOWN = "\ufffd"
INVISIBLE_ASTRAL = (0xE0000, 0xE0FFF)
_INVISIBLE = (
    (0x00AD, 0x00AD),
    (0x0334, 0x0338),  # strokes through a letter
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2069),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
)
_SPACES = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
_QUOTES = {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'}
COMMON = tuple(zip("，？！：；（）“”’\u3000", ',?!:;()""\' ', strict=True))
_STYLED = (
    (0xAA, 0xBA),
    (0x2B0, 0x2E4),
    (0x1D2C, 0x1DBF),
    (0x2070, 0x209C),
    (0x2100, 0x2138),  # U+2139 is an emoji
    (0x213A, 0x217F),
    (0x2460, 0x24EA),
    (0x2F00, 0x2FD5),
    (0x3280, 0x32FE),
    (0xF900, 0xFAFF),
    (0x1D400, 0x1D7FF),
    (0x1F130, 0x1F149),
)
_NEGATIVE = (0x1F150, 0x1F170)
_ASTRAL = (0x1D400, 0x1F189)  # all that changes outside the basic plane, apart from the invisible


_CASED = (
    (0x80, 0x58F),
    (0x10A0, 0x10FF),
    (0x13A0, 0x13FF),
    (0x1C80, 0x218F),
    (0x24B6, 0x24E9),
    (0x2C00, 0x2DFF),
    (0xA640, 0xA7FF),
    (0xAB53, 0xABBF),
    (0xFB00, 0xFB17),
    (0xFF21, 0xFF5A),
)


def _small() -> dict[str, str]:
    """Each character of the basic plane, ASCII apart, that has a case and is not small, as a small one."""
    small = {}
    for first, last in _CASED:
        for character in map(chr, range(first, last + 1)):
            folded = character.casefold()
            if folded != character:
                small[character] = folded if len(folded) == 1 else character.lower()[0]
    return small


def _changes(small: dict[str, str]) -> dict[str, str]:
    simple = dict(zip(TRADITIONAL, SIMPLIFIED, strict=True))
    changes = {capital: letter for capital, letter in small.items() if ord(capital) not in LATIN} | simple
    for first, last in (*_STYLED, (0xFF00, 0xFFEF)):
        for character in map(chr, range(first, last + 1)):
            plain = unicodedata.normalize("NFKC", character)
            if len(plain) == 1 and (plain.isalnum() or first == 0xFF00):
                changes[character] = changes.get(plain, plain.lower() if plain.isascii() else plain)
    for first in _NEGATIVE:
        changes.update({chr(first + number): chr(ord("a") + number) for number in range(26)})
    changes.update(dict.fromkeys(map(chr, _SPACES), " "))
    changes.update(_QUOTES)
    changes.update(dict.fromkeys(map(chr, (*range(0xD800, 0xE000), 0xFFFF)), UNKNOWN))
    for first, last in _INVISIBLE:
        changes.update(dict.fromkeys(map(chr, range(first, last + 1)), GONE))
    return {character: folded for character, folded in changes.items() if folded != character}


_SMALL = _small()
CHANGES = _changes(_SMALL)
CAPITALS = {chr(point): _SMALL[chr(point)] for point in LATIN if chr(point) in _SMALL}
"""The look-alikes that are capitals, and the small letter of each."""


def quiet(besides: str) -> list[tuple[int, int]]:
    """The characters that tell of nothing, in runs: they stay, and belong to no word of a spaced script (ASCII apart).
    Those in `besides`, of the basic plane, are left out."""
    points = {*map(ord, CHANGES), *WORD_LETTERS, *MARKS, *map(ord, besides)}
    notable = [*ranges(point for point in points if point < _ASTRAL[0]), _ASTRAL, INVISIBLE_ASTRAL]
    starts = [0, *[last + 1 for _, last in notable]]
    ends = [*[first - 1 for first, _ in notable], 0x10FFFF]
    return [(first, last) for first, last in zip(starts, ends, strict=True) if first <= last]
