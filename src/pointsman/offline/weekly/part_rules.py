"""Dead and doubtful rules, as a table."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.offline.replay.section import figure, number
from pointsman.offline.review.advice import Advice, What
from pointsman.offline.weekly.page import Part, Row, Tone
from pointsman.offline.weekly.shown import percent
from pointsman.offline.weekly.weekly import RULE_DAYS, Weekly

_SHOWN = 20
_TEXTS = 3
_LONGEST = 80
_WHAT: dict[What, Said] = {
    "drop": Said("drop", "删除"),
    "shadow": Said("shadow", "改为影子"),
    "narrow": Said("narrow", "收窄"),
    "raise": Said("raise", "放开"),
    "wait": Said("wait", "再等等"),
}
_TONES: dict[What, Tone] = {"drop": "warn", "shadow": "bad", "narrow": "bad", "raise": "good", "wait": ""}


def rules_part(found: Weekly, text: bool) -> Part:
    review = found.rules
    in_force = sum(known.in_force for known in review.audit.known.values())
    lines: list[str] = [
        said(
            "Over the last {days} days, since a week is too short to call a rule dead: {rules} rules in force, {hits} of "
            "{reached} requests taken.",
            "按最近 {days} 天来看，因为一周不足以断定规则已死：生效规则 {rules} 条，{reached} 个请求里接住 {hits} 个。",
            days=max(RULE_DAYS, round((found.now - (review.audit.since or found.now)) / 86_400)),
            rules=number(in_force),
            hits=number(sum(each.hits for each in review.audit.rules)),
            reached=number(review.audit.reached),
        )
    ]
    if not review.advice:
        lines.append(Said("Nothing is to be done about any of them.", "没有需要处理的规则。"))
    heads = (
        Said("rule", "规则"),
        Said("to do", "建议"),
        Said("hits", "命中"),
        Said("suspected", "疑似误判"),
        Said("GPU s saved", "省下 GPU 秒"),
        Said("why", "原因"),
    )
    counted = {each.rule: each for each in review.audit.rules}
    shadows = {each.rule: each.requests for each in review.audit.shadows}
    rows = []
    for advice in review.advice[:_SHOWN]:
        audit = counted.get(advice.rule)
        rows.append(
            Row(
                (
                    advice.rule,
                    _WHAT[advice.what],
                    number(audit.hits if audit else shadows.get(advice.rule, 0)),
                    percent(audit.suspected.rate) if audit else "–",
                    figure(audit.saved) if audit and audit.saved is not None else "–",
                    advice.why,
                ),
                _TONES[advice.what],
                _texts(advice, text),
            )
        )
    more = len(review.advice) - len(rows)
    after = (said("{count} more: pointsman rules review", "另有 {count} 条：pointsman rules review", count=more),)
    return Part(
        Said("Dead and doubtful rules", "失效与存疑的规则"),
        tuple(lines),
        heads if rows else (),
        tuple(rows),
        frozenset((2, 3, 4)),
        wide=5,
        after=after if more > 0 else (),
    )


def _texts(advice: Advice, text: bool) -> tuple[str, ...]:
    shown = []
    for each in advice.texts[:_TEXTS]:
        shown.append(f"{' '.join(each.text.split())[:_LONGEST]}  ({each.request})" if text else each.request)
    return tuple(shown) if text or not shown else (", ".join(shown),)
