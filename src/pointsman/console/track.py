"""The way of a request drawn as a track: stations on a line, and the points at which it left it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from pointsman.console.kinds import Kind
from pointsman.console.rows import Whole
from pointsman.domain.said import Said

WIDTH = 920
_LINE, _UP, _DOWN = 90, 30, 150
_STATIONS: tuple[tuple[str, Said, int], ...] = (
    ("door", Said("Door", "入口"), 60),
    ("rules", Said("L0 rules", "L0 规则"), 220),
    ("arbiter", Said("L1 arbiter", "L1 仲裁"), 390),
    ("routing", Said("Routing", "路由"), 560),
    ("target", Said("Target", "目标"), 720),
)
_END = 860
_AT = {name: x for name, _, x in _STATIONS}


class Station(msgspec.Struct, frozen=True):
    """`passed`: the request was there. `note` is a name or a time of it."""

    x: int
    y: int
    name: Said
    passed: bool
    note: str = ""


class Rail(msgspec.Struct, frozen=True):
    """`path` is SVG's; `taken` is what the request ran on."""

    path: str
    taken: bool


class Track(msgspec.Struct, frozen=True):
    """`kind` colours what was taken; `stop` says how it ended there. What is drawn lies between `top` and `bottom`."""

    kind: Kind
    rails: Sequence[Rail]
    stations: Sequence[Station]
    stop: Station
    top: int
    bottom: int
    ended: Literal["reply", "stop", "under way"]


def track_of(whole: Whole) -> Track:
    row, decision = whole.row, whole.decision
    kind = row.kind
    heard = bool(row.intent) or (decision is not None and decision.arbitrated)
    reached = _reached(whole, heard)
    last = reached[-1]
    up = kind in ("l0", "l1") and row.outcome not in ("failed", "cancelled")
    ended: Literal["reply", "stop", "under way"] = "stop"
    if row.under_way:
        ended = "under way"
    elif up or (kind == "model" and row.outcome == "ok"):
        ended = "reply"
    rails: list[Rail] = []
    for (name, _, x), (after, _, to) in pairwise(_STATIONS):
        rails.append(Rail(f"M{x} {_LINE}H{to}", name in reached and _AT[last] >= _AT[after]))
    straight = last == "target" and ended == "reply"
    rails.append(Rail(f"M{_AT['target']} {_LINE}H{_END}", straight))
    if straight:
        stop = (_END, _LINE)
    elif row.under_way:
        stop = (_AT[last], _LINE)
    else:
        x = _AT[last]
        end_x, end_y = x + 140, _UP if ended == "reply" else _DOWN
        rails.append(Rail(f"M{x} {_LINE}C{x + 60} {_LINE} {x + 50} {end_y} {x + 110} {end_y}H{end_x}", True))
        stop = (end_x, end_y)
    notes = {
        "door": row.endpoint,
        "rules": row.rule or "",
        "arbiter": row.intent or "" if heard else "",
        "routing": row.task_type or "",
        "target": row.target or (whole.attempts[-1].target if whole.attempts else ""),
    }
    stations = [
        Station(x, _LINE, title, name in reached, _cut(notes[name]) if name in reached else "")
        for name, title, x in _STATIONS
    ]
    outcome = row.outcome or ""
    name = _ENDED.get(outcome, Said(outcome, outcome))
    return Track(
        kind=kind,
        rails=rails,
        stations=stations,
        stop=Station(*stop, name, True),
        top=min(stop[1], _LINE) - 40,
        bottom=max(stop[1] + 20, _LINE + 45),
        ended=ended,
    )


def _reached(whole: Whole, heard: bool) -> list[str]:
    """The stations that it came to, in their order; what it only ran past is not among them."""
    row = whole.row
    if row.stage is None:
        return ["door"]
    reached = ["door", "rules"]
    if heard:
        reached.append("arbiter")
    if row.stage == "model":
        reached.append("routing")
        if row.target or whole.attempts:
            reached.append("target")
    return reached


def _cut(text: str) -> str:
    return text if len(text) <= 22 else f"{text[:21]}…"


_ENDED = {
    "ok": Said("Reply", "回复"),
    "refused": Said("Refused", "拒绝"),
    "failed": Said("Failed", "失败"),
    "cancelled": Said("Hung up", "客户端断开"),
    "expired": Said("Expired", "过期"),
    "handed_over": Said("Handed over", "转交人工"),
}
