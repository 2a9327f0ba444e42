"""Taking a pattern apart at its wildcards (`.{0,40}`, `.*`), which make an automaton for many patterns huge."""

from __future__ import annotations

from typing import NamedTuple

_FLAGS = "imsU"


class Pieces(NamedTuple):
    """A pattern as two, either of which may be empty: it matches where `plain` does, or where a search for `wild` says
    so. `begins` matches wherever `wild` does, and has no wildcard: what stands before the first one."""

    plain: str
    wild: str
    begins: str


def pieces(pattern: str) -> Pieces:
    """The pattern (RE2 syntax, known to be valid) taken apart: its alternatives with and without a wildcard."""
    reader = _Reader(pattern)
    flags = reader.flags()
    plain: list[str] = []
    wild: list[str] = []
    begins: list[str] = []
    while True:
        start = reader.place
        beginning, cut = reader.sequence()
        (wild if cut else plain).append(pattern[start : reader.place])
        if cut:
            begins.append(beginning)
        if reader.place == len(pattern):
            break
        reader.place += 1
    return Pieces(*(flags + "|".join(found) if found else "" for found in (plain, wild, begins)))


class _Reader:
    """Each method returns what it read up to the first wildcard, and whether there was one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def flags(self) -> str:
        """Flags for the whole pattern, `(?is)`."""
        end = self.text.find(")") + 1
        if not self.text.startswith("(?") or self.text[2 : end - 1].strip(_FLAGS):
            return ""
        self.place = end
        return self.text[:end]

    def alternation(self) -> tuple[str, bool]:
        branches = [self.sequence()]
        while self.text.startswith("|", self.place):
            self.place += 1
            branches.append(self.sequence())
        return "|".join(branch for branch, _ in branches), any(cut for _, cut in branches)

    def sequence(self) -> tuple[str, bool]:
        read, done = "", False
        while self.place < len(self.text) and self.text[self.place] not in "|)":
            atom, cut = self.atom()
            times = self.repeat()
            if done:
                continue
            done = cut or times.startswith("{") or (atom == "." and times != "")
            if not done:
                read += atom + times
            elif cut and times == "":
                read += atom
        return read, done

    def repeat(self) -> str:
        start = self.place
        if self.text.startswith("{", self.place):
            self.place = self.text.index("}", self.place) + 1
        elif self.text.startswith(("*", "+", "?"), self.place):
            self.place += 1
        if self.place > start and self.text.startswith("?", self.place):
            self.place += 1
        return self.text[start : self.place]

    def atom(self) -> tuple[str, bool]:
        start = self.place
        character = self.text[start]
        self.place += 1
        if character == "(":
            if self.text.startswith("?", self.place):
                self.place = self.text.index(":", self.place) + 1
            head = self.text[start : self.place]
            inside, cut = self.alternation()
            self.place += 1
            return f"{head}{inside})", cut
        if character == "[":
            self._bracket()
        elif character == "\\":
            self._escape()
        return self.text[start : self.place], False

    def _bracket(self) -> None:
        self.place += self.text.startswith("^", self.place)
        self.place += self.text.startswith("]", self.place)
        while self.text[self.place] != "]":
            self.place += 2 if self.text[self.place] == "\\" else 1
        self.place += 1

    def _escape(self) -> None:
        kind = self.text[self.place]
        self.place += 1
        if kind in "xp":
            self.place = (
                self.text.index("}", self.place) + 1 if self.text.startswith("{", self.place) else self.place + 1
            )
