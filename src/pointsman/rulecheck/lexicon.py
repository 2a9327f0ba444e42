"""The terms of a policy, each once, and what of them follows from what.

A word that occurs brings along every word that occurs in it: edges that a nested word shares are edges of the outer one,
and all others lie inside. So the words of a text are closed under `inside`; and each closed set is that of a text, in
which its words stand apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pointsman.domain.rule import Rule, Term
from pointsman.rules.fold import Folded, fold
from pointsman.rules.index import Index
from pointsman.rules.negation import negators
from pointsman.rules.terms import Finder, Key, Regex, Whole, Word, compile_term, term_key

_SNIPPETS = 3
_COMMAS = ("，", "。", "；", "！", "\n")
_ASCII_COMMAS = (", ", "; ", "! ", "\n")
_SPOKEN = ("嗯嗯", "呃呃", "喔喔", "噢噢", "话说", "¤¤")
_ASCII_SPOKEN = ("嗯嗯", "呃呃", "喔喔", "噢噢", "话说", "¤¤")
_ONE_OF = (
    (r"\\[bBAz]|(?<!\\)[\^$]", ""),
    (r"\\d", "1"),
    (r"\\w", "a"),
    (r"\\s", " "),
    (r"(?<!\\)\[\^[^]]*\]", "是"),
    (r"(?<!\\)\[([^]\\])[^]]*\]", r"\1"),
)
_CLOSERS = ("😀", "♪", "✿", "⌛", "☂")


class Lexicon:
    """Terms are known by number. Immutable, apart from what it remembers of its own answers."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.terms: list[Term] = []
        self.finders: list[Finder] = []
        self._ids: dict[Key, int] = {}
        for rule in rules:
            for term in (*(term for group in rule.groups for term in group.terms), *rule.none):
                key = term_key(term)
                if key not in self._ids:
                    self._ids[key] = len(self.terms)
                    self.terms.append(term)
                    self.finders.append(compile_term(term))
        self._index = Index(self.finders)
        self._inside: dict[int, frozenset[int]] = {}
        self._loud: dict[int, bool] = {}
        self._snippets: dict[int, list[str]] = {}
        self._examples: dict[int, list[str]] = {}
        for rule in rules:
            self._learn(rule)
        written = "".join(sorted({character for term in self.terms for character in fold(term.value).text}))
        self.closer = next((mark for mark in _CLOSERS if mark not in written), None)
        self.comma = _fresh(_COMMAS, written)
        self.ascii_comma = _fresh(_ASCII_COMMAS, written)
        self.filler = self._unheard(_SPOKEN)
        self.ascii_filler = self._unheard(_ASCII_SPOKEN)

    def number(self, term: Term) -> int:
        return self._ids[term_key(term)]

    def numbers(self, terms: Iterable[Term]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(map(self.number, terms)))

    def is_word(self, number: int) -> bool:
        return isinstance(self.finders[number], Word)

    def is_whole(self, number: int) -> bool:
        return isinstance(self.finders[number], Whole)

    def is_opaque(self, number: int) -> bool:
        """Of a regex, an extract or a template only itself is known to follow."""
        return not isinstance(self.finders[number], (Word, Whole))

    def word(self, number: int) -> str:
        finder = self.finders[number]
        assert isinstance(finder, Word)
        return finder.text

    def keys(self, number: int) -> tuple[str, ...]:
        """What the whole text may be where this `whole` term occurs."""
        finder = self.finders[number]
        assert isinstance(finder, Whole)
        return finder.keys

    def size(self, number: int) -> int:
        """Characters that a text with this term has at least."""
        finder = self.finders[number]
        if isinstance(finder, Word):
            return len(finder.text)
        return min(map(len, finder.keys)) if isinstance(finder, Whole) else 1

    def inside(self, number: int) -> frozenset[int]:
        """All that surely occurs where this one does, itself included."""
        found = self._inside.get(number)
        if found is None:
            found = frozenset((number,))
            if self.is_word(number):
                folded = fold(self.word(number))
                if folded.text == self.word(number):
                    found |= {other for other in self.occurring(folded) if self.is_word(other)}
            self._inside[number] = found
        return found

    def near(self, number: int) -> frozenset[int]:
        """What occurs in the text of a term, apart from how that text may go on."""
        if self.is_whole(number):
            return frozenset(self.occurring(fold(self.keys(number)[0]))) | {number}
        return self.inside(number)

    def begins(self, number: int, inner: int) -> bool:
        """Whether wherever the word `number` occurs, `inner` occurs at the same place."""
        if number == inner:
            return True
        if inner not in self.inside(number) or not self.is_word(inner):
            return False
        finder = self.finders[inner]
        assert isinstance(finder, Word)
        first = finder.first(fold(self.word(number)))  # which leaves it as it is, else nothing were inside
        return first is not None and first[0] == 0

    def loud(self, number: int) -> bool:
        """Whether a term holds a negator, or may."""
        known = self._loud.get(number)
        if known is None:
            known = self._loud[number] = self.is_opaque(number) or bool(negators(fold(self.terms[number].value)))
        return known

    def occurring(self, folded: Folded) -> set[int]:
        """All terms that occur in a text, exactly."""
        found, possible = self._index.scan(folded)
        return found | {number for number in possible if self.finders[number].occurs(folded)}

    def snippets(self, number: int) -> list[str]:
        """Texts in which an opaque term occurs, as short as they are known from cases, or from the term itself."""
        known = self._snippets.get(number)
        if known is None:
            known = self._snippets[number] = list(dict.fromkeys(self._guesses(number)))[:_SNIPPETS]
        return known

    def _guesses(self, number: int) -> Iterable[str]:
        finder = self.finders[number]
        for text in self._examples.get(number, ()):
            folded = fold(text)
            place = finder.first(folded)
            if place is None:
                continue
            start, end = folded.original(*place)
            yield text[start:end] if finder.occurs(fold(text[start:end])) else text
        if isinstance(finder, Regex):
            for guess in (*sorted(finder.literals or ()), _guess(self.terms[number].value)):
                if finder.occurs(fold(guess)):
                    yield guess

    def _learn(self, rule: Rule) -> None:
        """Remember a few cases in which an opaque term may occur."""
        opaque = [number for group in rule.groups for number in self.numbers(group.terms) if self.is_opaque(number)]
        if not opaque:
            return
        texts = [case.text for case in rule.cases if case.takes][:20]
        for number in opaque:
            self._examples.setdefault(number, []).extend(texts)

    def _unheard(self, fillers: Sequence[str]) -> str:
        """A word that says nothing: no term of the policy occurs in it."""
        return next((filler for filler in fillers if not self.occurring(fold(filler))), fillers[-1])


def _guess(pattern: str) -> str:
    """A text that a simple pattern may match: the first of all choices, and everything once. The pattern is the
    author's, so that Python's `re` may read it."""
    for one, text in _ONE_OF:
        pattern = re.sub(one, text, pattern)
    while (simpler := re.sub(r"\((?:\?:|\?P<\w+>)?([^()|]*)(?:\|[^()]*)?\)", r"\1", pattern)) != pattern:
        pattern = simpler
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)(?:[+*?]|\{\d*,?\d*\})\??", "", pattern.split("|")[0]))


def _fresh(marks: Sequence[str], written: str) -> str:
    """A mark that ends a clause and that no term holds, so that none occurs across it."""
    return next((mark for mark in marks if fold(mark).text[0] not in written), "\n")
