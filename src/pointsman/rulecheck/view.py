"""A rule in terms of a lexicon."""

from __future__ import annotations

from pointsman.domain.rule import Rule
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rulecheck.wholes import closing_part


class View:
    """The groups as (how many must occur, of which terms), without what is said twice."""

    def __init__(self, rule: Rule, lexicon: Lexicon) -> None:
        self.rule = rule
        self.groups = tuple(
            dict.fromkeys((group.at_least, tuple(sorted(lexicon.numbers(group.terms)))) for group in rule.groups)
        )
        self.none = frozenset(lexicon.numbers(rule.none))
        self.terms = frozenset(number for _, terms in self.groups for number in terms)
        self.asks = any(all(lexicon.is_word(number) for number in terms) for _, terms in self.groups)
        """Whether a word must occur, so that there is a question, and a user's message."""
        self.wholes = tuple(sorted(number for number in self.terms if lexicon.is_whole(number)))
        self.marked = frozenset(
            lexicon.word(number)
            for number in (*self.terms, *self.none)
            if lexicon.is_word(number) and closing_part(lexicon.word(number))
        )
        """Words that close with marks, which may stand behind what is the whole text."""
        self.opaque = any(lexicon.is_opaque(number) for number in (*self.terms, *self.none))
        self.templates = any(lexicon.terms[number].kind == "template" for number in self.terms)
        self.negated_by = frozenset(
            number for number in self.terms if lexicon.terms[number].kind not in ("whole", "template")
        )
        """Terms before which a negator counts."""
        self.negatable = rule.negatable and bool(self.negated_by)
        self.loud = frozenset(filter(lexicon.loud, self.negated_by))
        """Those that hold a negator, or may: it negates nothing where it stands inside one of them."""

    @property
    def form(self) -> tuple[object, ...]:
        """Two rules with the same form take the same requests."""
        rule = self.rule
        return frozenset(self.groups), self.none, rule.conditions, self.negatable, rule.looks_at
