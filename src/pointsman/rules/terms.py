"""Compiled terms: where exactly each kind of term occurs in a folded text. The index says quickly which ones can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pointsman.domain.rule import Term
from pointsman.rules.characters import is_word
from pointsman.rules.extracts import Extracted
from pointsman.rules.fold import Folded, fold
from pointsman.rules.literals import required_literals
from pointsman.rules.regex import compile_regex, folded_source, searcher
from pointsman.rules.template import Template
from pointsman.rules.whole import core, keys

Key = tuple[str, ...]
Place = tuple[int, int]  # a half-open range of a folded text


def term_key(term: Term) -> Key:
    """Two terms with the same key are one term: `PDF`, `pdf` and `ＰＤＦ` count once."""
    if term.kind == "regex":
        return "regex", folded_source(term.value)
    if term.kind == "extract":
        return "extract", term.value, *sorted(term.of)
    if term.kind == "template":
        return "template", term.value, repr(sorted(term.slots.items()))
    folded = fold(term.value).text.strip()
    if term.kind == "whole":
        return "whole", keys(folded)[0]
    return "word", folded


class Word:
    """A literal. Where an edge of it is a word character, its neighbour there must not be one. `token`: it is one word,
    of ASCII letters and digits."""

    def __init__(self, value: str) -> None:
        self.text = fold(value.strip()).text.strip()
        self.left = is_word(self.text[:1])
        self.right = is_word(self.text[-1:])
        self.token = self.left and self.text.isascii() and all(map(is_word, self.text))

    def occurrences(self, folded: Folded) -> Iterator[Place]:
        """Every valid place, overlapping ones too, in order."""
        text, size = folded.text, len(self.text)
        place = text.find(self.text)
        while place >= 0:
            after = place + size
            if not (
                (self.left and place and is_word(text[place - 1])) or (self.right and is_word(text[after : after + 1]))
            ):
                yield place, after
            place = text.find(self.text, place + 1)

    def first(self, folded: Folded) -> Place | None:
        if self.left or self.right:
            return next(self.occurrences(folded), None)
        place = folded.text.find(self.text)
        return (place, place + len(self.text)) if place >= 0 else None

    def occurs(self, folded: Folded) -> bool:
        return self.first(folded) is not None


class Regex:
    """An RE2 pattern. Its occurrences are the leftmost matches that do not overlap."""

    def __init__(self, source: str) -> None:
        self.compiled: Any = compile_regex(source)
        self._holds = searcher(self.compiled)
        self.literals = required_literals(source)

    def occurrences(self, folded: Folded) -> Iterator[Place]:
        plain = len(folded.data) == len(folded.text)
        for match in self.compiled.finditer(folded.data if plain else folded.text):
            yield match.span()

    def first(self, folded: Folded) -> Place | None:
        return next(self.occurrences(folded), None)

    def occurs(self, folded: Folded) -> bool:
        """Quicker than `first`."""
        return self._holds(folded.data)


class Whole:
    """The whole text; see `whole.py`."""

    def __init__(self, value: str) -> None:
        self.keys = keys(fold(value).text.strip())

    def first(self, folded: Folded) -> Place | None:
        key, start, end = core(folded.text)
        return (start, end) if key in self.keys else None

    def occurs(self, folded: Folded) -> bool:
        return core(folded.text)[0] in self.keys


Verified = Regex | Extracted | Template
"""Terms of which the index knows only that they are possible: `literals` are strings one of which they need, if known."""
Finder = Word | Whole | Verified


def compile_term(term: Term) -> Finder:
    """Raises regex.BadRegex for a pattern that RE2 refuses, template.BadTemplate for a template that cannot be read."""
    if term.kind == "regex":
        return Regex(term.value)
    if term.kind == "extract":
        return Extracted(term.value, term.of)
    if term.kind == "template":
        return Template(term.value, term.slots)
    return Whole(term.value) if term.kind == "whole" else Word(term.value)
