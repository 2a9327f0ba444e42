"""Words for the values of dimensions, taken out of a text. They may come from a database: anything may stand there."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping

import re2

from pointsman.domain.report import DimensionSpec
from pointsman.periods.fold import fold
from pointsman.planning.lexicon import DETAILS, FILLER_EN, FILLER_ZH, NOUNS
from pointsman.planning.places import PLACES
from pointsman.planning.words import PERIOD, Remaining

Pair = tuple[str, str]
"""A value as stored, and the word to print for it."""

_IDLE = frozenset((*FILLER_ZH, *FILLER_EN, *NOUNS, *DETAILS))
_LONGER = (*(word for word in _IDLE if len(word) > 1 and not word.isascii()), *PLACES)
_BEFORE = re2.compile(r"\b(?:for|in|from|of|at)$")
_AFTER = re2.compile(rf"^ *(?:$|[,.;!?{PERIOD}]|(?:as|by|in|for|from|please)\b)")


def take_values(
    remaining: Remaining,
    dimension: DimensionSpec,
    names: Mapping[str, str],
    measures: Collection[str],
    *,
    answer: bool = False,
) -> list[Pair]:
    """Strikes the words of the dimension's values, in the order of the text. `names` are those of all dimensions, and
    whose they are. A word that several values share means all of them.

    In an answer every word counts. In a request these do not, so that no chance word narrows the rows: one that names a
    dimension (门店: the stores, or the channel of that name), one that is a piece of a longer word (一 of 一份, 东 of 东北),
    and one that adds nothing elsewhere (数据, 公司, a), unless it stands where only a value does (公司客户, for A)."""
    owners = _owners(dimension)
    own_names = [name for name, whose in names.items() if whose == dimension.name]
    found = []
    for word in sorted((word for word in owners if word in remaining.text), key=len, reverse=True):
        if word in names and not answer:
            continue
        for _, start, end in remaining.places(word):
            if not answer and (
                remaining.within(start, end, (*_LONGER, *measures, *names))
                or ((word in _IDLE or word in measures) and not _stands_out(remaining, start, end, own_names))
            ):
                continue
            if remaining.stands_at(word, start):
                remaining.strike(start, end)
                found.append((start, owners[word]))
    return [pair for _, pairs in sorted(found) for pair in pairs]


@functools.lru_cache(maxsize=256)
def _owners(dimension: DimensionSpec) -> dict[str, tuple[Pair, ...]]:
    """Folded words and what they mean. A value's own name means that value, whatever else is called so."""
    own: dict[str, dict[Pair, None]] = {}
    other: dict[str, dict[Pair, None]] = {}
    for known in dimension.values:
        own.setdefault(fold(known.value), {})[known.value, known.value] = None
        for word in known.words:
            other.setdefault(fold(word), {})[known.value, word] = None
    owners = {}
    for word, pairs in {**other, **own}.items():
        values = dict.fromkeys(value for value, _ in pairs)
        if word.strip():
            owners[word] = tuple((value, value) for value in values) if len(values) > 1 else (next(iter(pairs)),)
    return owners


def _stands_out(remaining: Remaining, start: int, end: int, names: Collection[str]) -> bool:
    """Behind one of the names, or before it too where the word is Chinese (English articles stand there); or alone behind
    an English preposition."""
    before, word, after = (
        remaining.text[:start].rstrip(" "),
        remaining.text[start:end],
        remaining.text[end:].lstrip(" "),
    )
    if any(name and (_ends_with(before, name) or (not word.isascii() and after.startswith(name))) for name in names):
        return True
    return bool(word.isascii() and _BEFORE.search(before) and _AFTER.search(remaining.left[end:]))


def _ends_with(text: str, name: str) -> bool:
    head = text[: -len(name)][-1:]
    return text.endswith(name) and not (name.isascii() and head.isascii() and head.isalnum())
