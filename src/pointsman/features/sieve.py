"""Which of many patterns does a text match? One pass over it tells of most."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import re2

from pointsman.features.wildcards import pieces

Marks = Collection[int]


class Sieve:
    """RE2 patterns by number, and one automaton for all of them.

    Wildcards would make that automaton huge, so it has the patterns only up to their first one. A pattern whose
    beginning it finds is searched for by itself.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._set = re2.Set.SearchSet()
        self._wild: list[Any] = []  # by mark; None where the mark says that the pattern matches
        self._marks: list[tuple[int, int]] = []  # by number: of its alternatives without and with a wildcard; -1: none
        for pattern in patterns:
            plain, wild, begins = pieces(pattern)
            self._marks.append(
                (self._add(plain, None) if plain else -1, self._add(begins, re2.compile(wild)) if wild else -1)
            )
        self._set.Compile()
        self._match = self._set._set.Match  # of bytes; what the library has around it costs more than it does

    def _add(self, pattern: str, wild: Any) -> int:
        self._wild.append(wild)
        return int(self._set.Add(pattern))

    def mark(self, number: int) -> int:
        """For a pattern without wildcards: what is among the marks when it matches."""
        plain, wild = self._marks[number]
        assert wild < 0
        return plain

    def look(self, data: bytes) -> Marks:
        """The marks of a text in UTF-8, which the other methods read. Linear in the text."""
        marks: Marks = self._match(data)
        return marks

    def holds(self, number: int, data: bytes, marks: Marks) -> bool:
        """Whether a pattern matches somewhere in the text."""
        plain, wild = self._marks[number]
        return plain in marks or (wild in marks and self._wild[wild].search(data) is not None)
