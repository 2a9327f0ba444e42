"""`report scale`, for people and for programs."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Any

import msgspec

from pointsman.admission.scale.signals import Sign
from pointsman.admission.scale.words import sentence, span
from pointsman.cli.table import table
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.offline.whatif.forecast import Range
from pointsman.offline.whatif.report import Scale, Wanted, is_enough, verdict

_HEADS = (
    Said("nodes", "节点"),
    Said("wait P50 s", "等待 P50 秒"),
    Said("P95 s", "P95 秒"),
    Said("P99 s", "P99 秒"),
    Said("turned away", "被拒"),
    Said("engines busy", "引擎忙碌"),
    Said("loads", "加载次数"),
)
_LAST = 5


def as_lines(found: Scale, wanted: Wanted, zone: tzinfo, tongue: Tongue) -> list[str]:
    signs = [sentence(sign, wanted.now, zone) for sign in (*found.holding, *found.over[-_LAST:])]
    if not found.holding:
        signs.insert(0, Said("No sign holds now.", "目前没有任何迹象。"))
    rows = [
        (
            str(row.nodes),
            *(_range(each, "{:.2f}") for each in (row.p50, row.p95, row.p99)),
            *(_range(each, "{:.1%}") for each in (row.shed, row.use)),
            _range(row.loads, "{:.0f}"),
        )
        for row in found.rows
    ]
    shown = table([told(head, tongue) for head in _HEADS], rows, set(range(len(_HEADS))))
    parts = [
        *signs,
        "",
        said(
            "{n} requests for engines over {span}; the slowest 1 of 100 waited {s:.2f} s. The same on other numbers of "
            "nodes, simulated:",
            "{span}内有 {n} 个请求到达引擎，最慢的 1% 等了 {s:.2f} 秒。换成不同节点数的模拟结果：",
            n=f"{found.requests:,}",
            span=span(found.seconds),
            s=found.waited,
        ),
        "",
        *shown,
        "",
        verdict(found.rows, wanted.goal),
        is_enough(wanted.goal),
        *_notes(found),
    ]
    return [told(part, tongue) for part in parts]


def as_json(found: Scale, wanted: Wanted) -> Any:
    return {
        "holding": [_sign(sign, wanted) for sign in found.holding],
        "over": [_sign(sign, wanted) for sign in found.over],
        "requests": found.requests,
        "turned_away": found.turned_away,
        "seconds": found.seconds,
        "waited_p99": found.waited,
        "nodes": [msgspec.to_builtins(row) for row in found.rows],
        "engines": {
            name: {"beside": each.beside, "measured": each.measured, "met": each.met, "error": each.error}
            for name, each in found.slowdowns.items()
        },
        "goal": wanted.goal,
        "verdict": _both(verdict(found.rows, wanted.goal)),
    }


def _sign(sign: Sign, wanted: Wanted) -> dict[str, Any]:
    return {**msgspec.to_builtins(sign), "text": _both(sentence(sign, wanted.now, UTC))}


def _both(text: Said) -> dict[str, str]:
    return {"en": str(text), "zh": text.zh}


def _range(of: Range, form: str) -> str:
    value = form.format(of.value)
    low, high = form.format(of.low), form.format(of.high)
    return value if low == high == value else f"{value} ({low}–{high})"


def _notes(found: Scale) -> list[Said]:
    notes = []
    for name, each in found.slowdowns.items():
        if each.measured:
            en = (
                "{name}: beside each other one a request takes {b:.2f} of its own time more ({met:.1f} at a time on "
                "average, {n} requests)."
            )
            zh = "{name}：每多一个并行请求，耗时增加自身的 {b:.2f}（平均同时 {met:.1f} 个，共 {n} 个请求）。"
        else:
            en = (
                "{name}: requests hardly met; that one takes {b:.2f} of its own time more beside each other one is assumed, "
                "not measured ({n} requests)."
            )
            zh = "{name}：请求很少并行；每多一个并行请求耗时增加自身的 {b:.2f} 是假设而非测量（{n} 个请求）。"
        notes.append(said(en, zh, name=name, b=each.beside, met=each.met, n=each.samples))
    if found.turned_away:
        notes.append(
            said(
                "{n} were turned away; each is taken to have wanted what another one to the same entry wanted.",
                "有 {n} 个请求被拒；假定每个都与发往同一入口的另一个请求所需相同。",
                n=found.turned_away,
            )
        )
    notes.append(
        Said(
            "Full memory and models that push each other out are not in the log's sums: the metric pointsman_scale_signal "
            "tells of them.",
            "内存紧张和模型互相挤出不在日志的汇总里：见指标 pointsman_scale_signal。",
        )
    )
    return notes
