"""What the rules in force have to do with a proposal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pointsman.domain.rule import Asking, Rule
from pointsman.domain.said import said
from pointsman.offline.mining.corpus import Corpus, places_of
from pointsman.offline.mining.proposal import Conflict
from pointsman.pipeline.book_cases import features_of
from pointsman.pipeline.policy import Policy
from pointsman.rulecheck import check_rules

_CONCERNING = ("unreachable", "duplicate", "shadowed", "nearly_shadowed", "overlap")


def conflicts(policy: Policy, rule: Rule, corpus: Corpus, texts: Sequence[str], hits: int) -> tuple[Conflict, ...]:
    """Which of today's rules take the proposal's questions (`hits`, as bits) already, and what can be proved of the
    proposal among them."""
    return (*_taken(policy, corpus, texts, hits), *_proved(rule, policy.document.rules))


def _taken(policy: Policy, corpus: Corpus, texts: Sequence[str], hits: int) -> Iterator[Conflict]:
    entry = next(iter(policy.entries), "auto")
    ruleset, asking = policy.rules_for(entry), Asking(entry, "chat")
    counts: Counter[str] = Counter()
    for place in places_of(hits):
        looked = ruleset.look(texts[place], features_of(texts[place]), asking)
        if looked.hit is not None:
            counts[looked.hit.rule.id] += corpus.weights[place]
    for other, count in counts.most_common():
        message = said(
            "rule {other} takes {count} of these questions already",
            "其中 {count} 个问题现在已由规则 {other} 接住",
            other=other,
            count=count,
        )
        yield Conflict(other, "takes", message, count)


def _proved(rule: Rule, rules: Sequence[Rule]) -> Iterator[Conflict]:
    if any(other.id == rule.id for other in rules):
        return
    for finding in check_rules([*rules, rule], measure=features_of).findings:
        if finding.kind in _CONCERNING and rule.id in (finding.rule, finding.other):
            other = finding.other if finding.rule == rule.id else finding.rule
            yield Conflict(other or "", finding.kind, finding.message)
