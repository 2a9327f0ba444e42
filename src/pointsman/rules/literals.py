"""Which plain strings a regex cannot match without. Only they are looked for in every text; the regex itself runs when
one of them is there. Everything not surely understood counts as "no literal known", which is slower but never wrong.
"""

from __future__ import annotations

from functools import lru_cache

from pointsman.rules.fold import fold
from pointsman.rules.regex import folded_source

_MANY = 32
_LONG = 32
_META = set("|()*+?{}[]^$.\\")


class _Unknown(Exception):
    """The pattern holds something that this reader does not know."""


@lru_cache(maxsize=4096)
def required_literals(source: str) -> frozenset[str] | None:
    """Folded strings, one of which is in every text that the pattern matches; None where no such set is known."""
    reader = _Reader(folded_source(source))
    try:
        found = reader.alternation()
        if reader.place != len(reader.text):
            return None
    except (_Unknown, IndexError):
        return None
    return None if found is None else frozenset(literal[:_LONG] for literal in found)


class _Reader:
    """A recursive descent over the RE2 syntax. Each method returns the literal set of what it read, or None."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def peek(self) -> str:
        return self.text[self.place] if self.place < len(self.text) else ""

    def take(self) -> str:
        character = self.text[self.place]
        self.place += 1
        return character

    def alternation(self) -> set[str] | None:
        branches = [self.sequence()]
        while self.peek() == "|":
            self.place += 1
            branches.append(self.sequence())
        union: set[str] = set()
        for branch in branches:
            if branch is None:
                return None
            union |= branch
        return union if len(union) <= _MANY else None

    def sequence(self) -> set[str] | None:
        choices: list[set[str]] = []
        run = ""
        while self.peek() not in ("", "|", ")"):
            atom = self.atom()
            least = self.repeat()
            literal = atom if isinstance(atom, str) else ""
            if literal and least == (1, 1):
                run += literal
                continue
            if literal and least[0]:
                run += literal
            if run:
                choices.append({run})
            run = literal if literal and least[0] else ""
            if isinstance(atom, set) and least[0]:
                choices.append(atom)
        if run:
            choices.append({run})
        return max(choices, key=lambda choice: (min(map(_worth, choice)), -len(choice)), default=None)

    def repeat(self) -> tuple[int, int | None]:
        """(least, most) times of the atom before; most None: unbounded."""
        character = self.peek()
        if character not in ("*", "+", "?", "{"):
            return 1, 1
        self.place += 1
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1), "{": (0, None)}[character]
        if character == "{":
            inside = self.until("}")
            first = inside.split(",")[0]
            if not first.isdigit() or not inside.replace(",", "").isdigit():
                raise _Unknown
            least = min(int(first), 1)
        if self.peek() == "?":
            self.place += 1
        if self.peek() in ("*", "+", "?", "{"):
            raise _Unknown
        return least, most

    def until(self, end: str) -> str:
        stop = self.text.index(end, self.place) if end in self.text[self.place :] else -1
        if stop < 0:
            raise _Unknown
        inside = self.text[self.place : stop]
        self.place = stop + 1
        return inside

    def atom(self) -> str | set[str] | None:
        """A str for a literal character, a set for a group, None for what could be many things or nothing."""
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            self.bracket()
            return None
        if character == "\\":
            return self.escape()
        if character in ".^$":
            return None
        if character in _META:
            raise _Unknown
        return _plain(character)

    def group(self) -> set[str] | None:
        if self.peek() == "?":
            self.place += 1
            kind = self.take()
            if kind == "P" and self.take() == "<":
                self.until(">")
            elif kind != ":":
                raise _Unknown
        inside = self.alternation()
        if self.take() != ")":
            raise _Unknown
        return inside

    def bracket(self) -> None:
        if self.peek() == "^":
            self.place += 1
        if self.peek() == "]":
            self.place += 1
        while (character := self.take()) != "]":
            if character == "\\":
                self.place += 1
            elif character == "[" and self.peek() == ":":
                self.until("]")

    def escape(self) -> str | None:
        character = self.take()
        if not character.isalnum():
            return _plain(character)
        if character in "dDsSwWbBAz":
            return None
        raise _Unknown


def _plain(character: str) -> str | None:
    """The character as the folded text spells it, where case folding can only mean one thing."""
    if character.isascii():
        return character.lower()
    return character if character == character.lower() == character.upper() == fold(character).text else None


def _worth(literal: str) -> float:
    """How rare a literal is, roughly: an ideograph says about as much as three letters."""
    return sum(1.0 if character.isascii() else 3.0 for character in literal)
