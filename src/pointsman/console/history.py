"""What came in a stretch of time, as the log sums it up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from pointsman.console.gauges import Share, quantile, shares_of
from pointsman.console.kinds import KINDS, Kind, kind_of
from pointsman.domain.said import Said

Span = Literal["15m", "1h", "24h", "7d"]


class Stretch(msgspec.Struct, frozen=True):
    """`seconds` long, looked at in steps of `step` seconds."""

    seconds: int
    step: int
    title: Said


SPANS: Mapping[str, Stretch] = {
    "15m": Stretch(900, 60, Said("15 min", "15 分钟")),
    "1h": Stretch(3600, 60, Said("1 hour", "1 小时")),
    "24h": Stretch(86_400, 3600, Said("24 hours", "24 小时")),
    "7d": Stretch(604_800, 21_600, Said("7 days", "7 天")),
}
USUAL = "1h"


class Slice(msgspec.Struct, frozen=True):
    """Requests that came within a step from `start` on (seconds since the epoch), of one stage and outcome. `firsts`: how
    many first tokens came within which of the log's bounds, by its number."""

    start: int
    stage: str | None
    outcome: str
    many: int
    firsts: Mapping[int, int] = {}


class Summed(msgspec.Struct, frozen=True):
    """`bounds` are milliseconds; the first and the last bucket of a slice's `firsts` are below and above them."""

    slices: Sequence[Slice]
    bounds: Sequence[float]


Summing = Callable[[float, float, int], Summed]
"""(from, until, step) → what came in between; empty where there is no log yet. Reads the disk: call it beside the loop."""


class Past(msgspec.Struct, frozen=True):
    """A stretch as the page shows it. `ttft` are p50 and p95 in milliseconds. `series` has the moments first, then how many
    requests a minute came of each of KINDS."""

    span: str
    since: float
    many: float
    shares: Sequence[Share]
    failed: int
    refused: int
    ttft: tuple[float | None, float | None]
    series: Sequence[Sequence[float]]


def past_of(summed: Summed, span: str, now: float) -> Past:
    """`summed` is what came since `began(span, now)`."""
    stretch = SPANS[span]
    since = began(span, now)
    moments = list(range(int(since), int(now) + 1, stretch.step))
    places = {moment: place for place, moment in enumerate(moments)}
    lines: dict[Kind, list[float]] = {kind: [0.0] * len(moments) for kind in (*KINDS, "none")}
    many: dict[Kind, float] = dict.fromkeys((*KINDS, "none"), 0.0)
    firsts = [0] * (len(summed.bounds) + 1)
    failed = 0
    for each in summed.slices:
        kind = kind_of(each.stage, each.outcome)
        many[kind] += each.many
        failed += each.many if each.outcome == "failed" else 0
        for bucket, count in each.firsts.items():
            firsts[bucket] += count
        if (place := places.get(each.start)) is not None:
            lines[kind][place] += each.many * 60 / stretch.step
    return Past(
        span=span,
        since=since,
        many=sum(many.values()),
        shares=shares_of(many),
        failed=failed,
        refused=int(many["refused"]),
        ttft=(quantile(summed.bounds, firsts, 0.5), quantile(summed.bounds, firsts, 0.95)),
        series=[moments, *(lines[kind] for kind in KINDS)],
    )


def began(span: str, now: float) -> float:
    """When that stretch began, on the step: what the log has summed up begins there."""
    stretch = SPANS[span]
    return (int(now) - stretch.seconds) // stretch.step * stretch.step + stretch.step
