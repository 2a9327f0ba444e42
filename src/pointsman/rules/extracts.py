"""A term that is something of a kind (an amount, a phone number, an SQL statement), wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.domain.extract import Extract
from pointsman.rules.fold import Folded

Place = tuple[int, int]

TAGS: dict[str, tuple[str, ...]] = {
    "sql": ("destructive", "mysql", "postgres", "sqlite", "tsql", "oracle"),
}
"""What a find may be besides its own `of`, by kind."""
_WINDOW, _OVERLAP = 15_000, 1_000  # characters; extractors read no more than 64 KB at once


class Finds:
    """Everything of a kind in a text, however long it is. The extractors are loaded with the first rule that needs them:
    that takes longer than all else of the rules."""

    def __init__(self, kind: str) -> None:
        from pointsman.extractors import extract, may_hold

        self.kind = kind
        self._extract, self._may_hold = extract, may_hold

    def of(self, text: str) -> Iterator[Extract]:
        """In order. A long text is read piece by piece; what is longer than a piece is found in part."""
        last = -1
        for start in range(0, max(len(text), 1), _WINDOW):
            piece = text[start : start + _WINDOW + _OVERLAP] if start or len(text) > _WINDOW else text
            if not self._may_hold(self.kind, piece.encode(errors="replace")):
                continue
            for find in self._extract(self.kind, piece):
                if start + find.start > last and (find.start < _WINDOW or len(piece) <= _WINDOW):
                    last = start + find.end - 1
                    yield find if not start else _moved(find, start)


class Extracted:
    """Finds of `kind`; where `of` is given, those that are one of them."""

    literals = None

    def __init__(self, kind: str, of: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.of = frozenset(of)
        self._finds = Finds(kind)

    def occurrences(self, folded: Folded) -> Iterator[Place]:
        for find in self.finds(folded.source):
            yield folded.place(find.start), folded.place(find.end)

    def first(self, folded: Folded) -> Place | None:
        return next(self.occurrences(folded), None)

    def occurs(self, folded: Folded) -> bool:
        return next(self.finds(folded.source), None) is not None

    def finds(self, text: str) -> Iterator[Extract]:
        for find in self._finds.of(text):
            if not self.of or not self.of.isdisjoint(tags(find, text)):
                yield find


def tags(find: Extract, text: str) -> set[str]:
    """What a rule may narrow a find down to: its own kind of kind, and, of SQL, its dialect and whether it destroys."""
    found = {find.of} if find.of is not None else set()
    if find.kind == "sql":
        from pointsman.extractors.sql import destructive, dialect

        statement = text[find.start : find.end]
        found.update(tag for tag in (dialect(statement), destructive(statement) and "destructive") if tag)
    return found


def _moved(find: Extract, by: int) -> Extract:
    return Extract(find.kind, find.start + by, find.end + by, find.value, find.of)
