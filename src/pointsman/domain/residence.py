"""How a model that is not always in memory is now, and what changes that."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.said import Said

Stage = Literal["absent", "loading", "ready", "draining", "unloaded", "failed"]
"""absent: never loaded; unloaded: it was, and its memory is free again; draining: nobody new goes in, those inside end;
failed: the last load, or the model itself, came to nothing."""
Event = Literal["load", "loaded", "drain", "stay", "gone", "fail"]

_NEXT: dict[tuple[Stage, Event], Stage] = {
    ("absent", "load"): "loading",
    ("unloaded", "load"): "loading",
    ("failed", "load"): "loading",
    ("loading", "loaded"): "ready",
    ("loading", "fail"): "failed",
    ("loading", "gone"): "unloaded",
    ("ready", "drain"): "draining",
    ("ready", "fail"): "failed",
    ("draining", "stay"): "ready",
    ("draining", "gone"): "unloaded",
    ("draining", "fail"): "failed",
}
STAGES: dict[Stage, Said] = {
    "absent": Said("absent", "未加载"),
    "loading": Said("loading", "加载中"),
    "ready": Said("ready", "就绪"),
    "draining": Said("draining", "排空中"),
    "unloaded": Said("unloaded", "已卸载"),
    "failed": Said("failed", "失败"),
}


def after(stage: Stage, event: Event) -> Stage:
    """Raises ValueError for an event that cannot come there."""
    found = _NEXT.get((stage, event))
    if found is None:
        raise ValueError(f"{event} does not come while {stage}")
    return found


class Residence(msgspec.Struct, frozen=True):
    """One model on its backend. `since` is when the stage began, in seconds since the epoch; `problem` why it failed, and
    `again` when that is tried anew (None: not of itself); `memory` the bytes that it is taken to need, None where nobody can
    tell. `load_seconds`: how long it took the last time, None before; `loads`, `evictions`: how often so far. `progress`:
    how far loading is. `restart`: when it begins anew by itself, or why it did not."""

    target: str
    stage: Stage = "absent"
    since: float = 0.0
    problem: Said | None = None
    again: float | None = None
    progress: Said | None = None
    restart: Said | None = None
    pinned: bool = False
    group: str | None = None
    memory: int | None = None
    load_seconds: float | None = None
    loads: int = 0
    evictions: int = 0

    def blocked(self, now: float) -> bool:
        """Whether it has failed, and nobody tries again yet; `now` in seconds since the epoch."""
        return self.stage == "failed" and (self.again is None or self.again > now)


class Demand(msgspec.Struct, frozen=True, gc=False):
    """What is wanted of a model in one process: `waiting` requests that it alone could serve next, the first of them since
    `oldest`; `inside` are being served; one was served last at `used`. Monotonic seconds of this machine."""

    waiting: int = 0
    oldest: float | None = None
    inside: int = 0
    used: float = 0.0


def together(first: Demand, second: Demand) -> Demand:
    """Of two processes, or of two models."""
    oldest = [each.oldest for each in (first, second) if each.oldest is not None]
    return Demand(
        first.waiting + second.waiting,
        min(oldest, default=None),
        first.inside + second.inside,
        max(first.used, second.used),
    )
