"""Which of many terms occur in a text, in one pass over it.

- Words of word characters only: split the text into words and intersect (exact boundaries for free).
- All other literals, and the literals that each regex cannot match without: one Aho-Corasick automaton, overlapping.
- Whole texts: one dictionary look-up.

Overlapping hits of nested literals (报, 报表, 销售报表 … or a, aa, aaa …) could grow with text × nesting. Three bounds
keep the pass linear and the answer exact: at most `_DEPTH` literals of the automaton end at one place (deeper ones are
found through their suffix and then verified); very long literals are found through their beginning; and where a text
gives more than `_HITS` hits, so many of them repeats that searching for the few literals left over one by one is
cheaper than the hits to come, that is done (behind a filter of character pairs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import ahocorasick_rs
import numpy as np
import numpy.typing as npt

from pointsman.rules.fold import Folded
from pointsman.rules.terms import Finder, Regex, Whole, Word
from pointsman.rules.whole import core

_DEPTH = 8
_LONG = 64
_HEAD = 32
_WINDOW = 2048
_HITS = 16384
_HIT_COST = 500  # a hit of the automaton costs as much as searching this many characters for one literal


class Seen(NamedTuple):
    """Ids of terms. `found` occur for certain. `possible` may occur: their literal does, so they must be verified."""

    found: set[int]
    possible: set[int]


class Index:
    """Immutable after construction; `scan` may be called from many threads. `decided[i]` is False where term i is only
    ever reported as possible; `unanchored` holds regexes that have no literal and so are possible in every text."""

    def __init__(self, terms: Sequence[Finder]) -> None:
        self.decided = [True] * len(terms)
        self.unanchored: set[int] = set()
        self._tokens: dict[str, int] = {}
        self._whole: dict[str, list[int]] = {}
        words: dict[str, int] = {}
        literals: dict[str, list[int]] = {}
        for number, term in enumerate(terms):
            if isinstance(term, Whole):
                for key in term.keys:
                    self._whole.setdefault(key, []).append(number)
            elif isinstance(term, Regex):
                self.decided[number] = False
                if term.literals is None:
                    self.unanchored.add(number)
                for literal in term.literals or ():
                    literals.setdefault(literal, []).append(number)
            elif term.token:
                self._tokens[term.text] = number
            elif len(term.text) > _LONG:
                self.decided[number] = False
                literals.setdefault(term.text[:_HEAD], []).append(number)
            else:
                words[term.text] = number
        self._keys = frozenset(self._tokens)
        self._longest_whole = max(map(len, self._whole), default=-1)
        depths = _depths({*words, *literals})
        for text, number in list(words.items()):
            if depths[text] > _DEPTH:
                self.decided[number] = False
                del words[text]
                literals.setdefault(text, []).append(number)
        for text in [text for text in literals if depths[text] > _DEPTH]:
            shallow = _shallow(text, depths)
            literals[shallow] = literals.get(shallow, []) + literals.pop(text)
        self._build(terms, words, literals)

    def _build(self, terms: Sequence[Finder], words: dict[str, int], literals: dict[str, list[int]]) -> None:
        """Patterns of the automaton: a free word settles its term, a bounded one needs its neighbours looked at, a
        literal makes terms possible. The same string may stand twice, as a bounded word and as a literal."""
        self._patterns: list[str] = []
        self._left: list[bool] = []
        self._right: list[bool] = []
        self._term: list[int] = []
        self._possible: list[tuple[int, ...]] = []
        for text, number in words.items():
            term = terms[number]
            assert isinstance(term, Word)
            free = not (term.left or term.right)
            also = tuple(literals.pop(text, ())) if free else ()
            self._add(text, term.left, term.right, number, also)
        for text, numbers in literals.items():
            self._add(text, False, False, -1, tuple(numbers))
        self._bounded = [left or right for left, right in zip(self._left, self._right, strict=True)]
        self._overlap = max(map(len, self._patterns), default=1) - 1
        self._automaton = ahocorasick_rs.AhoCorasick(self._patterns, store_patterns=False) if self._patterns else None
        self._pairs = np.array([_ends(text) for text in self._patterns], dtype=np.uint16).reshape(-1, 2)

    def _add(self, text: str, left: bool, right: bool, term: int, possible: tuple[int, ...]) -> None:
        self._patterns.append(text)
        self._left.append(left)
        self._right.append(right)
        self._term.append(term)
        self._possible.append(possible)

    def scan(self, folded: Folded) -> Seen:
        """Every term that occurs in `folded`, as found or as possible. Linear in the text."""
        found: set[int] = set()
        possible = set(self.unanchored)
        if self._keys:
            for word in self._keys.intersection(folded.words.split()):
                found.add(self._tokens[word])
        if self._whole:
            key = core(folded.text).key
            if len(key) <= self._longest_whole:
                found.update(self._whole.get(key, ()))
        if self._automaton is not None:
            for pattern in self._occurring(folded):
                number = self._term[pattern]
                if number >= 0:
                    found.add(number)
                if self._possible[pattern]:
                    possible.update(self._possible[pattern])
        return Seen(found, possible)

    def _occurring(self, folded: Folded) -> set[int]:
        text = folded.text
        length = len(text)
        seen: set[int] = set()
        assert self._automaton is not None
        if length <= _WINDOW:
            self._take(self._automaton.find_matches_as_indexes(text, overlapping=True), 0, folded, seen)
            return seen
        hits, budget = 0, _HITS
        for start in range(0, length, _WINDOW):
            base = max(0, start - self._overlap)
            window = self._automaton.find_matches_as_indexes(text[base : start + _WINDOW], overlapping=True)
            self._take(window, base, folded, seen)
            hits += len(window)
            if hits > budget:
                budget *= 2
                left = self._left_over(text, seen)
                ahead = hits / (start + _WINDOW) * (length - start)
                if len(left) * length < ahead * _HIT_COST:
                    self._one_by_one(folded, left, seen)
                    break
        return seen

    def _take(self, hits: list[tuple[int, int, int]], base: int, folded: Folded, seen: set[int]) -> None:
        words = folded.words
        length = len(words)
        bounded, lefts, rights = self._bounded, self._left, self._right
        for pattern, start, end in hits:
            if pattern in seen:
                continue
            if bounded[pattern]:
                start += base
                end += base
                if (lefts[pattern] and start and words[start - 1] != " ") or (
                    rights[pattern] and end < length and words[end] != " "
                ):
                    continue  # another occurrence may stand free
            seen.add(pattern)

    def _left_over(self, text: str, seen: set[int]) -> list[int]:
        """Patterns not seen yet that may occur: their first and their last pair of characters do."""
        units = np.frombuffer(text.encode("utf-16-le"), "<u2")
        there = np.zeros(0x10000, dtype=bool)
        there[0] = True
        there[_hash(units[:-1], units[1:])] = True
        possible = np.flatnonzero(there[self._pairs[:, 0]] & there[self._pairs[:, 1]]).tolist()
        return [pattern for pattern in possible if pattern not in seen]

    def _one_by_one(self, folded: Folded, patterns: list[int], seen: set[int]) -> None:
        for pattern in patterns:
            text = self._patterns[pattern]
            place = folded.text.find(text)
            while place >= 0:
                self._take([(pattern, place, place + len(text))], 0, folded, seen)
                place = -1 if pattern in seen else folded.text.find(text, place + 1)


def _hash(first: npt.NDArray[np.uint16], second: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    return (first * np.uint16(40503)) ^ second


def _ends(text: str) -> tuple[int, int]:
    """Hashes of the first and last pair of UTF-16 units. One unit alone has none: 0, which `there` always holds."""
    units = np.frombuffer(text.encode("utf-16-le"), "<u2")
    if len(units) < 2:
        return 0, 0
    pairs = _hash(units[:-1], units[1:])
    return int(pairs[0]), int(pairs[-1])


def _depths(texts: set[str]) -> dict[str, int]:
    """For each text, how many of the texts end wherever it ends: itself and those that are its suffixes."""
    depths: dict[str, int] = {}
    for text in sorted(texts, key=len):
        suffix = next((text[cut:] for cut in range(1, len(text)) if text[cut:] in texts), None)
        depths[text] = 1 if suffix is None else depths[suffix] + 1
    return depths


def _shallow(text: str, depths: dict[str, int]) -> str:
    """The longest suffix of `text` among the texts that is not nested too deep."""
    for cut in range(1, len(text)):
        if depths.get(text[cut:], _DEPTH + 1) <= _DEPTH:
            return text[cut:]
    return text
