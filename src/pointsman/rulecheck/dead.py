"""Keywords that make no difference: what a rule says without them is the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pointsman.domain.rule import Group, Rule, Term
from pointsman.domain.said import Said, said
from pointsman.rulecheck.finding import Finding
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rules.slots import slots_of


def dead_keywords(rule: Rule, lexicon: Lexicon) -> Iterator[Finding]:
    """Each dead term once, for the first reason that there is."""
    excluded = frozenset(lexicon.numbers(rule.none))
    spoken = _slots(rule.parameters)
    for group in rule.groups:
        for term, why, other in _dead_in(group, lexicon, excluded, group.name in spoken, rule.negatable):
            yield _finding(rule, term, why, other, group.name)
    for term, why, other in _dead_excludes(rule.none, lexicon):
        yield _finding(rule, term, why, other, "none")


def _dead_in(
    group: Group, lexicon: Lexicon, excluded: frozenset[int], spoken: bool, negatable: bool
) -> Iterator[tuple[Term, str, Term]]:
    first: dict[int, Term] = {}
    for term in group.terms:
        number = lexicon.number(term)
        if number in first:
            yield term, "same", first[number]
        first.setdefault(number, term)
    followers = _Followers(lexicon, first)
    for number, term in first.items():
        never = min(lexicon.inside(number) & excluded, default=None)
        if never is not None:
            yield term, "excluded", lexicon.terms[never]
            continue
        if group.at_least > 1 or spoken or (negatable and lexicon.is_word(number) and lexicon.loud(number)):
            continue
        other = followers.of(number)
        if other is not None:
            same_place = not negatable or lexicon.is_whole(number) or lexicon.begins(number, other)
            yield term, "longer" if same_place else "longer_unless_negated", first[other]


def _dead_excludes(terms: tuple[Term, ...], lexicon: Lexicon) -> Iterator[tuple[Term, str, Term]]:
    first: dict[int, Term] = {}
    for term in terms:
        number = lexicon.number(term)
        if number in first:
            yield term, "same", first[number]
        first.setdefault(number, term)
    followers = _Followers(lexicon, first)
    for number, term in first.items():
        other = followers.of(number)
        if other is not None:
            yield term, "longer", first[other]


class _Followers:
    """Of terms that stand side by side, those that occur wherever another does. Looked up, not compared: a group may hold
    thousands of words, and each against each would take minutes."""

    def __init__(self, lexicon: Lexicon, numbers: Iterable[int]) -> None:
        self._lexicon = lexicon
        self._place = {number: place for place, number in enumerate(numbers)}
        self._with_key: dict[str, set[int]] = {}
        for number in filter(lexicon.is_whole, self._place):
            for key in lexicon.keys(number):
                self._with_key.setdefault(key, set()).add(number)

    def of(self, number: int) -> int | None:
        """The first term, not the same, that surely occurs wherever `number` does."""
        lexicon = self._lexicon
        if lexicon.is_word(number):
            others = {other for other in lexicon.inside(number) if other != number and other in self._place}
        elif lexicon.is_whole(number):
            keys = lexicon.keys(number)
            sharing = set.intersection(*[self._with_key[key] for key in keys])
            others = {other for other in sharing if len(set(lexicon.keys(other))) > len(set(keys))}
        else:
            return None
        return min(others, key=self._place.__getitem__, default=None)


def _slots(value: Any) -> set[str]:
    """Slots in all texts of a rule's parameters."""
    if isinstance(value, str):
        return set(slots_of(value))
    if isinstance(value, dict):
        return set().union(*map(_slots, value.values())) if value else set()
    return set()


def _finding(rule: Rule, term: Term, why: str, other: Term, group: str) -> Finding:
    values = {"term": term.value, "other": other.value, "group": group}
    message: Said
    if why == "same":
        message = said(
            'in {group}, "{term}" is the same as "{other}"', "{group} 里的“{term}”和“{other}”是同一个词", **values
        )
    elif why == "excluded":
        message = said(
            'in {group}, "{term}" can never help: `none` has "{other}"',
            "{group} 里的“{term}”不起作用：`none` 排除了“{other}”",
            **values,
        )
    elif why == "longer_unless_negated":
        message = said(
            'in {group}, "{term}" adds nothing: wherever it stands, "{other}" does (only a negator right before it is '
            "then not seen)",
            "{group} 里的“{term}”是多余的：有它的地方就有“{other}”（只是紧挨在它前面的否定词会看不到）",
            **values,
        )
    else:
        message = said(
            'in {group}, "{term}" adds nothing: wherever it stands, "{other}" does',
            "{group} 里的“{term}”是多余的：有它的地方就有“{other}”",
            **values,
        )
    return Finding("dead_keyword", rule.id, message, detail=(why, term.value, other.value, group))
