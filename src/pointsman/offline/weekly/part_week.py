"""The figures of the week beside those of the week before."""

from __future__ import annotations

from pointsman.domain.said import Said
from pointsman.offline.weekly.page import Part, Row, Tile, Tone
from pointsman.offline.weekly.shown import grown, large, milliseconds, points, share
from pointsman.offline.weekly.spans import Span
from pointsman.offline.weekly.weekly import Weekly

_MATTERS = 0.05
"""A change by less is neither good nor bad."""


def tiles(found: Weekly) -> tuple[Tile, ...]:
    now, was = found.week, found.before
    return (
        _count(Said("Requests", "请求数"), now.requests, was.requests, was),
        _share(Said("Settled without a model", "无需模型"), (now.spared, was.spared), now, was, better=True),
        _share(Said("Failed", "失败"), (now.failed, was.failed), now, was, better=False),
        _time(Said("95 % time", "P95 耗时"), now.whole.total_ms.quantile(0.95), was.whole.total_ms.quantile(0.95)),
        _time(Said("95 % wait", "P95 排队"), now.whole.queued_ms.quantile(0.95), was.whole.queued_ms.quantile(0.95)),
        _count(Said("Output tokens", "输出 token"), now.whole.output_tokens, was.whole.output_tokens, was),
    )


def week_part(found: Weekly) -> Part:
    now, was = found.week, found.before
    rows = [Row((each.label, each.value, each.was or "–", each.change or "–"), each.tone) for each in tiles(found)]
    more = (
        _count(Said("Input tokens", "输入 token"), now.whole.input_tokens, was.whole.input_tokens, was),
        _count(Said("of these cached", "其中命中缓存"), now.whole.cached_tokens, was.whole.cached_tokens, was),
        _time(Said("95 % first token", "P95 首字"), now.whole.ttft_ms.quantile(0.95), was.whole.ttft_ms.quantile(0.95)),
        _stage(Said("Rules (L0)", "规则（L0）"), "l0", now, was),
        _stage(Said("Arbiter (L1)", "意图（L1）"), "l1", now, was),
        _stage(Said("Models", "模型"), "model", now, was),
    )
    rows += [Row((each.label, each.value, each.was or "–", each.change or "–"), each.tone) for each in more]
    lines = (
        ()
        if was.requests
        else (
            Said(
                "The log has no sums of the time before: nothing to compare with.", "日志里没有此前的汇总，无从比较。"
            ),
        )
    )
    heads = (Said("figure", "指标"), Said("this period", "本期"), Said("before", "上期"), Said("change", "变化"))
    after = (
        Said(
            "Times are the upper bound of the bucket of the log's histogram; pp: points of a hundred.",
            "耗时取日志直方图所在区间的上界；pp 为百分点。",
        ),
    )
    return Part(
        Said("This period beside the one before", "本期与上期"),
        lines,
        heads,
        tuple(rows),
        frozenset((1, 2, 3)),
        after=after,
    )


def _count(label: Said, now: int, was: int, before: Span) -> Tile:
    if not before.requests:
        return Tile(label, large(now))
    return Tile(label, large(now), large(was), grown(now, was))


def _share(label: Said, counts: tuple[int, int], now: Span, was: Span, *, better: bool) -> Tile:
    shown = share(counts[0], now.requests)
    if not was.requests or not now.requests:
        return Tile(label, shown)
    new, old = counts[0] / now.requests, counts[1] / was.requests
    tone: Tone = ""
    if abs(new - old) >= 0.01:
        tone = "good" if (new > old) is better else "bad"
    return Tile(label, shown, share(counts[1], was.requests), points(new, old), tone)


def _time(label: Said, now: float | None, was: float | None) -> Tile:
    if now is None or was is None:
        return Tile(label, milliseconds(now), None if was is None else milliseconds(was))
    tone: Tone = "" if abs(now - was) <= _MATTERS * was else "good" if now < was else "bad"
    return Tile(label, milliseconds(now), milliseconds(was), grown(now, was), tone)


def _stage(label: Said, stage: str, now: Span, was: Span) -> Tile:
    counts = [span.stages[stage].count if stage in span.stages else 0 for span in (now, was)]
    if not was.requests or not now.requests:
        return Tile(label, share(counts[0], now.requests))
    new, old = counts[0] / now.requests, counts[1] / was.requests
    return Tile(label, share(counts[0], now.requests), share(counts[1], was.requests), points(new, old))
