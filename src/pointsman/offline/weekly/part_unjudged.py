"""What the report cannot say, and why."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.domain.said import Said, said
from pointsman.offline.replay.section import number
from pointsman.offline.replay.words import UNREAD
from pointsman.offline.weekly.misroutes import FEW
from pointsman.offline.weekly.page import Part
from pointsman.offline.weekly.weekly import RULE_DAYS, Weekly

_SHORT_OF = 0.95
_DAY = 86_400.0


def unjudged_part(found: Weekly) -> Part:
    lines = tuple(_reasons(found))
    return Part(
        Said("What could not be judged", "无法判断的部分"),
        lines or (Said("Nothing: all that it needs was there.", "没有：所需的数据齐全。"),),
    )


def _reasons(found: Weekly) -> Iterator[Said]:
    looked, audit = found.looked, found.rules.audit
    if not looked.requests:
        yield Said("The log of this period is empty: nothing is judged.", "这段时间的日志是空的：无从判断。")
        return
    if looked.requests < FEW:
        yield said(
            "So few requests ({count}) make nothing sure: intervals are wide, and no model is called doubted.",
            "只有 {count} 个请求，太少，什么都不能断定：区间很宽，也不会判定任何模型存疑。",
            count=looked.requests,
        )
    if looked.unread:
        yield said(
            "Of {count} of {of} requests the prompt was not kept (log.prompts: off), or the key is not here: who asked "
            "again, what is unanswered, and what a change would do to these is not known.",
            "{of} 个请求里有 {count} 个没有保存提示词（log.prompts: off），或没有密钥：谁又问了一遍、哪些没人处理、"
            "改动对它们的影响，都无从得知。",
            count=number(looked.unread),
            of=number(looked.requests),
        )
    if looked.served and all(each.task is None for each in looked.served):
        yield Said(
            "No kind of task is told of any request, since no route and no score asks for it: misroutes are by model only.",
            "没有路由或评分用到任务类型，所以请求都没有判定类型：误路由只能按模型看。",
        )
    if looked.unheard:
        yield said(
            "Of {count} requests that the arbiter had, it cannot be told whether it asked back.",
            "意图模型处理的 {count} 个请求，无法得知是否反问过。",
            count=number(looked.unheard),
        )
    if not looked.feedback:
        yield Said(
            "Nobody sent feedback on a model's reply (POST /v1/feedback): complaints are not known.",
            "没有人对模型的回复提交反馈（POST /v1/feedback）：无从得知投诉。",
        )
    if looked.served and not looked.done:
        yield Said(
            "The gateway has no sums of who asked again after a model's reply.", "网关没有模型回复后追问的统计。"
        )
    if looked.worked and all(each.loads is None for each in looked.worked):
        yield Said(
            "No engine says which models are in memory: how often models come and go is not known.",
            "没有引擎报告哪些模型在内存里：无从得知装卸次数。",
        )
    if looked.first is not None and found.now - looked.first < _SHORT_OF * (found.now - found.week.start):
        yield said(
            "The first request of this period came {days} days ago: it holds no more.",
            "本期的第一个请求在 {days} 天前：更早的没有。",
            days=f"{(found.now - looked.first) / _DAY:.1f}",
        )
    if not found.before.requests:
        yield Said("There are no sums of the period before.", "没有上期的汇总。")
    young = sum(each.young for each in found.rules.rules)
    if young:
        yield said(
            "Rules in force for less than a week, which are not called dead or low: {count}",
            "生效不到一周、不判为失效或末位的规则：{count} 条",
            count=young,
        )
    if audit.requests and audit.since is not None and not any(_old(found, each.first) for each in audit.known.values()):
        yield said(
            "The log knows no rule for a week yet, so none is called dead ({days} days were looked at).",
            "日志里还没有哪条规则满一周，所以不判任何规则失效（看了 {days} 天）。",
            days=RULE_DAYS,
        )
    if found.erased:
        yield said(
            "{count} requests were erased: sums have them, the rest has not.",
            "有 {count} 个请求已被删除：汇总里有，其余没有。",
            count=number(found.erased),
        )
    for tried in found.tried[:1]:
        for why, count in tried.replay.unread.items() if tried.replay is not None else ():
            yield said(
                "In replays, {count}: {why}.", "回放时有 {count} 个：{why}。", count=number(count), why=UNREAD[why]
            )


def _old(found: Weekly, first: float) -> bool:
    return found.now - first >= 7 * _DAY
