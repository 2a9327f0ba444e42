"""What only its neighbours tell of a character: look-alikes in a mixed word, piled accents, words spelt out sign by sign.

- In a word that has Latin letters of ASCII too, Cyrillic and Greek letters that look like Latin ones are those: раssword is
  password. Words wholly of Cyrillic or Greek stay. A word is a run of Latin, Greek, Cyrillic letters, digits and accents.
- Two or more accents on one letter of ASCII are dropped; a single one stays.
- Three or more single ideographs, each parted from the next by one or two spaces, are written together (导 出 报 表), and so
  are four or more that are parted by the same sign of . · * - _ ~ | and four or more single letters of ASCII that are parted
  by single spaces (p a s s, up to 64). Words of several ideographs (日报 表格) stay apart.

What looks at more than one class of characters works on UTF-8 with RE2. What is dropped becomes U+FFFF, for the caller to
cut out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import re2

from pointsman.rules.characters import MARKS, for_re2, one_of, ranges
from pointsman.rules.look_alikes import LATIN

GONE = "\uffff"
_GONE = GONE.encode()
_LONGEST = 64  # letters
SIGNS = " .·*-_~|"  # between which single ideographs are written together
_IN_WORD = (
    *((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xB5, 0xB5), (0xBA, 0xBA), (0xC0, 0xD6), (0xD8, 0xF6)),
    *((0xF8, 0x52F), (0x1C80, 0x1C8F), (0x1D00, 0x1FFF), (0x2C60, 0x2C7F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    *((0xA720, 0xA7FF), (0xAB30, 0xAB6F), *ranges(MARKS)),
)
_HAN_RANGES = for_re2([(0x3005, 0x3005), (0x3007, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)])
_HAN = f"[{_HAN_RANGES}]"
_BY_SIGN = "[.]", "·", "[*]", "-", "_", "~", "[|]"
_PARTED = "|".join([f"{_HAN}(?: {{1,2}}{_HAN}){{2,}}", *(f"{_HAN}(?:{sign}{_HAN}){{3,}}" for sign in _BY_SIGN)])
_SPELT = "[A-Za-z](?: [A-Za-z]){3,}"
SUSPECT = f"{_PARTED}|{_SPELT}".replace(",}", "}")
"""A pattern that is in every text with parted ideographs or letters."""
_ALIKE = for_re2(ranges(LATIN))
MIXED = f"[A-Za-z][{for_re2(_IN_WORD)}]*[{_ALIKE}]|[{_ALIKE}][{for_re2(_IN_WORD)}]*[A-Za-z]"
"""A pattern that is in every mixed word."""
_WORD = re.compile(one_of(_IN_WORD) + "+")
_LATIN = re.compile("[A-Za-z]")
_PILE = re.compile(one_of(ranges(MARKS)) + "{2,}")
_IDEOGRAPHS: Any = re2.compile(f"(?:^|[^{_HAN_RANGES}])({_PARTED})(?:$|[^{_HAN_RANGES}])")
_LETTERS: Any = re2.compile(f"(?:^|[^_{for_re2(_IN_WORD)}])({_SPELT})(?:$|[^_{for_re2(_IN_WORD)}])")


def latin(text: str) -> str:
    """Look-alikes in mixed words become Latin."""
    return _WORD.sub(_as_latin, text)


def _as_latin(found: re.Match[str]) -> str:
    word = found[0]
    return word if word.isascii() or _LATIN.search(word) is None else word.translate(LATIN)


def unpiled(text: str) -> str:
    """Piled accents are marked as gone."""
    return _PILE.sub(_unpiled, text)


def _unpiled(found: re.Match[str]) -> str:
    place = found.start()
    on_letter = place > 0 and _LATIN.match(found.string, place - 1) is not None
    return GONE * len(found[0]) if on_letter else found[0]


def ideographs_together(data: bytes) -> bytes:
    """What parts single ideographs is marked as gone."""
    return _rewritten(_IDEOGRAPHS, data, _closed)


def letters_together(data: bytes) -> bytes:
    """What parts single letters of ASCII is marked as gone."""
    return _rewritten(_LETTERS, data, lambda run: _closed(run) if _may_spell(run) else run)


def _may_spell(run: bytes) -> bool:
    """One letter over and over spells nothing, and nobody spells out hundreds of letters."""
    return len(run) < 2 * _LONGEST and len(set(run.lower())) > 2


def _closed(run: bytes) -> bytes:
    for sign in SIGNS:
        run = run.replace(sign.encode(), _GONE)
    return run


def _rewritten(pattern: Any, data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Group 1 of every match, changed. The next match may begin in what the last one saw behind its group."""
    pieces: list[bytes] = []
    done = 0
    while (found := pattern.search(data, done)) is not None:
        start, end = found.span(1)
        pieces += data[done:start], change(data[start:end])
        done = end
    return b"".join([*pieces, data[done:]]) if pieces else data
