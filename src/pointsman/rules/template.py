"""Sentence templates: the whole text has this form. `(a|b)` is one of several, `[a]` may be there, `(a;b)` is both in
either order, `{slot}` is one of the rule's `slots`, or something of a kind that the extractors know, such as `{period}`;
`{kind:name}` gives a slot another name.

The form is hassil's (Home Assistant's), and its reader reads it. Matching is by RE2, in time linear in the text: before
that, everything that a slot of a kind may hold is found and stands as one character, so that 上周五 is one piece however
it is written.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import re2

from pointsman.domain.extract import KINDS
from pointsman.domain.rule import Group
from pointsman.domain.said import Said, said
from pointsman.rules.extracts import Finds
from pointsman.rules.fold import Folded, fold
from pointsman.rules.literals import required_literals
from pointsman.rules.whole import core

Place = tuple[int, int]
ANYTHING = "*"
"""As the only value of a slot: any text."""
LONGEST = 400
"""Characters of a text that templates are tried on; a longer one has none of these forms."""
_STANDS_FOR = 0xE000  # private use: one character for each kind
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_ORDERS = 4
_NAME = re.compile(r"[^\W\d]\w*")


class BadTemplate(ValueError):
    """A template that cannot be read. The message (`args[0]`) is for the author."""


class Template:
    """A template, compiled. Raises BadTemplate."""

    def __init__(self, value: str, slots: Mapping[str, tuple[str, ...]]) -> None:
        writer = _Writer(value, slots)
        source = writer.source()
        self.names = tuple(dict.fromkeys(writer.names.values()))
        self._finds = [Finds(kind) for kind in dict.fromkeys(writer.kinds)]
        options = re2.Options()
        options.log_errors = False
        try:
            self._compiled: Any = re2.compile(f"^(?:{source})$", options)
        except re2.error as error:
            raise BadTemplate(said("is too large: {reason}", "太大：{reason}", reason=str(error))) from None
        if self._compiled.search("") is not None:
            raise BadTemplate(said("takes the empty text", "能匹配空文本"))
        self._groups = [(name, self._compiled.groupindex[group]) for group, name in writer.names.items()]
        self.literals = required_literals(_PRIVATE.sub(".", source))

    def slots(self, folded: Folded) -> Iterator[tuple[str, Place]]:
        """What each of its slots holds in the text, where the text has this form."""
        found = self._match(folded)
        if found is None:
            return
        match, places = found
        for name, group in self._groups:
            start, end = match.span(group)
            if start >= 0:
                held = folded.text[places[start] : places[end]]
                yield name, (places[start], places[end] - len(held) + len(held.rstrip()))

    def occurrences(self, folded: Folded) -> Iterator[Place]:
        place = self.first(folded)
        if place is not None:
            yield place

    def first(self, folded: Folded) -> Place | None:
        if self._match(folded) is None:
            return None
        _, start, end = core(folded.text)
        return start, end

    def occurs(self, folded: Folded) -> bool:
        return self._match(folded) is not None

    def _match(self, folded: Folded) -> tuple[Any, list[int]] | None:
        """The match, and for each place of the text that was matched its place in the folded one."""
        if len(folded.text) > LONGEST:
            return None
        if self.literals is not None and not any(literal in folded.text for literal in self.literals):
            return None  # a word of it that stands apart is not that word
        _, start, end = core(folded.text)
        text, places = self._pieces(folded, start, end)
        match = self._compiled.search(text)
        return None if match is None else (match, places)

    def _pieces(self, folded: Folded, start: int, end: int) -> tuple[str, list[int]]:
        text = _PRIVATE.sub("\ufffd", folded.text)
        finds = []
        for kind in self._finds:
            for find in kind.of(folded.source):
                finds.append((folded.place(find.start), -folded.place(find.end), kind.kind))
        pieces: list[tuple[str, int]] = []
        at = start
        for begin, minus_end, name in sorted(finds):
            if begin >= at and -minus_end <= end:
                pieces += zip(text[at:begin], range(at, begin), strict=True)
                pieces.append((_sign(name), begin))
                at = -minus_end
        pieces += zip(text[at:end], range(at, end), strict=True)
        kept = [piece for number, piece in enumerate(pieces) if not _idle_space(pieces, number)]
        return "".join([character for character, _ in kept]), [*(place for _, place in kept), end]


def _idle_space(pieces: list[tuple[str, int]], number: int) -> bool:
    """White space beside a character of a script that puts none between words."""
    if not pieces[number][0].isspace():
        return False
    return any(0 <= beside < len(pieces) and pieces[beside][0] >= "\u2e80" for beside in (number - 1, number + 1))


def slot_names(groups: Iterable[Group]) -> list[str]:
    """The slots that an answer may use: the names of the groups, and those in their templates."""
    names = []
    for group in groups:
        names.append(group.name)
        for term in group.terms:
            if term.kind == "template":
                names += Template(term.value, term.slots).names
    return names


def _sign(kind: str) -> str:
    return chr(_STANDS_FOR + KINDS.index(kind))


class _Writer:
    """hassil's tree of a template → the source of a regular expression."""

    def __init__(self, value: str, slots: Mapping[str, tuple[str, ...]]) -> None:
        self._value = value
        self._slots = slots
        self.names: dict[str, str] = {}
        """Capturing groups, and the slot that each fills."""
        self.kinds: list[str] = []

    def source(self) -> str:
        # Read here and not at the top: this reader takes longer to load than all else of the rules.
        from hassil.parse_expression import parse_sentence
        from hassil.parser import ParseError

        try:
            sentence = parse_sentence(self._value)
        except (ParseError, ValueError, IndexError) as error:
            raise BadTemplate(
                said("cannot be read: {reason}", "无法读懂：{reason}", reason=str(error) or type(error).__name__)
            ) from None
        return r"\s*" + self._of(sentence.expression) + r"\s*"

    def _of(self, part: Any) -> str:
        kind = type(part).__name__
        if kind == "TextChunk":
            return _text(part.text)
        if kind == "ListReference":
            return self._slot(part.list_name, part._slot_name or part.list_name)
        if kind == "Permutation":
            if len(part.items) > _ORDERS:
                raise BadTemplate(
                    said("has more than {most} parts in any order", "任意顺序的部分超过 {most} 个", most=_ORDERS)
                )
            orders = ["".join(map(self._of, order)) for order in itertools.permutations(part.items)]
            return f"(?:{'|'.join(orders)})"
        if kind == "Alternative":
            return f"(?:{'|'.join(self._of(item) for item in part.items)})"
        if kind == "Sequence":
            return "".join(self._of(item) for item in part.items)
        if kind == "RuleReference":
            raise BadTemplate(
                said(
                    "<{name}> stands for another template, which is not possible here",
                    "<{name}> 引用了另一个模板，这里不支持",
                    name=part.rule_name,
                )
            )
        raise BadTemplate(said("cannot be read: {reason}", "无法读懂：{reason}", reason=kind))

    def _slot(self, name: str, called: str) -> str:
        values = self._slots.get(name)
        if values is None and name not in KINDS:
            raise BadTemplate(_no_slot(name, self._slots))
        if not _NAME.fullmatch(called):
            raise BadTemplate(said("{name!r} cannot name a slot", "{name!r} 不能作占位符的名字", name=called))
        group = f"s{len(self.names)}"
        self.names[group] = called
        if values is None:
            self.kinds.append(name)
            return f"(?P<{group}>{_sign(name)})"
        if values == (ANYTHING,):
            return f"(?P<{group}>.+?)"
        return f"(?P<{group}>{'|'.join(_text(value) for value in sorted(values, key=len, reverse=True))})"


def _no_slot(name: str, slots: Mapping[str, tuple[str, ...]]) -> Said:
    return said(
        "has an unknown slot {{{name}}} (valid: {valid})",
        "有不认识的占位符 {{{name}}}（合法取值：{valid}）",
        name=name,
        valid=", ".join([*slots, *KINDS]),
    )


def _text(text: str) -> str:
    """A piece of a template. White space is as much as one likes, and none beside Chinese; between letters or digits of
    a word there is an edge of it."""
    folded = fold(text).text
    pieces = re.split(r"\s+", folded)
    out = re2.escape(pieces[0]) if pieces[0] else ""
    for before, piece in itertools.pairwise(pieces):
        left = r"\b" if before[-1:].isascii() and before[-1:].isalnum() else ""
        right = r"\b" if piece[:1].isascii() and piece[:1].isalnum() else ""
        out += rf"{left}\s*{right}" + (re2.escape(piece) if piece else "")
    return out
