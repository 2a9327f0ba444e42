"""Suggested changes, each with what its replay over the week comes to."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.offline.replay.outcome import Effect, Replay
from pointsman.offline.replay.section import number
from pointsman.offline.weekly.page import Part, Row, Tone
from pointsman.offline.weekly.shown import percent, signed
from pointsman.offline.weekly.tried import Tried
from pointsman.offline.weekly.weekly import Weekly

_CELLS = 5
"""Columns of effects."""


def tried_part(found: Weekly) -> Part:
    rows = []
    if found.as_it_is is not None:
        what = Said("no change: the newest policy, over the whole period", "不改：最新策略用于整个时段")
        rows.append(Row(("0", what, *_effects(found.as_it_is))))
    if found.against is not None:
        name, replay = found.against
        rows.append(
            Row(("–", said("--against {name}", "--against {name}", name=name), *_effects(replay)), _tone(replay))
        )
    rows += [_row(place, each) for place, each in enumerate(found.tried, 1)]
    lines: list[str] = []
    if rows:
        lines.append(
            Said(
                "Each was replayed over the requests of this period: what moves, and by how much time, GPU seconds and "
                "quality change against what was logged, with intervals of 95 %.",
                "每条建议都用本期的请求回放：有多少请求改变去向，耗时、GPU 秒和质量相对日志变化多少，附 95% 区间。",
            )
        )
        lines.append(
            Said(
                "Green: it surely betters quality, or saves GPU time; red: the other way round.",
                "绿色：质量一定更好，或 GPU 时间一定更省；红色：相反。",
            )
        )
    if rows and found.replayed > found.week.start:
        lines.append(
            said(
                "Only the last {days} days were replayed: more requests than that are not.",
                "只回放了最近 {days} 天：请求太多，不再往前。",
                days=f"{(found.now - found.replayed) / 86_400:.1f}",
            )
        )
    if not found.tried:
        lines.append(Said("Nothing in this period calls for a change.", "这段时间没有需要改动的地方。"))
    lines += found.none
    if found.left_out:
        lines.append(
            said(
                "{count} more were not replayed, since each is a pass over the log.",
                "另有 {count} 条没有回放，因为每条都要把日志读一遍。",
                count=found.left_out,
            )
        )
    heads = (
        Said("no.", "序号"),
        Said("change", "改动"),
        Said("moves", "改变去向"),
        Said("mean time, s", "平均耗时（秒）"),
        Said("95 % time, s", "P95 耗时（秒）"),
        Said("GPU seconds", "GPU 秒"),
        Said("quality", "质量"),
    )
    return Part(
        Said("Suggested changes", "建议的改动"),
        tuple(lines),
        heads if rows else (),
        tuple(rows),
        frozenset((2, 3, 4, 5, 6)),
        wide=1,
    )


def _row(place: int, each: Tried) -> Row:
    suggestion, replay = each.suggestion, each.replay
    notes: list[str] = [suggestion.why]
    if suggestion.bound is not None:
        notes.append(suggestion.bound)
    if each.why is not None:
        notes.append(each.why)
    if replay is None:
        return Row((str(place), suggestion.what, *("–",) * _CELLS), "", tuple(notes), suggestion.config)
    if replay.unreadable:
        notes.append(
            said(
                "{count} requests ({share}) could not be decided again",
                "{count} 个请求（{share}）无法重新决定",
                count=number(replay.unreadable),
                share=percent(replay.unreadable_share),
            )
        )
    if replay.forecast.guessed_quality:
        notes.append(
            said(
                "the quality of {count} is guessed by the size of their model",
                "其中 {count} 个的质量按模型规模猜测",
                count=number(replay.forecast.guessed_quality),
            )
        )
    return Row((str(place), suggestion.what, *_effects(replay)), _tone(replay), tuple(notes), suggestion.config)


def _effects(replay: Replay) -> tuple[str, ...]:
    forecast = replay.forecast
    if not replay.compared:
        return ("–",) * _CELLS
    moved = f"{number(replay.moved)} ({percent(replay.moved_share)})"
    times = [_change(effect) for effect in (forecast.mean, forecast.p95, forecast.gpu)]
    return (moved, *times, _change(forecast.quality) if forecast.answered else "–")


def _change(effect: Effect) -> str:
    low, high = sorted((effect.low - effect.before, effect.high - effect.before))
    change = signed(effect.after - effect.before)
    return change if change == signed(low) == signed(high) else f"{change} ({signed(low)} … {signed(high)})"


def _tone(replay: Replay) -> Tone:
    """Good and bad only where an interval leaves no doubt: quality goes before GPU seconds."""
    for effect, more_is_better in ((replay.forecast.quality, True), (replay.forecast.gpu, False)):
        if effect.low > effect.before:
            return "good" if more_is_better else "bad"
        if effect.high < effect.before:
            return "bad" if more_is_better else "good"
    return ""
