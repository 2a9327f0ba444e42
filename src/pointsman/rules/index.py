"""Which of many terms occur in a text, in one pass over it.

- Words of word characters only: split the text into words and intersect (exact boundaries for free).
- All other literals, and the literals that each regex cannot match without: one Aho-Corasick automaton, overlapping.
- Whole texts: one dictionary look-up.

Overlapping hits of nested literals (报, 报表, 销售报表 … or a, aa, aaa …) could grow with text × nesting. Three bounds
keep the pass linear and the answer exact: at most `_DEPTH` literals of the automaton end at one place (deeper ones are
found through their suffix and then verified); very long literals are found through their beginning; and where a text
gives more than `_HITS` hits, so many of them repeats that searching for the few literals left over one by one is
cheaper than the hits to come, that is done (behind a filter of characters).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import ahocorasick_rs

from pointsman.rules.characters import blanked, word_after, word_before
from pointsman.rules.extracts import Extracted
from pointsman.rules.fold import Folded
from pointsman.rules.glance import Glance
from pointsman.rules.terms import Finder, Verified, Whole, Word
from pointsman.rules.whole import core

_NONE = -1
_DEPTH = 8
_LONG = 64
_HEAD = 32
_WINDOW = 4096
_SPLIT = 1 << 16
_HITS = 16384
_HIT_COST = 500  # a hit of the automaton costs as much as searching this many characters for one literal


class Index:
    """Immutable after construction; `scan` may be called from many threads. `decided[i]` is False where term i is only
    ever reported as possible; `unanchored` holds regexes that have no literal and so are possible in every text."""

    def __init__(self, terms: Sequence[Finder], pause: Callable[[], None] = lambda: None) -> None:
        self.decided = [True] * len(terms)
        self.unanchored: set[int] = set()
        self._tokens: dict[bytes, int] = {}
        self._whole: dict[str, list[int]] = {}
        extracts: list[tuple[str, int]] = []
        words: dict[str, int] = {}
        literals: dict[str, list[int]] = {}
        for number, term in enumerate(terms):
            pause()
            if isinstance(term, Whole):
                for key in term.keys:
                    self._whole.setdefault(key, []).append(number)
            elif isinstance(term, Extracted):
                self.decided[number] = False
                extracts.append((term.kind, number))
            elif isinstance(term, Verified):
                self.decided[number] = False
                if term.literals is None:
                    self.unanchored.add(number)
                for literal in term.literals or ():
                    literals.setdefault(literal, []).append(number)
            elif term.token:
                self._tokens[term.text.encode()] = number
            elif len(term.text) > _LONG:
                self.decided[number] = False
                literals.setdefault(term.text[:_HEAD], []).append(number)
            else:
                words[term.text] = number
        self._glance = Glance(extracts)
        self.unanchored.update(self._glance.always)
        self._keys = frozenset(self._tokens)
        self._longest_whole = max(map(len, self._whole), default=-1)
        depths = _depths({*words, *literals}, pause)
        for text, number in list(words.items()):
            if depths[text] > _DEPTH:
                self.decided[number] = False
                del words[text]
                literals.setdefault(text, []).append(number)
        for text in [text for text in literals if depths[text] > _DEPTH]:
            shallow = _shallow(text, depths)
            literals[shallow] = literals.get(shallow, []) + literals.pop(text)
        self._build(terms, words, literals, pause)

    def _build(
        self,
        terms: Sequence[Finder],
        words: dict[str, int],
        literals: dict[str, list[int]],
        pause: Callable[[], None],
    ) -> None:
        """Patterns of the automaton: a free word settles its term, a bounded one needs its neighbours looked at, a
        literal makes terms possible. The same string may stand twice, as a bounded word and as a literal."""
        self._patterns: list[bytes] = []
        self._bounded: dict[int, Word] = {}
        self._term: list[int] = []
        self._possible: dict[int, tuple[int, ...]] = {}
        for text, number in words.items():
            pause()
            term = terms[number]
            assert isinstance(term, Word)
            bounded = term.left or term.right
            also = () if bounded else tuple(literals.pop(text, ()))
            self._add(text, term if bounded else None, number, also)
        for text, numbers in literals.items():
            self._add(text, None, _NONE, tuple(numbers))
        self._edged = frozenset(self._bounded)
        self._meant = [(term, self._possible.get(pattern, ())) for pattern, term in enumerate(self._term)]
        self._overlap = max(map(len, self._patterns), default=1) - 1
        self._automaton = ahocorasick_rs.BytesAhoCorasick(self._patterns) if self._patterns else None

    def _add(self, text: str, bounded: Word | None, term: int, possible: tuple[int, ...]) -> None:
        pattern = len(self._patterns)
        self._patterns.append(text.encode())
        self._term.append(term)
        if bounded is not None:
            self._bounded[pattern] = bounded
        if possible:
            self._possible[pattern] = possible

    def scan(self, folded: Folded) -> tuple[set[int], set[int]]:
        """Ids of the terms that occur in `folded`: those found for certain, and those that are possible, because their
        literal occurs, and must be verified. Linear in the text."""
        found: set[int] = set()
        possible = set(self.unanchored)
        if there := self._glance.possible(folded.data):
            possible.update(there)
        if self._keys:
            words = self._words(blanked(folded.text, folded.data, folded.simple))
            if words:
                found.update(map(self._tokens.__getitem__, words))
        if self._whole:
            key = core(folded.text)[0]
            if len(key) <= self._longest_whole and (whole := self._whole.get(key)):
                found.update(whole)
        if self._automaton is not None:
            patterns = self._occurring(folded, self._automaton)
            for pattern in patterns:
                term, hinted = self._meant[pattern]
                if term != _NONE:
                    found.add(term)
                if hinted:
                    possible.update(hinted)
        return found, possible

    def _words(self, data: bytes) -> Set[bytes]:
        """Keys among the words of `data`, which has blanks between them."""
        if len(data) <= _SPLIT:
            return self._keys.intersection(data.split())
        words: set[bytes] = set()
        start = 0
        while start < len(data):
            end = data.find(b" ", start + _SPLIT) + 1 or len(data)
            words |= self._keys.intersection(data[start:end].split())
            start = end
        return words

    def _occurring(self, folded: Folded, automaton: ahocorasick_rs.BytesAhoCorasick) -> Set[int]:
        data = folded.data
        length = len(data)
        seen: set[int] = set()
        if length <= _WINDOW:
            hits = automaton.find_matches_as_indexes(data, overlapping=True)
            if hits:
                self._take(hits, 0, data, seen)
            return seen
        there: set[str] = set()
        count, budget = 0, _HITS
        for start in range(0, length, _WINDOW):
            base = max(0, start - self._overlap)
            hits = automaton.find_matches_as_indexes(data[base : start + _WINDOW], overlapping=True)
            self._take(hits, base, data, seen)
            count += len(hits)
            if count > budget:
                budget *= 2
                ahead = count / (start + _WINDOW) * (length - start)
                left = self._left_over(folded.text, there, seen, ahead * _HIT_COST / len(folded.text))
                if left is not None:
                    self._one_by_one(folded, left, seen)
                    break
        return seen

    def _take(self, hits: list[tuple[int, int, int]], base: int, data: bytes, seen: set[int]) -> None:
        """Add the patterns of the hits to `seen`; bounded ones where a hit stands free."""
        new = {hit[0] for hit in hits} - seen
        if not self._edged.isdisjoint(new):
            edged = new & self._edged
            new -= edged
            for pattern, start, end in hits:
                if pattern in edged:
                    word = self._bounded[pattern]
                    if not (
                        (word.left and word_before(data, base + start)) or (word.right and word_after(data, base + end))
                    ):
                        new.add(pattern)
                        edged.discard(pattern)
        seen |= new

    def _left_over(self, text: str, there: set[str], seen: set[int], limit: float) -> list[int] | None:
        """Patterns not seen yet that may occur; None where there are `limit` or more. Where too many are not seen, those
        that have a character that the text lacks do not count (`there` keeps its characters for the next time)."""
        if len(self._patterns) - len(seen) < limit:
            return [number for number in range(len(self._patterns)) if number not in seen]
        for start in range(0, 0 if there else len(text), _SPLIT):
            there.update(text[start : start + _SPLIT])
        left = []
        for number, pattern in enumerate(self._patterns):
            if number not in seen and there.issuperset(pattern.decode()):
                left.append(number)
                if len(left) >= limit:
                    return None
        return left

    def _one_by_one(self, folded: Folded, patterns: list[int], seen: set[int]) -> None:
        for number in patterns:
            word = self._bounded.get(number)
            if word is None:
                occurs = self._patterns[number].decode() in folded.text
            else:
                occurs = next(word.occurrences(folded), None) is not None
            if occurs:
                seen.add(number)


def _depths(texts: set[str], pause: Callable[[], None]) -> dict[str, int]:
    """For each text, how many of the texts end wherever it ends: itself and those that are its suffixes."""
    depths: dict[str, int] = {}
    for text in sorted(texts, key=len):
        pause()
        suffix = next((text[cut:] for cut in range(1, len(text)) if text[cut:] in texts), None)
        depths[text] = 1 if suffix is None else depths[suffix] + 1
    return depths


def _shallow(text: str, depths: dict[str, int]) -> str:
    """The longest suffix of `text` among the texts that is not nested too deep."""
    for cut in range(1, len(text)):
        if depths.get(text[cut:], _DEPTH + 1) <= _DEPTH:
            return text[cut:]
    return text
