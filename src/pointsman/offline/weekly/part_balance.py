"""Load, waiting, idle models and models that come and go, as a table."""

from __future__ import annotations

from pointsman.domain.said import Said
from pointsman.offline.replay.section import number
from pointsman.offline.weekly.balance import Balance, Trouble
from pointsman.offline.weekly.page import Part, Row, Tone
from pointsman.offline.weekly.shown import busy, joined, milliseconds, percent, seconds
from pointsman.offline.weekly.weekly import Weekly

_TROUBLES: dict[Trouble, Said] = {
    "crowded": Said("crowded", "排队"),
    "idle": Said("idle", "闲置"),
    "comes_and_goes": Said("comes and goes", "反复装卸"),
    "fails": Said("fails", "常失败"),
}
_MEANS: dict[Trouble, Said] = {
    "crowded": Said(
        "Crowded: one in twenty of those that wait does so for a second or longer. Where other targets have room, there is "
        "a suggestion.",
        "排队：排队的请求里每二十个至少有一个等了一秒以上。其他目标若有余力，见建议。",
    ),
    "idle": Said(
        "Idle: it answered nothing. Unload it, or take it from the config, and its memory is free for others.",
        "闲置：没有回答过请求。可以卸载或从配置里删去，把显存让给其他模型。",
    ),
    "comes_and_goes": Said(
        "Comes and goes: loaded for every tenth request or more often. Keep it in memory longer, or send its work to a "
        "model that stays.",
        "反复装卸：每十个请求至少装载一次。让它在内存里多留一会儿，或把它的活交给常驻的模型。",
    ),
    "fails": Said(
        "Fails: at least one try for ten replies failed there. pointsman doctor says more.",
        "常失败：每十个回复至少有一次尝试失败。可用 pointsman doctor 查看。",
    ),
}


def balance_part(found: Weekly) -> Part:
    rows = sorted(found.balances, key=lambda each: -each.seconds)
    troubles = dict.fromkeys(trouble for each in rows for trouble in each.troubles)
    lines: list[str] = [_MEANS[trouble] for trouble in troubles]
    if rows and not lines:
        lines.append(Said("Nothing stands out.", "没有明显的问题。"))
    if not rows:
        lines.append(Said("No target is known from this period.", "这段时间没有已知的目标。"))
    heads = (
        Said("target", "目标"),
        Said("tier", "层级"),
        Said("requests", "请求"),
        Said("engine time", "引擎用时"),
        Said("share", "占比"),
        Said("busy", "平均并发"),
        Said("95 % wait", "P95 排队"),
        Said("95 % time", "P95 耗时"),
        Said("failed tries", "失败尝试"),
        Said("loaded", "装载"),
        Said("note", "说明"),
    )
    return Part(
        Said("Imbalance", "负载均衡"),
        tuple(lines),
        heads if rows else (),
        tuple(_row(each) for each in rows),
        frozenset(range(2, 10)),
    )


def _row(each: Balance) -> Row:
    tone: Tone = "" if not each.troubles else "warn" if each.troubles == ("idle",) else "bad"
    return Row(
        (
            each.target,
            each.tier,
            number(each.requests),
            seconds(each.seconds),
            percent(each.share),
            busy(each.busy),
            milliseconds(each.queued_ms),
            milliseconds(each.whole_ms),
            number(each.failures),
            "–" if each.loads is None else number(each.loads),
            joined([_TROUBLES[trouble] for trouble in each.troubles]) if each.troubles else "–",
        ),
        tone,
    )
