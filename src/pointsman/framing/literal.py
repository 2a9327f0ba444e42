"""A piece of text that a template has between its placeholders, and where it stands in a message."""

from __future__ import annotations

from typing import Literal as OneOf

Where = tuple[int, int]
"""Start and end of a piece in the message."""

_Kind = OneOf["exact", "one_of", "space", "spaces", "line"]
_Atoms = tuple[tuple[_Kind, str], ...]
_ALIKE = {each: pair for pair in (":：", ",，", ";；", "?？", "!！", "(（", ")）") for each in pair}
_LONGEST_SPACE = 200
_MOST_TRIES = 1000
"""A message in which a piece begins more often without being there is not searched further: time stays linear, and the
message counts as one without this frame."""


class Literal:
    """The same words in the same order. White space is flexible: where the piece has some, the message may have more;
    where it has a line break, so must the message. Half and full width of : , ; ? ! ( ) are one character."""

    __slots__ = (
        "_atoms",
        "_core_at",
        "_leads",
        "_trails",
        "core",
        "first_characters",
        "head",
        "last_characters",
        "tail",
    )

    def __init__(self, source: str) -> None:
        """Raises ValueError where nothing can be searched for (only punctuation or white space)."""
        bare = source.strip()
        self._leads = _breaks(source[: len(source) - len(source.lstrip())])
        self._trails = _breaks(source[len(source.rstrip()) :])
        self._atoms = _atoms(bare)
        exact = [index for index, (kind, _) in enumerate(self._atoms) if kind == "exact"]
        if not exact:
            raise ValueError(source)
        self._core_at = max(exact, key=lambda index: len(self._atoms[index][1]))
        self.core = self._atoms[self._core_at][1]
        """What cannot be missing where the piece stands, the longest of it."""
        self.head = self._atoms[0][1] if exact[0] == 0 else ""
        self.tail = self._atoms[-1][1] if exact[-1] == len(self._atoms) - 1 else ""
        self.first_characters = self.head[:1] or self._atoms[0][1]
        self.last_characters = self.tail[-1:] or self._atoms[-1][1]

    def at_start(self, text: str, start: int, end: int) -> Where | None:
        """Where it stands if the message begins with it."""
        after = _forward(text, start, end, self._atoms)
        after = _through_break(text, after, end) if self._trails and after >= 0 else after
        return (start, after) if after >= 0 else None

    def at_end(self, text: str, start: int, end: int) -> Where | None:
        """Where it stands if the message ends with it."""
        before = _backward(text, start, end, self._atoms)
        before = _back_to_break(text, start, before) if self._leads and before >= 0 else before
        return (before, end) if before >= 0 else None

    def first(self, text: str, start: int, end: int) -> Where | None:
        """Its first place between two positions."""
        at = start
        for _ in range(_MOST_TRIES):
            at = text.find(self.core, at, end)
            if at < 0:
                return None
            if where := self._around(text, at, start, end):
                return where
            at += 1
        return None

    def last(self, text: str, start: int, end: int) -> Where | None:
        """Its last place between two positions."""
        until = end
        for _ in range(_MOST_TRIES):
            at = text.rfind(self.core, start, until)
            if at < 0:
                return None
            if where := self._around(text, at, start, end):
                return where
            until = at + len(self.core) - 1
        return None

    def _around(self, text: str, core: int, start: int, end: int) -> Where | None:
        before = _backward(text, start, core, self._atoms[: self._core_at])
        if before < 0:
            return None
        after = _forward(text, core, end, self._atoms[self._core_at :])
        if after < 0:
            return None
        if self._leads:
            before = _back_to_break(text, start, before)
        if self._trails:
            after = _through_break(text, after, end)
        return (before, after) if before >= 0 and after >= 0 else None


def _breaks(space: str) -> bool:
    return "\n" in space or "\r" in space


def _atoms(source: str) -> _Atoms:
    atoms: list[tuple[_Kind, str]] = []
    at = 0
    while at < len(source):
        end = at
        while end < len(source) and source[end].isspace():
            end += 1
        if end > at:
            apart = source[at - 1].isalnum() and source[at - 1].isascii() and source[end].isalnum()
            atoms.append(("line" if _breaks(source[at:end]) else "spaces" if apart else "space", ""))
        elif source[at] in _ALIKE:
            atoms.append(("one_of", _ALIKE[source[at]]))
            end += 1
        else:
            while end < len(source) and not source[end].isspace() and source[end] not in _ALIKE:
                end += 1
            atoms.append(("exact", source[at:end]))
        at = end
    return tuple(atoms)


def _forward(text: str, at: int, end: int, atoms: _Atoms) -> int:
    """Where these atoms end if they begin here, or -1."""
    for kind, what in atoms:
        if kind == "exact":
            if not text.startswith(what, at, end):
                return -1
            at += len(what)
        elif kind == "one_of":
            if at >= end or text[at] not in what:
                return -1
            at += 1
        else:
            after = _space_after(text, at, end)
            if not _enough(kind, text[at:after]):
                return -1
            at = after
    return at


def _backward(text: str, start: int, at: int, atoms: _Atoms) -> int:
    """Where these atoms begin if they end here, or -1."""
    for kind, what in reversed(atoms):
        if kind == "exact":
            if not text.endswith(what, start, at):
                return -1
            at -= len(what)
        elif kind == "one_of":
            if at <= start or text[at - 1] not in what:
                return -1
            at -= 1
        else:
            before = _space_before(text, start, at)
            if not _enough(kind, text[before:at]):
                return -1
            at = before
    return at


def _enough(kind: _Kind, space: str) -> bool:
    return kind == "space" or (bool(space) if kind == "spaces" else _breaks(space))


def _space_after(text: str, at: int, end: int) -> int:
    end = min(end, at + _LONGEST_SPACE)
    while at < end and text[at].isspace():
        at += 1
    return at


def _space_before(text: str, start: int, at: int) -> int:
    start = max(start, at - _LONGEST_SPACE)
    while at > start and text[at - 1].isspace():
        at -= 1
    return at


def _through_break(text: str, at: int, end: int) -> int:
    """The position after the first line break, if only white space stands before it, or -1."""
    for here in range(at, _space_after(text, at, end)):
        if text[here] in "\r\n":
            return here + 1
    return -1


def _back_to_break(text: str, start: int, at: int) -> int:
    """The position of the last line break, if only white space stands after it, or -1."""
    for here in range(at - 1, _space_before(text, start, at) - 1, -1):
        if text[here] in "\r\n":
            return here
    return -1
