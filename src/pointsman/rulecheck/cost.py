"""What rules cost: which are tried on every text, and how much there is to look for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from pointsman.domain.rule import Rule
from pointsman.domain.said import said
from pointsman.rulecheck.finding import Finding
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rulecheck.view import View
from pointsman.rules.extracts import Extracted
from pointsman.rules.glance import SIGNS
from pointsman.rules.template import Template
from pointsman.rules.terms import Regex, Word


class Size(msgspec.Struct, frozen=True):
    """Of a policy. `terms` are distinct ones, by kind; `literals` and `bytes` what the automaton looks for at once;
    `every_text` the rules that are tried on every text."""

    rules: int
    terms: dict[str, int]
    literals: int
    bytes: int
    every_text: int


def expensive(view: View, lexicon: Lexicon) -> Finding | None:
    """A rule that cannot be told apart from others by a word: each group can be met by terms that need no certain word."""
    unanchored = []
    for least, terms in view.groups:
        free = [number for number in terms if _free(lexicon, number)]
        if len(free) < least:
            return None
        unanchored += free
    if not unanchored:
        return None
    free_terms = [lexicon.terms[number] for number in dict.fromkeys(unanchored)]
    shown = [f"extract: {term.value}" if term.kind == "extract" else term.value for term in free_terms]
    message = said(
        "is tried on every text, because {terms} can match without any certain word; add a group of words that such a text "
        "must have",
        "每条文本都要试这条规则，因为 {terms} 不含任何必有的词；请加一组这类文本必有的词",
        terms=", ".join(f"`{value}`" for value in shown),
    )
    return Finding("expensive", view.rule.id, message, detail=tuple(shown))


def size_of(rules: Sequence[Rule], lexicon: Lexicon, every_text: int) -> Size:
    literals: set[str] = set()
    for finder in lexicon.finders:
        if isinstance(finder, Word) and not finder.token:
            literals.add(finder.text)
        elif isinstance(finder, Regex | Template):
            literals |= finder.literals or set()
    kinds = Counter(term.kind for term in lexicon.terms)
    return Size(
        len(rules), dict(sorted(kinds.items())), len(literals), sum(len(each.encode()) for each in literals), every_text
    )


def _free(lexicon: Lexicon, number: int) -> bool:
    finder = lexicon.finders[number]
    if isinstance(finder, Extracted):
        return finder.kind not in SIGNS
    return isinstance(finder, Regex | Template) and finder.literals is None
