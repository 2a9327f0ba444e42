"""What the cases of rules came to: which hold, what of the rules they touch, and which rule took what another should."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import msgspec

from pointsman.domain.features import Features
from pointsman.domain.rule import Rule
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rules import RanCase, RuleSet, run_cases
from pointsman.rules.cases import KEYS
from pointsman.rules.fold import fold


class RuleRun(msgspec.Struct, frozen=True):
    """The cases of one rule. `won` counts who took the texts that the rule must take: among the rules of its pack, and
    `across` among all that stand behind the same entry. `touched` of its `terms` occur in a text that it took, and so do
    terms of `groups_touched` of its `groups`."""

    rule: str
    pack: str
    cases: int
    complete: bool
    failed: tuple[RanCase, ...]
    won: dict[str | None, int]
    across: dict[str | None, int]
    terms: int
    touched: int
    groups: int
    groups_touched: int


class PackCoverage(msgspec.Struct):
    """Sums over the rules of a pack; `complete` rules have all three kinds of cases."""

    pack: str
    rules: int = 0
    complete: int = 0
    cases: int = 0
    failed: int = 0
    terms: int = 0
    touched: int = 0
    groups: int = 0
    groups_touched: int = 0


class Confusion(msgspec.Struct, frozen=True):
    """`expected` should have taken `count` texts that `took` took; None: no rule did."""

    expected: str
    took: str | None
    count: int


def run_rule(
    rule: Rule, pack: RuleSet, whole: RuleSet | None, lexicon: Lexicon, features: Callable[[str], Features]
) -> RuleRun:
    """`pack` and `whole` are the rules among which its cases run; `whole` None: the same."""
    features = cache(features)
    ran = run_cases(pack, (rule,), features)
    wanted = msgspec.structs.replace(rule, cases=tuple(case for case in rule.cases if case.takes))
    groups = [frozenset(lexicon.numbers(group.terms)) for group in rule.groups]
    terms = frozenset().union(*groups)
    touched: set[int] = set()
    for case in ran:
        if case.case.takes and case.taken and touched != terms:
            touched |= terms & lexicon.occurring(fold(case.case.text))
    return RuleRun(
        rule=rule.id,
        pack=rule.pack,
        cases=len(ran),
        complete={case.case.kind for case in ran} == set(KEYS),
        failed=tuple(case for case in ran if not case.holds),
        won=_winners(ran),
        across=_winners(ran if whole is None else run_cases(whole, (wanted,), features)),
        terms=len(terms),
        touched=len(touched),
        groups=len(groups),
        groups_touched=sum(not group.isdisjoint(touched) for group in groups),
    )


def coverage(runs: Iterable[RuleRun]) -> list[PackCoverage]:
    packs: dict[str, PackCoverage] = {}
    for run in runs:
        pack = packs.setdefault(run.pack, PackCoverage(run.pack))
        pack.rules += 1
        pack.complete += run.complete
        pack.cases += run.cases
        pack.failed += len(run.failed)
        pack.terms += run.terms
        pack.touched += run.touched
        pack.groups += run.groups
        pack.groups_touched += run.groups_touched
    return list(packs.values())


def confusion(runs: Sequence[RuleRun], *, across: bool) -> list[Confusion]:
    """All that is off the diagonal, the most first. `across`: only what it takes all packs together for."""
    found = [
        Confusion(run.rule, took, count)
        for run in runs
        for took, count in (run.across if across else run.won).items()
        if took != run.rule and not (across and took in run.won)
    ]
    return sorted(found, key=lambda each: (-each.count, each.expected, each.took or ""))


def _winners(ran: Sequence[RanCase]) -> dict[str | None, int]:
    """A rule that only notes what it takes has done its part."""
    counts: dict[str | None, int] = {}
    for case in ran:
        if case.case.takes:
            won = case.rule.id if case.taken else case.won
            counts[won] = counts.get(won, 0) + 1
    return counts
