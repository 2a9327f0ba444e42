"""A question, taken apart: its words, with a symbol in place of whatever is a value of a kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from pointsman.domain.said import said
from pointsman.extractors.extract import extract
from pointsman.offline.mining.acts import acts_of
from pointsman.offline.mining.fillers import FILLERS, FORMATS
from pointsman.rules.fold import fold

SLOT, ACT = "$", "#"
FORMAT = SLOT + "format"
_LONGEST = 400  # characters that are looked at: what a rule takes is said shortly
_KINDS = (
    "code", "sql", "url", "email", "file", "id_card", "bank_card", "phone", "amount", "percentage", "period", "number",
)  # fmt: skip
_FORMATS = frozenset(FORMATS)


class MissingSegmenter(Exception):
    """rjieba is not installed; the text says how to come by it."""


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """`features` are what of it may be part of a pattern, each once: words, slots (`$period`) and acts (`#export`).
    `words` are its words in order, slots as symbols; `content` says of how many of them it is not plain what they are
    there for; `acts` are the words of each act."""

    folded: str
    words: tuple[str, ...]
    features: frozenset[str]
    acts: dict[str, tuple[str, ...]]


@cache
def _segmenter() -> Any:
    try:
        import rjieba
    except ImportError:
        raise MissingSegmenter(
            said(
                "mining needs rjieba: pip install 'pointsman[mine]'",
                "挖掘规则需要 rjieba：pip install 'pointsman[mine]'",
            )
        ) from None
    return rjieba.Jieba()


def parse(text: str) -> Parsed:
    """Raises MissingSegmenter."""
    text = text[:_LONGEST]
    words: list[str] = []
    at = 0
    for start, end, symbol in _slots(text):
        words += _segmented(text[at:start])
        words.append(symbol)
        at = end
    words += _segmented(text[at:])
    folded = fold(text).text
    acts = acts_of(folded)
    features = {word for word in words if word not in FILLERS and not _bare_number(word)}
    if not _FORMATS.isdisjoint(features):
        features.add(FORMAT)
    features.update(ACT + act for act in acts)
    return Parsed(folded, tuple(words), frozenset(features), acts)


def is_word(feature: str) -> bool:
    return feature[0] not in (SLOT, ACT)


def may_be_term(feature: str) -> bool:
    """Whether a rule may look for it: a single ideograph is in too many words."""
    return not is_word(feature) or (len(feature) > 1 and not feature.isdigit())


def _slots(text: str) -> Iterator[tuple[int, int, str]]:
    """Values by their places; where two overlap, the kind that says more."""
    taken: list[tuple[int, int, str]] = []
    for kind in _KINDS:
        for found in extract(kind, text):
            if kind == "number" and not any("0" <= letter <= "9" for letter in text[found.start : found.end]):
                continue  # 一份, 三点: words
            if all(found.end <= start or found.start >= end for start, end, _ in taken):
                taken.append((found.start, found.end, SLOT + kind))
    return iter(sorted(taken))


def _segmented(text: str) -> list[str]:
    words = []
    for word in _segmenter().cut(fold(text).text):
        word = word.strip()
        if word and any(letter.isalnum() for letter in word):
            words.append(word)
    return words


def _bare_number(word: str) -> bool:
    return word.isdigit()
