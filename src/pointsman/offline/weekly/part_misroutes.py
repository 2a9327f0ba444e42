"""Misroute patterns, as a table."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.offline.replay.section import number
from pointsman.offline.review.ranking import LIMIT
from pointsman.offline.weekly.misroutes import FEW, Misroute, Standing
from pointsman.offline.weekly.page import Part, Row, Tone
from pointsman.offline.weekly.shown import between, percent
from pointsman.offline.weekly.weekly import Weekly

_ROWS = 15
_STANDINGS: dict[Standing, Said] = {
    "doubted": Said("doubted", "存疑"),
    "maybe": Said("maybe", "可能"),
    "fine": Said("fine", "正常"),
    "few": Said("too few", "太少"),
}
_TONES: dict[Standing, Tone] = {"doubted": "bad", "maybe": "warn", "fine": "good", "few": ""}
NO_TASK = Said("(not told)", "（未判定）")


def misroutes_part(found: Weekly) -> Part:
    rows = found.misroutes
    lines: list[str] = []
    if not rows:
        lines.append(Said("No model answered anything in this period.", "这段时间没有模型回答过请求。"))
    else:
        lines.append(
            said(
                "Doubted is a model at a kind of task where surely (95 %) more than {limit} of its replies were complained "
                "of, or nearly the same was asked again; below {few} replies nothing is told.",
                "某模型在某类任务上，有把握（95%）超过 {limit} 的回复被投诉、或随后又问了几乎一样的问题，即为存疑；"
                "少于 {few} 个回复不作判断。",
                limit=f"{100 * LIMIT:.0f}%",
                few=FEW,
            )
        )
    after = [_more(rows[_ROWS:])] if len(rows) > _ROWS else []
    clarified = found.looked.clarified
    if clarified:
        most = list(clarified.items())[:5]
        after.append(
            said(
                "The arbiter asked back {count} times, most about: {most}",
                "意图模型反问了 {count} 次，最多的是：{most}",
                count=number(sum(clarified.values())),
                most=", ".join(f"{intent} {number(count)}" for intent, count in most),
            )
        )
    heads = (
        Said("task", "任务"),
        Said("model", "模型"),
        Said("replies", "回复"),
        Said("complaints", "投诉"),
        Said("95 %", "95% 区间"),
        Said("asked again", "追问"),
        Said("95 %", "95% 区间"),
        Said("left", "中断"),
        Said("moved", "修正"),
        Said("standing", "判断"),
    )
    return Part(
        Said("Misroute patterns", "误路由"),
        tuple(lines),
        heads if rows else (),
        tuple(_row(each) for each in rows[:_ROWS]),
        frozenset((2, 3, 4, 5, 6, 7, 8)),
        wide=1,
        after=tuple(after),
    )


def _row(each: Misroute) -> Row:
    watched = each.watched
    return Row(
        (
            each.task or NO_TASK,
            each.model,
            number(each.replies),
            percent(each.complaints / each.replies) if each.rated else "–",
            between(*each.complaint_interval) if each.rated else "–",
            percent(each.asked_again / watched) if watched else "–",
            between(*each.again_interval) if watched else "–",
            number(each.hung_up),
            f"{each.shift:+.2f}" if each.shift else "–",
            _STANDINGS[each.standing],
        ),
        _TONES[each.standing],
    )


def _more(rest: tuple[Misroute, ...]) -> Said:
    return said(
        "{count} more with {replies} replies",
        "另有 {count} 组，共 {replies} 个回复",
        count=len(rest),
        replies=number(sum(each.replies for each in rest)),
    )
