"""What a rule would do to the traffic: the newest requests of the log decided by the rules with it and without it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from pointsman.console.rules.told import Candidate, Effects, Found, Sample, both
from pointsman.domain.rule import Rule
from pointsman.offline.drafting.newest import Kept, Newest, Stopped
from pointsman.offline.drafting.placed import placed
from pointsman.pipeline.asked import look
from pointsman.pipeline.book_cases import features_of
from pointsman.pipeline.policy import Policy
from pointsman.rulecheck import Names, check_rules

_OLD = ""  # the id of the rule as it is now, beside itself
_SHOWN = 8
_LONGEST = 200  # characters of a sample
_MOST_PAIRS = 400
_PROVED = 1500  # rules up to which something is proved while somebody types


def effect(candidate: Candidate, policy: Policy, newest: Newest, folder: Path, stop: Callable[[], bool]) -> Effects:
    """Raises Stopped, LogError."""
    began = time.perf_counter()
    document = policy.document
    found = placed(candidate, document)
    if found.rule is None:
        return Effects(0, 0, None, 0, {}, {}, 0, (), (), (), (), 0.0, sound=False)
    newest.read(folder, policy, stop)
    tried = msgspec.structs.replace(found.rule, mode="enforce", share=None)
    rules = tuple(tried if rule.id == tried.id else rule for rule in found.rules)
    counted = _Counted(tried, policy, rules)
    for number, kept in enumerate(reversed(newest.kept)):
        if number % 256 == 0 and stop():
            raise Stopped
        counted.see(kept)
    since = newest.kept[0].received if newest.kept else None
    return Effects(
        of=len(newest.kept),
        unread=newest.unread,
        since=since,
        kept=counted.kept,
        rules=dict(counted.rules.most_common()),
        models=dict(counted.models.most_common()),
        lost=counted.lost,
        samples=tuple(counted.samples),
        stolen=tuple(counted.stolen),
        gone=tuple(counted.gone),
        findings=_proved(candidate, policy, tried, rules),
        took=time.perf_counter() - began,
    )


class _Counted:
    """Most requests have nothing of the rule: each is looked at by the rule alone, as it is to be and as it is, and by all
    rules only where one of the two holds."""

    def __init__(self, rule: Rule, before: Policy, rules: tuple[Rule, ...]) -> None:
        document = before.document
        self._rule, self._before = rule, before
        self._marks = rule.action == "mark"
        self._after = cache(lambda: Policy(msgspec.structs.replace(document, rules=rules)))
        old = next((each for each in document.rules if each.id == rule.id and each.mode == "enforce"), None)
        alone = [rule] if old is None else [rule, msgspec.structs.replace(old, id=_OLD)]
        passing = tuple(msgspec.structs.replace(each, mode="shadow", share=None) for each in alone)
        self._alone = Policy(msgspec.structs.replace(document, rules=passing))
        self.kept = self.lost = 0
        self.rules: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        self.samples: list[Sample] = []
        self.stolen: list[Sample] = []
        self.gone: list[Sample] = []

    def see(self, kept: Kept) -> None:
        holding = {hit.rule.id for hit in look(kept.asked, kept.request, self._alone, kept.features).passed}
        if not holding:
            return
        own = self._rule.id
        now = self._taken(kept, self._before)
        then = self._taken(kept, self._after()) if own in holding else None
        if then != own:
            if now == own:
                self.lost += 1
                self._show(self.gone, kept, then or kept.took)
            return
        if now == own:
            self.kept += 1
        elif now is not None and not self._marks:
            self.rules[now] += 1
            self._show(self.stolen, kept, now)
        else:
            self.models[now or kept.took] += 1
            self._show(self.samples, kept, now or kept.took)

    def _taken(self, kept: Kept, policy: Policy) -> str | None:
        """Who takes it; of rules that mark, whether this one does."""
        looked = look(kept.asked, kept.request, policy, kept.features)
        if self._marks and any(hit.rule.id == self._rule.id and not hit.shadow for hit in looked.passed):
            return self._rule.id
        return looked.hit.rule.id if looked.hit else None

    @staticmethod
    def _show(samples: list[Sample], kept: Kept, by: str) -> None:
        """Different texts only."""
        text = (kept.asked.question or "")[:_LONGEST]
        if len(samples) < _SHOWN and all(sample.text != text for sample in samples):
            samples.append(Sample(kept.id, text, by))


def _proved(candidate: Candidate, policy: Policy, rule: Rule, rules: tuple[Rule, ...]) -> tuple[Found, ...]:
    """What concerns the rule."""
    if len(rules) > _PROVED:
        return ()
    document = policy.document
    roles, keys, groups = map(frozenset, candidate.known)
    report = check_rules(
        rules,
        entries=document.entries,
        guard_packs=document.guard_packs,
        names=Names(
            entries=frozenset(entry.name for entry in document.entries),
            direct=frozenset(document.names),
            roles=roles,
            keys=keys,
            groups=groups,
        ),
        measure=features_of,
        most_pairs=_MOST_PAIRS,
    )
    return tuple(
        Found(
            finding.kind,
            finding.severity == "warning",
            both(finding.message),
            finding.rule if finding.other == rule.id else finding.other,
            finding.rule == rule.id,
        )
        for finding in report.findings
        if rule.id in (finding.rule, finding.other)
    )
