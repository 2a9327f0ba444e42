"""One change of a policy document each: what a suggestion would have the owner write."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pointsman.domain.policy import PolicyDocument, RouteRule, Weights
from pointsman.domain.rule import Conditions, Group, Rule, Term

NAME = "weekly"
"""Names of what is added begin so."""


def without_rule(document: PolicyDocument, rule: str) -> PolicyDocument:
    return replace(document, rules=tuple(each for each in document.rules if each.id != rule))


def in_shadow(document: PolicyDocument, rule: str) -> PolicyDocument:
    return _rule(document, rule, "shadow")


def raised(document: PolicyDocument, rule: str) -> PolicyDocument:
    """In force for everybody."""
    return _rule(document, rule, "enforce")


def with_route(document: PolicyDocument, task: str, target: str) -> PolicyDocument:
    """The first of all routes: that kind of task goes to the target, one of the document's names."""
    route = RouteRule(f"{NAME} {task}", target, first_of(document), task_types=(task,))
    return replace(document, routes=(route, *document.routes))


def first_of(document: PolicyDocument) -> int:
    """The priority by which a route comes before all that there are."""
    return min((route.priority for route in document.routes), default=1) - 1


def with_latency(document: PolicyDocument, by: float) -> PolicyDocument:
    """Latency counts `by` times as much in all weights that an entry uses."""
    used = {entry.policy for entry in document.entries}
    weights = {
        name: replace(each, latency=each.latency * by) if name in used else each
        for name, each in document.weights.items()
    }
    return replace(document, weights=weights)


def scored(document: PolicyDocument, weights: Weights) -> PolicyDocument:
    """Entries whose targets are not scored have them scored by these."""
    entries = tuple(replace(entry, policy=NAME) if entry.policy is None else entry for entry in document.entries)
    return replace(document, entries=entries, weights={**document.weights, NAME: weights})


def answered(document: PolicyDocument, texts: Sequence[str], name: str) -> PolicyDocument:
    """A rule, after all others, that answers exactly these questions."""
    pack = f"{NAME}-gaps"
    last = min((rule.priority for rule in document.rules), default=0) - 1
    group = Group("asked", tuple(Term("whole", text) for text in texts))
    rule = Rule(name, pack, last, (group,), (), Conditions(), "answer", {"text": "…"}, negatable=False)
    entries = tuple(
        entry if entry.packs is None else replace(entry, packs=(*entry.packs, pack)) for entry in document.entries
    )
    return replace(document, rules=(*document.rules, rule), entries=entries)


def _rule(document: PolicyDocument, rule: str, mode: str) -> PolicyDocument:
    rules = tuple(replace(each, mode=mode, share=None) if each.id == rule else each for each in document.rules)
    return replace(document, rules=rules)
