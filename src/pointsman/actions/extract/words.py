"""Texts as what they say: words, numbers by value and signs, whatever their width, case, punctuation and white space.
Pure; linear in the text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from decimal import Decimal
from functools import lru_cache

import msgspec

_ALONE = (  # scripts that put no space between words: each character counts
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
_TOKEN = re.compile(
    rf"(?:(?<![\w)）])-)?\d{{1,3}}(?:,\d{{3}}){{1,9}}(?![\d,])(?:\.\d{{1,30}})?"
    r"|(?:(?<![\w)）])-)?\d+(?:[.:]\d+)*"
    rf"|[{_ALONE}]"
    rf"|[^\W\d_{_ALONE}](?:[^\W_{_ALONE}]|[\u0300-\u036f])*"
    r"|[%‰$€£¥℃°@#&+=<>≥≤×]"
)
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_DASHES = str.maketrans("−﹣－", "---")
_BETWEEN = "\x00"


class Words(msgspec.Struct, frozen=True, gc=False):
    """The tokens of a text, and where each begins and ends in it."""

    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    joined: str
    """All tokens, each between two marks that no text has."""
    places: tuple[int, ...]
    """Where each token's mark stands in `joined`."""

    def find(self, wanted: Words, after: int = 0) -> tuple[int, int] | None:
        """The first place, as tokens [first, last), where all of `wanted` stand one after the other."""
        if not wanted.tokens or after >= len(self.tokens):
            return None
        at = self.joined.find(wanted.joined, self.places[after])
        if at < 0:
            return None
        first = bisect_left(self.places, at)
        return first, first + len(wanted.tokens)


def words_of(text: str) -> Words:
    """What it says."""
    found = [(_value(match[0]), match.start(), match.end()) for match in _TOKEN.finditer(folded(text))]
    places: list[int] = []
    at = 0
    for token, _, _ in found:
        places.append(at)
        at += len(token) + 1
    joined = _BETWEEN + "".join(f"{token}{_BETWEEN}" for token, _, _ in found) if found else ""
    return Words(
        tuple(token for token, _, _ in found),
        tuple(start for _, start, _ in found),
        tuple(end for _, _, end in found),
        joined,
        tuple(places),
    )


def folded(text: str) -> str:
    """One spelling for each character, as many as before."""
    if text.isascii():
        return text.lower()
    return "".join([_plain(character) for character in text]).translate(_DASHES)


@lru_cache(4096)
def _plain(character: str) -> str:
    for form in (unicodedata.normalize("NFKC", character), character):
        low = form.lower()
        if len(low) == 1:
            return low
    return character


def _value(token: str) -> str:
    """1,200 and 1200.0 are one number; 007, 1.2.3 and 9:30 are what they are written as."""
    plain = token.replace(",", "")
    if not _PLAIN.fullmatch(plain) or not plain.isascii() or len(plain) > 40:
        return token
    digits = plain.removeprefix("-")
    if len(digits) > 1 and digits[0] == "0" and digits[1] != ".":
        return token
    return format(Decimal(plain).normalize(), "f") if "." in plain else plain
