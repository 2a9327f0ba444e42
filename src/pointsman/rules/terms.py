"""Compiled terms: where exactly each kind of term occurs in a folded text. The index says quickly which ones can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pointsman.domain.rule import Term
from pointsman.rules.fold import Folded, fold
from pointsman.rules.literals import required_literals
from pointsman.rules.regex import compile_regex, folded_source
from pointsman.rules.whole import core, keys

Key = tuple[str, str]


def term_key(term: Term) -> Key:
    """Two terms with the same key are one term: `PDF`, `pdf` and `ＰＤＦ` count once."""
    if term.kind == "regex":
        return "regex", folded_source(term.value)
    folded = fold(term.value).text.strip()
    if term.kind == "whole":
        return "whole", keys(folded)[0]
    return "word", folded


class Word:
    """A literal. Where an edge of it is a word character (see `Folded.words`), its neighbour there must not be one."""

    def __init__(self, value: str) -> None:
        folded = fold(value.strip())
        self.text = folded.text.strip()
        words = fold(self.text).words
        self.left = words[:1] not in ("", " ")
        self.right = words[-1:] not in ("", " ")
        self.token = bool(words) and " " not in words

    def occurrences(self, folded: Folded, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Every valid place, overlapping ones too, that begins in [start, end), in order."""
        text, words, size = folded.text, folded.words, len(self.text)
        length = len(text)
        stop = length if end is None else min(length, end - 1 + size)
        place = text.find(self.text, start, stop)
        while place >= 0:
            after = place + size
            if not (
                (self.left and place and words[place - 1] != " ")
                or (self.right and after < length and words[after] != " ")
            ):
                yield place, after
            place = text.find(self.text, place + 1, stop)


class Regex:
    """An RE2 pattern. Its occurrences are the leftmost matches that do not overlap."""

    def __init__(self, source: str) -> None:
        self.compiled: Any = compile_regex(source)
        self.literals = required_literals(source)

    def occurrences(self, folded: Folded, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        for match in self.compiled.finditer(folded.text):
            first, last = match.span()
            if end is not None and first >= end:
                return
            if first >= start:
                yield first, last

    def occurs(self, folded: Folded) -> bool:
        return self.compiled.search(folded.text) is not None


class Whole:
    """The whole text; see `whole.py`."""

    def __init__(self, value: str) -> None:
        self.keys = keys(fold(value).text.strip())

    def occurrences(self, folded: Folded, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        key, first, last = core(folded.text)
        if key in self.keys and first >= start and (end is None or first < end):
            yield first, last


Finder = Word | Regex | Whole


def compile_term(term: Term) -> Finder:
    """Raises regex.BadRegex for a pattern that RE2 refuses."""
    if term.kind == "regex":
        return Regex(term.value)
    return Whole(term.value) if term.kind == "whole" else Word(term.value)
