"""From rules to a `RuleSet`: terms are interned, every rule is posted under its rarest group, ranks are fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pointsman.domain.rule import Rule, Term
from pointsman.rules.extracts import Extracted
from pointsman.rules.index import Index
from pointsman.rules.match import GroupPlan, RulePlan, RuleSet
from pointsman.rules.terms import Finder, Key, Verified, Whole, Word, compile_term, term_key

_OFTEN = {
    "code": 0.01, "email": 0.02, "url": 0.05, "id_card": 0.1, "bank_card": 0.1, "sql": 0.1, "secret": 0.2, "phone": 0.2,
}  # fmt: skip
"""How often a text may hold an extract of a kind, as far as a glance tells; where it tells little, often."""


def no_pause() -> None:
    """Work on without one."""


def compile_rules(rules: Sequence[Rule], pause: Callable[[], None] = no_pause) -> RuleSet:
    """Compile rules that `parse_rules` made; the order given is the load order. Takes about 10 µs a term: for thousands of
    rules, call it off the event loop, with a `pause`, which is called between rules. Raises ValueError for a pattern that
    RE2 refuses."""
    ranked = sorted((rule for rule in rules if rule.mode != "off"), key=lambda rule: -rule.priority)
    ids: dict[Key, int] = {}
    terms: list[Finder] = []

    def intern(group: Iterable[Term]) -> tuple[int, ...]:
        numbers = []
        for term in group:
            key = term_key(term)
            if key not in ids:
                ids[key] = len(terms)
                terms.append(compile_term(term))
            numbers.append(ids[key])
        return tuple(numbers)

    interned = []
    for rule in ranked:
        pause()
        interned.append(([(group, intern(group.terms)) for group in rule.groups], intern(rule.none)))
    index = Index(terms, pause)
    plans = []
    for rule, (groups, none) in zip(ranked, interned, strict=True):
        pause()
        wanted = tuple(GroupPlan(group.name, group.at_least, numbers, index.decided) for group, numbers in groups)
        plans.append(RulePlan(rule, wanted, GroupPlan("none", 1, none, index.decided) if none else None))
    uses = Counter(number for plan in plans for group in plan.groups for number in group.terms)
    often = [_often(term, uses[number] / len(plans)) for number, term in enumerate(terms)]
    posted: dict[int, list[int]] = {}
    always = []
    for rank, plan in enumerate(plans):
        pause()
        if not plan.groups:
            always.append(rank)
            continue
        gates = [_gate(group, often) for group in plan.groups]
        rarest = min(range(len(gates)), key=lambda place: sum(often[number] for number in gates[place]))
        for number in gates[rarest]:
            posted.setdefault(number, []).append(rank)
        plan.posted_under(rarest)
    return RuleSet(plans, terms, index, {number: tuple(ranks) for number, ranks in posted.items()}, always)


def _gate(group: GroupPlan, often: Sequence[float]) -> list[int]:
    """Terms one of which must occur: with n terms and k needed, any n - k + 1 of them will do, so the rarest."""
    rarest_first = sorted(group.terms, key=lambda number: often[number])
    return rarest_first[: len(group.terms) - group.at_least + 1]


def _often(term: Finder, share: float) -> float:
    """A guess at how often a term occurs in traffic: short ones do, and those that many rules use."""
    if isinstance(term, Whole):
        return 0.0001 + share / 100
    if isinstance(term, Extracted):
        return share + _OFTEN.get(term.kind, 1000.0)
    if isinstance(term, Verified):
        if term.literals is None:
            return 1000.0
        return share + sum(_rarity(literal) for literal in term.literals)
    assert isinstance(term, Word)
    return share + _rarity(term.text)


def _rarity(text: str) -> float:
    return float(0.5 ** sum(0.7 if character.isascii() else 2.0 for character in text))
