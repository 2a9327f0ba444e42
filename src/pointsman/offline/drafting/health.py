"""The review of all rules, as the list of rules shows it."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path

import msgspec

from pointsman.console.rules.told import Doubt, Health, Missed, Reviewed, both
from pointsman.offline.audit.run import audit
from pointsman.offline.review.report import review
from pointsman.store.log_reader import LogReader

_TEXTS, _NEAR = 8, 6


def reviewed(folder: Path, since: float) -> Reviewed:
    """Raises LogError."""
    now = time.time()
    try:
        reader = LogReader(folder)
    except FileNotFoundError:
        return Reviewed(now, 0, 0, 0, {})
    try:
        found = review(audit(reader, since, now=now))
    finally:
        reader.close()
    whole = found.audit
    rules: dict[str, Health] = {}
    for each in found.rules:
        suspected = each.audit.suspected
        rules[each.rule] = Health(
            rule=each.rule,
            hits=each.audit.hits,
            share=each.audit.share,
            saved=each.audit.saved,
            suspected=suspected.any,
            looked=suspected.of,
            low=each.interval[0],
            high=each.interval[1],
            doubted=each.doubted,
            maybe=each.maybe,
            doubts=tuple(Doubt(one.request, one.text, one.reason, one.next) for one in suspected.texts[:_TEXTS]),
        )
    for shadow in whole.shadows:
        known = rules.get(shadow.rule, Health(shadow.rule))
        rules[shadow.rule] = msgspec.structs.replace(known, shadow=shadow.requests, from_whom=shadow.from_whom)
    near: defaultdict[str, list[Missed]] = defaultdict(list)
    for miss in whole.near:
        if len(near[miss.rule]) < _NEAR:
            near[miss.rule].append(Missed(miss.group, miss.requests, miss.texts, miss.ids[:_TEXTS]))
    for rule, missed in near.items():
        rules[rule] = msgspec.structs.replace(rules.get(rule, Health(rule)), near=tuple(missed))
    for advice in found.advice:
        known = rules.get(advice.rule, Health(advice.rule))
        rules[advice.rule] = msgspec.structs.replace(known, advice=advice.what, why=both(advice.why))
    return Reviewed(now, whole.requests, whole.reached, whole.unread, rules)
