"""Questions that no rule took and that lack exactly one group of a rule."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.request import Request
from pointsman.domain.rule import Rule
from pointsman.features.extract import extract
from pointsman.offline.audit.sample import Asked
from pointsman.pipeline.asked import ask, look
from pointsman.pipeline.policy import Policy

_SHOWN = 5


class NearMiss(msgspec.Struct, frozen=True):
    """`requests` that lack the group of the rule and no more, in `questions` different questions; the `texts` that were
    asked most often come first. `ids` are all of these requests where they were kept, else one a text."""

    rule: str
    group: str
    requests: int
    questions: int
    texts: tuple[str, ...]
    ids: tuple[str, ...]


class Probes:
    """For every group of every rule, that rule without the group. Where only one of them holds, that group is all that is
    missing: excludes, conditions and negation are heeded by each. A rule with one group misses nothing narrowly."""

    def __init__(self, document: PolicyDocument) -> None:
        self._names: dict[str, tuple[str, str]] = {}
        self._groups: dict[str, int] = {}
        rules: list[Rule] = []
        for rule in document.rules:
            if rule.mode == "off" or len(rule.groups) < 2:
                continue
            self._groups[rule.id] = len(rule.groups)
            for place, group in enumerate(rule.groups):
                name = str(len(rules))
                self._names[name] = rule.id, group.name
                rest = (*rule.groups[:place], *rule.groups[place + 1 :])
                rules.append(
                    msgspec.structs.replace(rule, id=name, groups=rest, mode="shadow", share=None, priority=0, cases=())
                )
        entries = tuple(EntryRule(entry.name, entry.packs) for entry in document.entries)
        self._policy = Policy(msgspec.structs.replace(document, rules=tuple(rules), entries=entries))

    def lacking(self, request: Request) -> list[tuple[str, str]]:
        """(rule, the group that it lacks)."""
        asked = ask(request, self._policy)
        features = extract(request, None, asked.question)
        held: dict[str, list[str]] = {}
        for hit in look(asked, request, self._policy, features).passed:
            rule, group = self._names[hit.rule.id]
            held.setdefault(rule, []).append(group)
        return [(rule, groups[0]) for rule, groups in held.items() if len(groups) == 1]


def near_misses(document: PolicyDocument, asked: Iterable[Asked]) -> list[NearMiss]:
    """The most frequent first."""
    probes = Probes(document)
    found: dict[tuple[str, str], list[Asked]] = {}
    for each in asked:
        for lacking in probes.lacking(each.request):
            found.setdefault(lacking, []).append(each)
    misses = []
    for (rule, group), several in found.items():
        several.sort(key=lambda each: (-each.count, each.ids[0]))
        misses.append(
            NearMiss(
                rule,
                group,
                sum(each.count for each in several),
                len(several),
                tuple([each.request.question or "" for each in several[:_SHOWN]]),
                tuple([one for each in several for one in each.ids]),
            )
        )
    return sorted(misses, key=lambda miss: (-miss.requests, miss.rule, miss.group))
