"""What a question is made of, for comparing: words of Latin letters, and pairs of Chinese characters. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from pointsman.rules.fold import fold

_PIECES = re.compile("[a-z0-9]+|[㐀-鿿]+")
# words that say that something is asked, and not what
_GLUE = frozenset(
    """a an the to of is are was be do does did i my me we our you your it its how what where when which who why can could
    may should would will in on at for from with and or if any there this that please need want get have has""".split()  # noqa: SIM905
)
_GLUE_CHARACTERS = frozenset(
    "的了吗呢吧啊么怎何如什请问可以能会要想我们你您他是有在哪里谁几多少为和与或个这那就都也还不没到把被给让用去来啥咋样"
)
_GLUED = 0.25
_HALF = 0.7
_SINGLE = 0.35


def units_of(text: str) -> dict[str, float]:
    """Each with how much it says by its kind, from 0 to 1."""
    units: dict[str, float] = {}
    for piece in _PIECES.findall(fold(text).text.replace("'", "")):
        if piece[0] <= "z":
            units[_stem(piece)] = _GLUED if piece in _GLUE else 1.0
        else:
            for character in piece:
                units.setdefault(character, 0.05 if character in _GLUE_CHARACTERS else _SINGLE)
            for first, second in pairwise(piece):
                glue = (first in _GLUE_CHARACTERS) + (second in _GLUE_CHARACTERS)
                units[first + second] = (1.0, _HALF, _GLUED)[glue]
    return units


def same(text: str) -> str:
    """What two questions have in common that differ in spelling alone."""
    return "".join(_PIECES.findall(fold(text).text))


def _stem(word: str) -> str:
    """Roughly: what plural and tense add goes."""
    if len(word) < 4 or word[-1].isdigit():
        return word
    for ending, least, instead in (("ies", 5, "y"), ("ing", 6, ""), ("ed", 5, ""), ("es", 5, ""), ("s", 4, "")):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            stem = word[: -len(ending)] + instead
            if ending in ("ing", "ed", "es") and len(stem) > 3 and stem[-1] == stem[-2]:
                stem = stem[:-1]
            return stem.removesuffix("e")
    return word.removesuffix("e")
