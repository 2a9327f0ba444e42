"""The report of a week as a page: what is said, in which order, in both languages."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from pointsman.domain.said import Said, said
from pointsman.offline.replay.section import number
from pointsman.offline.weekly.page import Page, Part, Tone
from pointsman.offline.weekly.part_balance import balance_part
from pointsman.offline.weekly.part_misroutes import misroutes_part
from pointsman.offline.weekly.part_rules import rules_part
from pointsman.offline.weekly.part_tried import tried_part
from pointsman.offline.weekly.part_unjudged import unjudged_part
from pointsman.offline.weekly.part_unsettled import unsettled_part
from pointsman.offline.weekly.part_week import tiles, week_part
from pointsman.offline.weekly.weekly import Weekly

TITLE = Said("Weekly report", "每周报告")


def page(found: Weekly, zone: ZoneInfo, *, text: bool) -> Page:
    """`text`: with words of prompts."""
    start, end = (
        f"{datetime.datetime.fromtimestamp(each, zone):%Y-%m-%d %H:%M}" for each in (found.week.start, found.now)
    )
    return Page(
        title=TITLE,
        about=said("{start} to {end}, {zone}", "{start} 至 {end}，{zone}", start=start, end=end, zone=zone.key),
        made=said("Pointsman, from the request log; no model was asked.", "Pointsman 根据请求日志生成，没有调用模型。"),
        short=tuple(_short(found)),
        tiles=tiles(found),
        days=found.days,
        days_title=Said("Requests a day", "每天请求数"),
        days_before=Said("the period before", "上期"),
        parts=_parts(found, text),
    )


def _parts(found: Weekly, text: bool) -> tuple[Part, ...]:
    return (
        tried_part(found),
        misroutes_part(found),
        balance_part(found),
        rules_part(found, text),
        unsettled_part(found, text),
        week_part(found),
        unjudged_part(found),
    )


def _short(found: Weekly) -> Iterator[tuple[Tone, Said]]:
    if not found.looked.requests:
        yield "", Said("No request came in this period.", "这段时间没有请求。")
        return
    doubted = [each for each in found.misroutes if each.standing == "doubted"]
    if doubted:
        yield (
            "bad",
            said(
                "Kinds of tasks at which a model is doubted: {count} ({which})",
                "模型存疑的任务类型：{count} 处（{which}）",
                count=len(doubted),
                which=_some([f"{each.model} · {each.task or '?'}" for each in doubted]),
            ),
        )
    troubled = [each for each in found.balances if each.troubles]
    if troubled:
        yield (
            "warn",
            said(
                "Targets out of balance: {count} ({which})",
                "负载异常的目标：{count} 个（{which}）",
                count=len(troubled),
                which=_some([each.target for each in troubled]),
            ),
        )
    act = [each for each in found.rules.advice if each.what in ("drop", "shadow", "narrow")]
    if act:
        yield (
            "warn",
            said(
                "Rules dead or doubtful: {count} ({which})",
                "失效或存疑的规则：{count} 条（{which}）",
                count=len(act),
                which=_some([each.rule for each in act]),
            ),
        )
    heaps = found.unsettled.heaps
    if heaps:
        yield (
            "warn",
            said(
                "Clusters that nobody settles: {count}, with so many questions: {questions}",
                "无人处理的问题：{count} 类，共 {questions} 个",
                count=len(heaps) + found.unsettled.small,
                questions=number(sum(heap.gap.questions for heap in heaps)),
            ),
        )
    if found.tried:
        yield "good", said("Changes that were replayed: {count}", "回放过的改动：{count} 条", count=len(found.tried))
    if not (doubted or troubled or act or heaps):
        yield "good", Said("Nothing calls for a change.", "没有需要改动的地方。")


def _some(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")
