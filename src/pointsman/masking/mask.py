"""Texts → the same texts with placeholders for what they hold of some kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ahocorasick_rs
import msgspec
import re2

from pointsman.extractors import KINDS, Extract, extract
from pointsman.extractors.scan import MOST_FINDS

PERSONAL = ("secret", "id_card", "bank_card", "phone", "email")
"""What `mask: all` means. It is also the order in which one of two finds of the same length gives the name."""

_RANK = {kind: rank for rank, kind in enumerate(dict.fromkeys((*PERSONAL, *KINDS)))}
_SAME = frozenset(PERSONAL) - {"secret"}
_WINDOW = 12_000  # characters that an extractor is given at once: at most 48 KB, and it reads 64
_SHORTEST = 4  # characters of a value that is looked for elsewhere
_FEW = 16  # values that are looked for one by one
_OVERLAP = 4_000  # longer than any find, a private key among them
_PLACEHOLDER: Any = re2.compile(r"<[A-Z][A-Z_]*_[0-9]{1,9}>")

Find = Callable[[str, str], Sequence[Extract]]
"""(kind, text) → what the text holds of that kind."""


class Masked(msgspec.Struct, frozen=True):
    """`values` maps each placeholder to what it stands for, `counts` each kind to how many different values it had."""

    texts: tuple[str, ...]
    values: dict[str, str] = {}
    counts: dict[str, int] = {}


class _Span(msgspec.Struct, frozen=True, gc=False):
    start: int
    end: int
    kind: str
    value: Any


def mask(texts: Sequence[str], kinds: Sequence[str], find: Find = extract) -> Masked:
    """Every find becomes `<KIND_n>`, n counting in the order of the texts from 1: the same value has the same number in
    all of them, and no placeholder is one that stands in a text already. Of finds within each other the longest gives
    kind and value; finds that only overlap are taken as one. Where a personal value stands alone once more, it goes too,
    though nothing around it tells what it is: a password is one only behind the word for it."""
    found = [_merged([span for kind in kinds for span in _of_kind(kind, text, find)]) for text in texts]
    if not any(found):
        return Masked(tuple(texts))
    again = _again(texts, found)
    found = [_merged([*spans, *more]) if more else spans for spans, more in zip(found, again, strict=True)]
    names = _Names(texts)
    masked = tuple(_replaced(text, spans, names) for text, spans in zip(texts, found, strict=True))
    return Masked(masked, names.values, dict(names.counts))


class _Names:
    """Gives out the placeholders of one request."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.values: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self._taken = {name for text in texts if "<" in text for name in _PLACEHOLDER.findall(text)}
        self._numbers: Counter[str] = Counter()
        self._known: dict[tuple[str, str], str] = {}

    def of(self, span: _Span, written: str) -> str:
        """The placeholder of a value. Two ways to write one number are one value; it comes back as it stood first."""
        whole = isinstance(span.value, str) and span.kind in _SAME
        key = (span.kind, span.value if whole else written)
        name = self._known.get(key)
        while name is None:
            self._numbers[span.kind] += 1
            free = f"<{span.kind.upper()}_{self._numbers[span.kind]}>"
            if free not in self._taken:
                name = self._known[key] = free
                self.values[name] = written
                self.counts[span.kind] += 1
        return name


def _replaced(text: str, spans: list[_Span], names: _Names) -> str:
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], names.of(span, text[span.start : span.end])]
        at = span.end
    return "".join((*parts, text[at:]))


def _merged(found: list[_Span]) -> list[_Span]:
    """In order, disjoint."""
    found.sort(key=lambda span: (span.start, -span.end))
    merged: list[_Span] = []
    for span in found:
        if merged and span.start < merged[-1].end:
            merged[-1] = _joined(merged[-1], span)
        else:
            merged.append(span)
    return merged


def _joined(one: _Span, other: _Span) -> _Span:
    """Two finds that overlap as one: nothing of the shorter may stay. A value holds only for the find that it is of."""
    long, short = sorted((one, other), key=lambda span: (span.start - span.end, _RANK.get(span.kind, 99)))
    if long.start <= short.start and short.end <= long.end:
        return long
    return _Span(min(one.start, other.start), max(one.end, other.end), long.kind, None)


def _of_kind(kind: str, text: str, find: Find) -> Iterator[_Span]:
    """All finds. An extractor looks at the beginning of a long text only, and stops after so many finds; so it is given
    the text in windows that overlap, and what is behind its last find again."""
    at = 0
    while True:
        finds = find(kind, text[at : at + _WINDOW])
        for one in finds:
            yield _Span(at + one.start, at + one.end, kind, one.value)
        if len(finds) >= MOST_FINDS // 2:  # those that it leaves out count there, too
            at += finds[-1].end
        elif at + _WINDOW >= len(text):
            return
        else:
            at = _word_start(text, at + _WINDOW - _OVERLAP)


def _again(texts: Sequence[str], found: list[list[_Span]]) -> list[list[_Span]]:
    """Where values that were found stand alone in any of the texts, found there or not."""
    known: dict[str, _Span] = {}
    for text, spans in zip(texts, found, strict=True):
        for span in spans:
            if span.kind in PERSONAL and span.end - span.start >= _SHORTEST:
                known.setdefault(text[span.start : span.end], span)
    if not known:
        return [[] for _ in texts]
    places = _each_by_itself(list(known)) if len(known) <= _FEW else _all_at_once(list(known))
    return [
        [
            _Span(start, end, known[value].kind, known[value].value)
            for value, start, end in places(text)
            if not _joins(text, start) and not _joins(text, end)
        ]
        for text in texts
    ]


Places = Callable[[str], Iterator[tuple[str, int, int]]]
"""A text → where which of the values stands in it."""


def _each_by_itself(values: list[str]) -> Places:
    def places(text: str) -> Iterator[tuple[str, int, int]]:
        for value in values:
            at = text.find(value)
            while at >= 0:
                yield value, at, at + len(value)
                at = text.find(value, at + 1)

    return places


def _all_at_once(values: list[str]) -> Places:
    finder = ahocorasick_rs.AhoCorasick(values)

    def places(text: str) -> Iterator[tuple[str, int, int]]:
        for which, start, end in finder.find_matches_as_indexes(text, overlapping=True):
            yield values[which], start, end

    return places


def _joins(text: str, at: int) -> bool:
    """Whether a word or number goes on across that place."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isascii() and around.replace("_", "a").isalnum()


def _word_start(text: str, at: int) -> int:
    """At most 200 characters before `at`, where no word or number is cut in two."""
    for back in range(at, at - 200, -1):
        if not text[back - 1].isalnum():
            return back
    return at
