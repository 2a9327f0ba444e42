"""Which language a reply should be written in."""

from __future__ import annotations

import re
from functools import lru_cache

import re2

from pointsman.domain.features import Language
from pointsman.features.latin import ENGLISH, FOREIGN, MARKED
from pointsman.features.sieve import Marks
from pointsman.features.signs import HAS_HAN, HAS_LATIN, HAS_OTHER_SCRIPT, MAY_BE_FOREIGN, OTHER_SCRIPTS, SIGNS

_HAN = re.compile(
    "[\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufa6d"
    "\ufa70-\ufad9\U00016fe2-\U00016fe3\U00016ff0-\U00016ff1\U00020000-\U0002a6df\U0002a700-\U0002b739\U0002b740-\U0002b81d"
    "\U0002b820-\U0002cea1\U0002ceb0-\U0002ebe0\U0002ebf0-\U0002ee5d\U0002f800-\U0002fa1d\U00030000-\U0003134a"
    "\U00031350-\U000323af]+"
)
_WORD = re.compile("[A-Za-z\xc0-\u024f]+")
# Of UTF-8: everything to a blank but ASCII letters; all but the first bytes of \xc0 to \u027f.
_LETTERS = bytes(byte if chr(byte).isascii() and chr(byte).isalpha() else 0x20 for byte in range(256))
_NO_WIDE_LETTER = bytes(byte for byte in range(256) if not 0xC3 <= byte <= 0xC9)
_ASCII = bytes(range(128))
_OTHER = re2.compile(f"[{OTHER_SCRIPTS}]")
_MARKED = frozenset(MARKED)
_SAMPLE = 600


def language_of(text: str, marks: Marks | None = None) -> Language:
    """`zh` where Chinese characters are at least as many as Latin words; `other` for another script or for Latin text
    that shows another language; else `en` (code, digits and emoji alone included). `marks` are what SIGNS found
    in the text, where it has looked already."""
    if len(text) > _SAMPLE:
        text, marks = text[:_SAMPLE], None
    if marks is None:
        marks = SIGNS.look(text.encode())
    if HAS_HAN in marks or HAS_OTHER_SCRIPT in marks:
        data = text.encode()
        words = _words(text, data) if HAS_LATIN in marks else 0
        if not words and HAS_OTHER_SCRIPT not in marks:
            return "zh"
        wide = data.translate(None, _ASCII).decode()
        han = len(wide) - len(_HAN.sub("", wide))
        other = _others(text) if HAS_OTHER_SCRIPT in marks else 0
        if other > 2 * words or (other and other * 4 > han + words):
            return "other" if other * 4 > han else "zh"
        if han and han >= words:
            return "zh"
    return "other" if MAY_BE_FOREIGN in marks and _foreign(text) else "en"


def _words(text: str, data: bytes) -> int:
    """Runs of Latin letters; `data` is the text in UTF-8."""
    if data.translate(None, _NO_WIDE_LETTER):
        return len(_WORD.findall(text))
    return len(data.translate(_LETTERS).split())


def _others(text: str) -> int:
    return sum(text.count(character) for character in set(text) if _is_other(character))


@lru_cache(maxsize=4096)
def _is_other(character: str) -> bool:
    return _OTHER.search(character) is not None


def _foreign(sample: str) -> bool:
    words = [word.strip(".,!?;:'\"()") for word in sample.lower().split()]
    hits = sum(word in FOREIGN for word in words)
    if hits * 5 > len(words):
        return True
    marked = 0 if sample.isascii() else sum(not _MARKED.isdisjoint(word) for word in words)
    if not marked or sum(word in ENGLISH for word in words) > hits + marked:
        return False
    return hits > 0 or marked * 8 >= len(words)
