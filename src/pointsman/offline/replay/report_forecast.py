"""What is forecast, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice, zip_longest

from pointsman.domain.said import Said, said
from pointsman.offline.replay.moved import Place
from pointsman.offline.replay.outcome import Effect, Forecast, Move, TargetEffect
from pointsman.offline.replay.section import Behind, Section, counted, figure, number
from pointsman.offline.replay.words import SPEEDS

_IDS = 50
"""Of requests that stand behind one figure."""
_BUSY = 0.7
"""Of its slots; above that a target's queue grows so much that no forecast of times holds."""


def ids_of(moves: Iterable[Move]) -> tuple[str, ...]:
    """Of requests that move so, some of each kind of move."""
    samples = [[sample.id for sample in move.samples] for move in moves]
    mixed = (name for name in chain.from_iterable(zip_longest(*samples)) if name is not None)
    return tuple(islice(mixed, _IDS))


def forecast_section(told: Forecast, moves: Sequence[Move]) -> Section:
    """`before` is what all requests of the period took; `moves` make the difference."""
    rows = (
        _effect(Said("mean time", "平均耗时"), told.mean, "s"),
        _effect(Said("median time", "耗时中位数"), told.median, "s"),
        _effect(Said("95 % time", "P95 耗时"), told.p95, "s"),
        _effect(Said("GPU seconds", "GPU 秒"), told.gpu, ""),
        _effect(Said("quality", "质量"), told.quality, ""),
    )
    lines = [
        said(
            "of {requests} requests that came to a good end; times are from arrival to the whole reply, quality is that of "
            "{answered} which a model answers before and after",
            "基于 {requests} 个正常结束的请求；耗时从到达算到回复完整，质量只计前后都由模型回答的 {answered} 个",
            requests=number(told.requests),
            answered=number(told.answered),
        )
    ]
    if told.guessed_speed:
        lines.append(
            counted(
                told.guessed_speed,
                Said("go to a target whose speed was not measured by requests", "去往没有实测请求的目标"),
            )
        )
    if told.guessed_quality:
        lines.append(
            counted(told.guessed_quality, Said("have a quality that is guessed by size", "的质量按模型规模猜测"))
        )
    if told.untimed:
        lines.append(
            counted(told.untimed, Said("go to an action of which the log has no time", "去往日志里没有耗时的动作"))
        )
    heads = (
        Said("forecast", "预测"),
        Said("before", "之前"),
        Said("after", "之后"),
        Said("change", "变化"),
        Said("95 % interval", "95% 区间"),
    )
    ids = ids_of(moves)
    behind = [Behind(row, 1) for row in range(len(rows))]
    behind += [Behind(row, column, ids=ids) for row in range(len(rows)) for column in (2, 3, 4)]
    return Section(
        Said("What that comes to", "影响"), tuple(lines), heads, rows, frozenset((1, 2, 3, 4)), tuple(behind)
    )


def _effect(name: Said, effect: Effect, unit: str) -> tuple[str, ...]:
    def shown(value: float) -> str:
        return f"{figure(value)} {unit}".strip()

    change = "-" if effect.change is None else f"{round(100 * effect.change, 1) + 0.0:+.1f}%"
    return name, shown(effect.before), shown(effect.after), change, f"{figure(effect.low)} – {figure(effect.high)}"


def targets_section(told: Forecast, moves: Sequence[Move]) -> Section:
    rows = tuple(
        (
            each.target,
            number(each.requests_before),
            number(each.requests_after),
            figure(each.seconds_before),
            figure(each.seconds_after),
            _busy(each.busy_before, each.slots),
            _busy(each.busy_after, each.slots),
            said(
                "{source} ({count})", "{source}（{count}）", source=SPEEDS[each.speed], count=number(each.speed_samples)
            ),
        )
        for each in told.targets
    )
    heads = (
        Said("target", "目标"),
        Said("requests", "请求"),
        Said("then", "之后"),
        Said("engine s", "引擎秒"),
        Said("then", "之后"),
        Said("busy", "并发"),
        Said("then", "之后"),
        Said("speed by", "速度依据"),
    )
    crowded = [each for each in told.targets if _crowded(each)]
    lines = tuple(
        said(
            "{target} would be at work on {busy} requests on the average: its queue grows, and times with it, which is not "
            "in the forecast",
            "{target} 平均要同时处理 {busy} 个请求：排队会变长，耗时随之增加，这不在预测之内",
            target=each.target,
            busy=_busy(each.busy_after, each.slots),
        )
        for each in crowded
    )
    behind: list[Behind] = []
    for row, each in enumerate(told.targets):
        place = Place("target", each.target)
        ids = ids_of(move for move in moves if place in (move.before, move.after))
        behind += [Behind(row, column, fields={"target": each.target}) for column in (1, 3, 5)]
        behind += [Behind(row, column, ids=ids) for column in (2, 4, 6)]
    return Section(Said("Targets", "目标"), lines, heads, rows, frozenset((1, 2, 3, 4, 5, 6)), tuple(behind))


def _crowded(each: TargetEffect) -> bool:
    return each.busy_after > each.busy_before * 1.05 and each.busy_after > _BUSY * (each.slots or 1)


def _busy(value: float, slots: int | None) -> str:
    return f"{value:.2f}" if slots is None else f"{value:.2f} / {slots}"
