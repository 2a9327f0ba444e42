"""Pieces of text around a question and retrieved text, laid over a message.

Retrieved text is not to be trusted: it may hold every piece of the template. So where it stands before the question,
the pieces that lead to the question are the last ones that there are; where it stands after, the question ends at the
first piece that ends it. What {any} stands for is the product's own text, and as short as it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pointsman.framing.literal import Literal, Where

UNTRUSTED = ("context", "history")
"""Holes for text that may hold anything."""
Pieces = Sequence[Literal | None]
"""None only at the ends, where a template begins or ends with a placeholder."""


class Shape:
    """`pieces` has one more than `holes`, which are "context", "history", "question" or "any"."""

    __slots__ = (
        "_asked",
        "_context",
        "_holes",
        "_pieces",
        "core",
        "first_characters",
        "head",
        "last_characters",
        "tail",
    )

    def __init__(self, pieces: Pieces, holes: Sequence[str]) -> None:
        self._pieces = pieces
        self._holes = tuple(holes)
        self._asked = holes.index("question")
        contexts = [index for index, hole in enumerate(holes) if hole in UNTRUSTED]
        self._context = contexts[-1] if contexts[-1] < self._asked else None
        self.first_characters = pieces[0].first_characters if pieces[0] else ""
        self.last_characters = pieces[-1].last_characters if pieces[-1] else ""
        self.head = pieces[0].head if pieces[0] else ""
        self.tail = pieces[-1].tail if pieces[-1] else ""
        self.core = max((piece.core for piece in pieces if piece), key=len)
        """What a message that fits begins with, ends with, and has somewhere."""

    def question(self, text: str, start: int, end: int) -> Where | None:
        """Where the question stands, white space and all, if these pieces make up the message between two positions."""
        if self._context is None:
            return self._question_first(text, start, end)
        led = self._led(text, start, end, self._context)
        return led[1] if led else None

    def contexts(self, text: str, start: int, end: int) -> tuple[Where, ...]:
        """Where what was retrieved stands, white space and all, if these pieces make up the message between two positions:
        as much as can be where a question is next to it, else as little."""
        if self._context is None:
            return self._contexts_after(text, start, end)
        led = self._led(text, start, end, self._context)
        at = _begins(text, start, end, self._pieces[0])
        if led is None or at is None:
            return ()
        found: list[Where] = []
        for hole in range(self._context):
            piece = self._pieces[hole + 1]
            where = piece.first(text, at, led[0]) if piece else None
            if where is None:
                return ()
            if self._holes[hole] == "context":
                found.append((at, where[0]))
            at = where[1]
        if self._holes[self._context] == "context":
            found.append((at, led[0]))
        return tuple(found)

    def _contexts_after(self, text: str, start: int, end: int) -> tuple[Where, ...]:
        pieces = self._pieces
        asked = self._question_first(text, start, end)
        lead = pieces[self._asked + 1]
        where = lead.first(text, asked[0], end) if asked and lead else None
        at = where[1] if where else None
        contexts = [hole for hole in range(self._asked + 1, len(self._holes)) if self._holes[hole] in UNTRUSTED]
        found: list[Where] = []
        for hole in range(self._asked + 1, contexts[-1] + 1):
            if at is None:
                return ()
            if hole == contexts[-1]:
                until = _back(text, at, end, pieces[hole + 1 : -1], pieces[-1])
                where = None if until is None else (until, until)
            else:
                piece = pieces[hole + 1]
                where = piece.first(text, at, end) if piece else None
            if where is None:
                return ()
            if self._holes[hole] == "context":
                found.append((at, where[0]))
            at = where[1]
        return tuple(found)

    def _led(self, text: str, start: int, end: int, context: int) -> tuple[int, Where] | None:
        """Where the piece that leads from context to question begins, and where the question stands."""
        pieces, asked = self._pieces, self._asked
        until = _back(text, start, end, pieces[asked + 1 : -1], pieces[-1])
        if until is None:
            return None
        lead, *rest = pieces[context + 1 : asked + 1]
        latest = _back(text, start, until, rest, None)
        if latest is None or lead is None:
            return None
        where = lead.last(text, start, latest)
        if where is None:
            return None
        since = _on(text, where[1], until, rest)
        begins = _begins(text, start, where[0], pieces[0])
        if since is None or begins is None or _on(text, begins, where[0], pieces[1 : context + 1]) is None:
            return None
        return where[0], (since, until)

    def _question_first(self, text: str, start: int, end: int) -> Where | None:
        pieces, asked = self._pieces, self._asked
        begins = _begins(text, start, end, pieces[0])
        since = None if begins is None else _on(text, begins, end, pieces[1 : asked + 1])
        stop = None if since is None else _back(text, since, end, (), pieces[-1])
        ends = pieces[asked + 1]
        if since is None or stop is None or ends is None:
            return None
        where = ends.first(text, since, stop)
        if where is None or _on(text, where[1], stop, pieces[asked + 2 : -1]) is None:
            return None
        return since, where[0]


def _begins(text: str, start: int, end: int, first: Literal | None) -> int | None:
    """The position after a piece that the message must begin with."""
    if first is None:
        return start
    where = first.at_start(text, start, end)
    return where[1] if where else None


def _on(text: str, at: int, end: int, pieces: Iterable[Literal | None]) -> int | None:
    """The position after these pieces, each at its first place."""
    for piece in pieces:
        where = piece.first(text, at, end) if piece else None
        if where is None:
            return None
        at = where[1]
    return at


def _back(text: str, start: int, end: int, pieces: Sequence[Literal | None], ending: Literal | None) -> int | None:
    """The position before these pieces, each at its last place, and before an `ending` that closes the message."""
    if ending is not None:
        where = ending.at_end(text, start, end)
        if where is None:
            return None
        end = where[0]
    for piece in reversed(pieces):
        where = piece.last(text, start, end) if piece else None
        if where is None:
            return None
        end = where[0]
    return end
