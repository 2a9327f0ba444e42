"""What to do: drop a rule, keep it in shadow, narrow it, raise it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from pointsman.domain.said import Said, said
from pointsman.offline.audit.outcome import Audit, Moved, ShadowAudit, Wrong
from pointsman.offline.review.ranking import YOUNG, Ranked
from pointsman.offline.review.trials import Comparison

What = Literal["drop", "shadow", "narrow", "raise", "wait"]
_MOSTLY_WRONG = 0.3
_COVERED = 0.95
_ENOUGH = 20


class Advice(msgspec.Struct, frozen=True):
    """`texts` are those that a narrower rule must not take."""

    rule: str
    what: What
    why: Said
    texts: tuple[Wrong, ...] = ()


def advice(audit: Audit, rules: Sequence[Ranked], trials: Sequence[Comparison]) -> list[Advice]:
    """At most one for a rule: what is wrong goes before what is of little use."""
    found: dict[str, Advice] = {}
    on_trial = {each.rule for each in trials}
    for each in (*_of_trials(trials), *_of_rules(audit, [rule for rule in rules if rule.rule not in on_trial])):
        found.setdefault(each.rule, each)
    for each in _of_shadows(audit):
        found.setdefault(each.rule, each)
    return list(found.values())


def _of_rules(audit: Audit, rules: Sequence[Ranked]) -> Iterator[Advice]:
    for each in rules:
        known = audit.known.get(each.rule)
        if known is None or not known.in_force:
            continue
        if each.doubted:
            yield _doubted(each)
        elif each.rank is not None and not each.young:
            yield from _useless(each)


def _doubted(each: Ranked) -> Advice:
    suspected = each.audit.suspected
    why = said(
        "{any} of {of} are suspected misjudgements, {low} at least (95 %)",
        "{of} 个里有 {any} 个疑似误判，至少 {low}（95%）",
        any=suspected.any,
        of=suspected.of,
        low=f"{100 * each.interval[0]:.1f}%",
    )
    mostly = each.interval[0] >= _MOSTLY_WRONG and each.rank is not None
    return Advice(each.rule, "shadow" if mostly else "narrow", why, suspected.texts)


def _useless(each: Ranked) -> Iterator[Advice]:
    audit = each.audit
    if not audit.hits:
        yield Advice(each.rule, "drop", said("it took nothing in this period", "这段时间里它什么也没接到"))
        return
    others = [moved for moved in audit.moved if moved.kind == "rule"]
    largest: Moved | None = max(others, key=lambda moved: moved.requests, default=None)
    if largest is not None and largest.requests >= _COVERED * audit.hits:
        why = said(
            "rule {other} takes {share} of its requests where it is missing: drop one of the two",
            "没有它时，规则 {other} 会接走其中的 {share}：两条留一条即可",
            other=largest.name,
            share=f"{100 * largest.requests / audit.hits:.0f}%",
        )
        yield Advice(each.rule, "drop", why)
    elif each.value < 0:
        why = said(
            "suspected misjudgements weigh more than the {saved} GPU seconds that it saves",
            "疑似误判的代价超过它省下的 {saved} GPU 秒",
            saved=f"{audit.saved or 0.0:.1f}",
        )
        yield Advice(each.rule, "narrow" if audit.suspected.texts else "shadow", why, audit.suspected.texts)
    elif each.bottom:
        why = said(
            "among the lowest 15 %: worth {value} GPU seconds in this period",
            "排在最低的 15%：这段时间只值 {value} GPU 秒",
            value=f"{each.value:.1f}",
        )
        yield Advice(each.rule, "shadow", why)


def _of_trials(trials: Sequence[Comparison]) -> Iterator[Advice]:
    for each in trials:
        if each.verdict == "too_little":
            yield Advice(each.rule, "wait", each.sentence)
        elif each.verdict == "worse":
            yield Advice(each.rule, "shadow", each.sentence)
        else:
            yield Advice(each.rule, "raise", each.sentence)


def _of_shadows(audit: Audit) -> Iterator[Advice]:
    counted = {each.rule: each for each in audit.shadows}
    for rule, known in audit.known.items():
        if not known.in_force or known.rule.mode != "shadow":
            continue
        shadow = counted.get(rule) or ShadowAudit(rule, 0, {}, 0.0)
        if audit.until - known.first < YOUNG:
            continue
        if not shadow.requests:
            yield Advice(
                rule,
                "drop",
                said("in shadow, and nothing that it would have taken", "在影子模式，而且没有它会接的请求"),
            )
        elif shadow.requests >= _ENOUGH and shadow.seconds > 0:
            why = said(
                "in shadow; it would have taken {requests} requests, {seconds} GPU seconds: try it on some with share: 10",
                "在影子模式；它会接走 {requests} 个请求，共 {seconds} GPU 秒：可以用 share: 10 先试一部分",
                requests=shadow.requests,
                seconds=f"{shadow.seconds:.1f}",
            )
            yield Advice(rule, "raise", why)
