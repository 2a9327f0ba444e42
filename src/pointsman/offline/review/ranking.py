"""Rules by what they are worth, and those that are to be looked at."""

from __future__ import annotations

from math import ceil

import msgspec

from pointsman.offline.audit.intervals import Interval, wilson
from pointsman.offline.audit.outcome import Audit, RuleAudit, Suspected

PRICE = 60.0
"""GPU seconds that one suspected misjudgement is set against."""
ABANDONED = 0.1
"""What a session that ended there weighs beside a suspected misjudgement."""
LIMIT = 0.05
"""A larger share of suspected misjudgements is too many."""
BOTTOM = 0.15
YOUNG = 7 * 86_400.0
"""Seconds for which a rule must have been in force to be judged by what it took."""
_SAFETY = ("refuse", "mark")


class Ranked(msgspec.Struct, frozen=True):
    """`value` is GPU seconds saved − price × (suspected + a tenth of abandoned); what cannot be told counts 0. `rank` is
    1 for the most valuable, None for rules that are not there to save anything (guard packs, refusals) and for those that
    are not in force. `bottom`: among the lowest 15 %. `doubted`: surely more than 5 % suspected, since the whole interval
    is above it; `maybe`: the share is, the interval is not."""

    audit: RuleAudit
    pack: str | None
    kind: str | None
    value: float
    rank: int | None
    young: bool
    bottom: bool
    interval: Interval
    doubted: bool
    maybe: bool

    @property
    def rule(self) -> str:
        return self.audit.rule


def ranked(audit: Audit, price: float = PRICE) -> list[Ranked]:
    """Those that are ranked come first, the most valuable at the top; then the others by name."""
    audits = {each.rule: each for each in audit.rules}
    for rule, known in audit.known.items():
        if known.in_force and known.rule.mode == "enforce" and known.kind != "mark" and rule not in audits:
            audits[rule] = RuleAudit(rule, 0, 0.0, None, None, {}, (), Suspected())
    found = [_measured(each, audit, price) for each in audits.values()]
    counted = sorted((each for each in found if each.rank is not None), key=lambda each: (-each.value, each.rule))
    rest = sorted((each for each in found if each.rank is None), key=lambda each: each.rule)
    old = [each.rule for each in counted if not each.young]
    lowest = set(old[len(old) - ceil(BOTTOM * len(old)) :])
    return [
        msgspec.structs.replace(each, rank=place, bottom=each.rule in lowest) for place, each in enumerate(counted, 1)
    ] + rest


def value_of(each: RuleAudit, price: float) -> float:
    return (each.saved or 0.0) - price * (each.suspected.any + ABANDONED * each.suspected.abandoned)


def _measured(each: RuleAudit, audit: Audit, price: float) -> Ranked:
    known = audit.known.get(each.rule)
    counts = known is not None and known.in_force and not known.guard and known.kind not in _SAFETY
    suspected = each.suspected
    low, high = wilson(suspected.any, suspected.of)
    doubted = suspected.of > 0 and low > LIMIT
    return Ranked(
        audit=each,
        pack=known.rule.pack if known else None,
        kind=known.kind if known else None,
        value=value_of(each, price),
        rank=0 if counts else None,
        young=known is not None and audit.until - known.first < YOUNG,
        bottom=False,
        interval=(low, high),
        doubted=doubted,
        maybe=not doubted and (suspected.rate or 0.0) > LIMIT,
    )
