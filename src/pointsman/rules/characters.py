"""Which characters make up words: letters and digits of scripts that put spaces between words, and the underscore."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_ACCENTS = range(0x0300, 0x0370)  # they continue the letter before them
MARKS = (*_ACCENTS, *range(0x1AB0, 0x1B00), *range(0x1DC0, 0x1E00), *range(0x20D0, 0x2100), *range(0xFE20, 0xFE30))


def ranges(points: Iterable[int]) -> list[tuple[int, int]]:
    """The runs of neighbours among `points`, first and last."""
    wanted = set(points)
    there = bytearray(max(wanted, default=-1) + 1)
    for point in wanted:
        there[point] = 1
    return [(run.start(), run.end() - 1) for run in re.finditer(b"\x01+", there)]


def one_of(runs: Iterable[tuple[int, int]], but: str = "") -> str:
    """The class of these characters as a pattern for `re`; with `but="^"`, of all others."""
    return f"[{but}{''.join([f'{_written(first)}-{_written(last)}' for first, last in runs])}]"


def _written(point: int) -> str:
    return f"\\x{point:02x}" if point < 0x80 else chr(point)  # in full, because `re` reads escapes slowly


def for_re2(runs: Iterable[tuple[int, int]]) -> str:
    """These characters as RE2 writes them inside a class."""
    return "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in runs)


def _letters() -> list[int]:
    spaced: list[int] = []
    start = 0x80
    for first, last in (*_UNSPACED, (0x10000, 0x10000)):
        spaced.extend(point for point in range(start, first) if point in _ACCENTS or chr(point).isalnum())
        start = last + 1
    return spaced


WORD_LETTERS = _letters()
_ASCII = b"abcdefghijklmnopqrstuvwxyz0123456789_"
LETTERS = re.compile(one_of(ranges(WORD_LETTERS)) + "+")
_MARK = "\x7f"
_BLOCK = 1 << 15  # characters that one call works on; in between, other threads may run
_BLANKED = bytes(byte if byte in _ASCII else 0x20 for byte in range(256))
_MARKED = bytes(byte if byte in _ASCII or byte == ord(_MARK) else 0x20 for byte in range(256))
_WORD_BYTES = frozenset(_ASCII)


def is_word(character: str) -> bool:
    """Whether a character of a folded text belongs to a word; the empty string does not."""
    if character < "\x80":
        return character != "" and ord(character) in _WORD_BYTES
    return LETTERS.match(character) is not None


def blanked(text: str, data: bytes, simple: bool) -> bytes:
    """A folded text with nothing left but words, blanks between them: split it. A word with a letter or digit outside
    ASCII is no longer itself there, but is still one and not the ASCII pieces of it."""
    if simple:
        return data.translate(_BLANKED)
    blocks = [text[start : start + _BLOCK].replace(_MARK, " ") for start in range(0, len(text), _BLOCK)]
    return "".join([LETTERS.sub(_MARK, block) for block in blocks]).encode().translate(_MARKED)


def word_before(data: bytes, place: int) -> bool:
    """Whether the character that ends at `place` of a folded text in UTF-8 belongs to a word."""
    if not place or data[place - 1] < 0x80:
        return place > 0 and data[place - 1] in _WORD_BYTES
    return is_word(data[max(0, place - 4) : place].decode(errors="ignore")[-1:])


def word_after(data: bytes, place: int) -> bool:
    """Whether the character that begins at `place` of a folded text in UTF-8 belongs to a word."""
    if place >= len(data) or data[place] < 0x80:
        return place < len(data) and data[place] in _WORD_BYTES
    return is_word(data[place : place + 4].decode(errors="ignore")[:1])
