"""Unanswered clusters, as a table."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.offline.gaps.gaps import Gap, Trend
from pointsman.offline.replay.section import number
from pointsman.offline.weekly.page import Part, Row, Tone
from pointsman.offline.weekly.shown import percent, seconds
from pointsman.offline.weekly.weekly import Weekly

_LONGEST = 100
_IDS = 2
_TRENDS: dict[Trend, Said] = {
    "up": Said("more ▲", "增多 ▲"),
    "down": Said("fewer ▼", "减少 ▼"),
    "steady": Said("no sure change", "没有明显变化"),
    "new": Said("new ●", "新出现 ●"),
    "unknown": Said("not known", "未知"),
}


def unsettled_part(found: Weekly, text: bool) -> Part:
    open_ones = found.unsettled
    lines: list[str] = [
        said(
            "{unsettled} of {questions} questions were settled by neither a rule nor the arbiter; {alone} of them are like "
            "no other.",
            "{questions} 个问题里，规则和意图模型都没有处理的有 {unsettled} 个；其中 {alone} 个没有同类。",
            unsettled=number(open_ones.unsettled),
            questions=number(open_ones.questions),
            alone=number(open_ones.alone),
        )
    ]
    if open_ones.since > found.week.start:
        days = (found.now - open_ones.since) / 86_400
        lines.append(
            said(
                "Only the last {days} days were looked at: more requests than that are not clustered.",
                "只看了最近 {days} 天：请求太多，不再多聚类。",
                days=f"{days:.1f}",
            )
        )
    if open_ones.heaps and not text:
        lines.append(Said("What was asked is shown with --text.", "加 --text 显示问题内容。"))
    heads = (
        Said("cluster", "类"),
        Said("such as", "例如"),
        Said("questions", "问题"),
        Said("share", "占比"),
        Said("first half", "前半"),
        Said("second", "后半"),
        Said("trend", "趋势"),
        Said("engine time", "引擎用时"),
    )
    rows = tuple(_row(place, heap.gap, text) for place, heap in enumerate(open_ones.heaps, 1))
    after = (said("{count} smaller ones", "另有 {count} 个较小的", count=open_ones.small),) if open_ones.small else ()
    return Part(
        Said("Unanswered clusters", "无人处理的问题"),
        tuple(lines),
        heads if rows else (),
        rows,
        frozenset((2, 3, 4, 5, 7)),
        wide=1,
        after=after,
    )


def _row(place: int, gap: Gap, text: bool) -> Row:
    tone: Tone = "warn" if gap.trend in ("up", "new") else ""
    like = " ".join(gap.representative.split())[:_LONGEST] if text else ", ".join(gap.ids[:_IDS])
    return Row(
        (
            str(place),
            like,
            number(gap.questions),
            percent(gap.share),
            number(gap.before),
            number(gap.now),
            _TRENDS[gap.trend],
            "–" if gap.seconds is None else seconds(gap.seconds),
        ),
        tone,
    )
