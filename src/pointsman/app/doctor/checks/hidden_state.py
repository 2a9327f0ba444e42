"""B 4.2, third: does every logged decision follow again from what the log has of it."""

from __future__ import annotations

from pointsman.app.doctor.facts import Recount
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said


def judge(recount: Recount) -> list[Finding]:
    if recount.different:
        return [
            wrong(
                said(
                    "{n} of {all} decisions come out otherwise when they are computed again: {ids}",
                    "{all} 个决策重新计算，{n} 个结果不同：{ids}",
                    n=recount.different,
                    all=recount.different + recount.equal,
                    ids=", ".join(recount.ids[:3]),
                ),
                Said(
                    "another version of the gateway made them, or something besides request, policy and state had a say",
                    "要么是另一个版本的网关做的决策，要么有请求、策略、状态之外的东西参与了决策",
                ),
                Said(
                    "if the version is the same, it is a mistake of Pointsman: pointsman log --recompute lists them, please "
                    "report one",
                    "如果版本没有变，那就是 Pointsman 的错误：pointsman log --recompute 会列出它们，请报告其中一个",
                ),
            )
        ]
    if not recount.equal and recount.unread:
        return [
            note(
                said("{n} decisions were not kept whole", "{n} 个决策没有完整保存", n=recount.unread),
                Said("prompts are not in the log, so nothing can be computed again", "日志里没有提示词，无法重新计算"),
                Said(
                    "log: {prompts: sealed} keeps them, encrypted with a key in the data folder",
                    "log: {prompts: sealed} 会保存它们，用数据文件夹里的密钥加密",
                ),
            )
        ]
    if not recount.equal:
        return [ok(Said("no decision of the last day to compute again", "最近一天没有可以重新计算的决策"))]
    return [
        ok(
            said(
                "{n} decisions of the last day, computed again: all come out the same",
                "最近一天的 {n} 个决策重新计算，结果全部相同",
                n=recount.equal,
            )
        )
    ]
