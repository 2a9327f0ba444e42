"""Keywords that make no difference: what a rule says without them is the same."""

from __future__ import annotations

from collections.abc import Iterator
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
    for number, term in first.items():
        never = min(lexicon.inside(number) & excluded, default=None)
        if never is not None:
            yield term, "excluded", lexicon.terms[never]
            continue
        if group.at_least > 1 or spoken or (negatable and lexicon.is_word(number) and lexicon.loud(number)):
            continue
        for other in first:
            if other != number and _follows(lexicon, number, other):
                same_place = not negatable or lexicon.is_whole(number) or lexicon.begins(number, other)
                yield term, "longer" if same_place else "longer_unless_negated", first[other]
                break


def _dead_excludes(terms: tuple[Term, ...], lexicon: Lexicon) -> Iterator[tuple[Term, str, Term]]:
    first: dict[int, Term] = {}
    for term in terms:
        number = lexicon.number(term)
        if number in first:
            yield term, "same", first[number]
        first.setdefault(number, term)
    for number, term in first.items():
        other = next((other for other in first if other != number and _follows(lexicon, number, other)), None)
        if other is not None:
            yield term, "longer", first[other]


def _follows(lexicon: Lexicon, number: int, other: int) -> bool:
    """Whether `other` occurs wherever `number` does, which is not the same."""
    if lexicon.is_word(number):
        return other in lexicon.inside(number)
    if lexicon.is_whole(number) and lexicon.is_whole(other):
        return set(lexicon.keys(number)) < set(lexicon.keys(other))
    return False


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
