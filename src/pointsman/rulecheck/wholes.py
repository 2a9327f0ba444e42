"""Which texts there are with a given core, as `rules/whole.py` strips it: what they close with may differ in endless ways,
but only in a few that a rule can tell apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from pointsman.rules.fold import fold
from pointsman.rules.negation import negators
from pointsman.rules.whole import core

_MOST = 3
_TAKING_BACK = ("了", "mind", "forget", "cancel")


def closing_part(word: str) -> str:
    """The marks that a folded word closes with; all of it, where it is nothing else."""
    start = len(word)
    while start and _is_mark(word[start - 1]):
        start -= 1
    return word[start:]


def texts_of(key: str, words: Iterable[str], closer: str | None) -> tuple[list[str], bool]:
    """Texts whose key is this one, and whether every text of that key is like one of them to a rule whose words that
    close with marks are `words`. `closer` closes a text too, and is in no term."""
    if not closing_core(key):
        return [key], fold(key).text == key
    asks = key.endswith("?") and core(key[:-1])[0] == key[:-1]
    inner = key[:-1] if asks else key
    longer, alone = [], []
    for word in dict.fromkeys(words):
        marks = closing_part(word)
        if marks == word:
            alone.append(word)
        elif marks and inner.endswith(word[: -len(marks)]):
            longer.append(marks)
    exact = len(alone) <= _MOST and closer is not None
    exact = exact and not any(_is_wordlike(mark) for word in (*longer, *alone) for mark in word)
    if (longer or alone) and (negators(fold(inner)) or any(word in inner for word in _TAKING_BACK)):
        exact = False
    apart = closer or " "
    texts = []
    for first in ("", "_", *longer):
        for many in range(min(len(alone), _MOST) + 1):
            for some in itertools.combinations(alone, many):
                tail = first + "".join(apart + word for word in some)
                for end in (tail, tail + "?", tail + apart + "?") if asks else (tail,):
                    texts += [inner + end, inner + end + apart]
    texts = list(dict.fromkeys(texts))
    exact = exact and all(fold(text).text == text for text in texts)
    return [text for text in texts if core(fold(text).text)[0] == key], exact


def closing_core(key: str) -> bool:
    """Whether there is more to a key than marks."""
    return len(closing_part(key)) < len(key)


def _is_mark(character: str) -> bool:
    """Whether a text may close with it: the core of a letter and this is that letter, or is asked."""
    return core("a" + character)[0] in ("a", "a?")


def _is_wordlike(character: str) -> bool:
    return character == "_" or character.isalnum()
