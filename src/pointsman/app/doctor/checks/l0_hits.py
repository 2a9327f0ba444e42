"""How much of the traffic rules answer alone."""

from __future__ import annotations

from pointsman.app.doctor.facts import LogFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said

SHARE, LEAST = 0.6, 100


def judge(log: LogFacts) -> list[Finding]:
    if log.asked < LEAST:
        return [
            ok(
                said(
                    "{n} chat requests in {days} days: too few to tell how much rules take (from {least} on)",
                    "{days} 天内有 {n} 个对话请求：太少，无法判断规则命中率（至少 {least} 个）",
                    n=log.asked,
                    days=log.days,
                    least=LEAST,
                )
            )
        ]
    share = log.by_rules / log.asked
    saw = said(
        "rules answered {hits:,} of {all:,} chat requests in {days} days: {share:.1%}{part}",
        "{days} 天内 {all:,} 个对话请求中，规则直接回答了 {hits:,} 个：{share:.1%}{part}",
        part="" if log.whole else said(" (as far as the log could be read in time)", "（只读到时限为止的日志）"),
        hits=log.by_rules,
        all=log.asked,
        days=log.days,
        share=share,
    )
    if share >= SHARE:
        return [ok(saw)]
    return [
        wrong(
            saw,
            said(
                "below {share:.0%}: the rest waits for models, and takes their memory and time. A coding assistant never "
                "gets there; a desk of business questions does",
                "低于 {share:.0%}：其余请求都要等模型，占用显存和时间。编程助手达不到这个比例，业务咨询可以",
                share=SHARE,
            ),
            Said(
                "pointsman rules mine proposes rules from these very requests, pointsman rules gaps says what is asked "
                "again and again",
                "pointsman rules mine 从这些请求里提出规则，pointsman rules gaps 列出反复出现的问题",
            ),
        )
    ]
