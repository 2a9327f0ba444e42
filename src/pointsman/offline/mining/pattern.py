"""A rule's condition on its way: groups of terms of which each must hold, and terms that must not occur."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import msgspec
import re2

from pointsman.offline.mining.corpus import Corpus, bits_of
from pointsman.offline.mining.parsed import FORMAT, SLOT


class Pattern(msgspec.Struct, frozen=True):
    """Terms are words, slots (`$period`) or RE2 patterns (`/…/`)."""

    groups: tuple[tuple[str, ...], ...]
    none: tuple[str, ...] = ()


class Terms:
    """Which questions of a corpus hold a term, as the rule engine sees it, apart from spellings that it sees through."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._bits: dict[str, int] = {}

    def bits(self, term: str) -> int:
        known = self._bits.get(term)
        if known is None:
            known = self._bits[term] = self._found(term)
        return known

    def any_of(self, terms: Iterable[str]) -> int:
        return reduce(lambda one, other: one | other, map(self.bits, terms), 0)

    def hits(self, pattern: Pattern) -> int:
        return self.holding(pattern.groups) & ~self.any_of(pattern.none)

    def holding(self, groups: Iterable[Iterable[str]]) -> int:
        return reduce(lambda one, other: one & other, map(self.any_of, groups), self._corpus.all)

    def _found(self, term: str) -> int:
        if term[0] == SLOT and term != FORMAT:
            return self._corpus.bits(term)
        parsed = self._corpus.parsed
        if is_regex(term) or (term[0].isascii() and term[0].isalnum()) or (term[-1].isascii() and term[-1].isalnum()):
            search: Any = re2.compile(term[1:-1] if is_regex(term) else bounded(term)).search
            return bits_of(place for place, each in enumerate(parsed) if search(each.folded) is not None)
        return bits_of(place for place, each in enumerate(parsed) if term in each.folded)


def is_regex(term: str) -> bool:
    return len(term) > 2 and term[0] == term[-1] == "/"


def bounded(word: str) -> str:
    """RE2's words are ASCII's, and so are the words that need an edge here."""
    quoted = re2.escape(word)
    return rf"{chr(92) + 'b' if word[0].isascii() else ''}{quoted}{chr(92) + 'b' if word[-1].isascii() else ''}"
