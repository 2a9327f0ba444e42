"""The tables of `bench replay`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.replay.check import FIGURES, ROUTES, WEIGHTS
from pointsman.bench.replay.speed import BOTH, GIVEN, TASKS, TERMS, WHOLE
from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import Cell, Table, count_cell, figure, spread_cell
from pointsman.domain.said import Said, said

_ROWS = {
    TERMS: Said("other weights: by logged scores", "换权重：按日志中的评分"),
    WHOLE: Said("another rule: decided anew", "加规则：重新决定"),
    TASKS: Said(
        "another classifier: classifier and scores anew; rules by the log where they said nothing",
        "换分类器：分类和评分重算；规则没有说什么的按日志",
    ),
    BOTH: Said("the same, all of it by both policies (--verify)", "同上，两份策略全部重算（--verify）"),
    GIVEN: Said("the log that was given", "给定的日志"),
    ROUTES: Said("other routes, another rule", "换路由，加规则"),
    WEIGHTS: Said("other weights", "换权重"),
}
_NAMES = {
    "mean_seconds": Said("mean time, s", "平均耗时，秒"),
    "median_seconds": Said("median time, s", "耗时中位数，秒"),
    "p95_seconds": Said("95 % time, s", "P95 耗时，秒"),
    "gpu_seconds": Said("engine seconds", "引擎秒"),
}


def replay_tables(results: Results) -> Iterator[Table]:
    keys = ("per_s", "compared_n", "moved_n", "by_terms_n", "checked_n", "unreadable_n")
    lines: list[list[Cell]] = []
    for row in results.rows:
        spreads = [results.spread(POINTSMAN, row, key) for key in keys]
        lines.append([_ROWS[row], spread_cell(spreads[0]), *map(count_cell, spreads[1:])])
    heads = (
        Said("the new policy has", "新策略"),
        Said("decisions/s", "每秒决定"),
        Said("compared", "比较"),
        Said("move", "去向不同"),
        Said("told by terms", "按评分得出"),
        Said("checked by the old policy", "用旧策略核对"),
        Said("cannot be told", "无法得知"),
    )
    yield Table(Said("Replay, seconds of one core", "回放，按单核 CPU 秒"), heads, lines)


def replay_check_tables(results: Results) -> Iterator[Table]:
    shares: list[list[Cell]] = []
    for row in results.rows:
        cells: list[Cell] = [_ROWS[row]]
        for key in ("requests_n", "told_moved_share", "real_moved_share", "wrong_n"):
            spread = results.spread(POINTSMAN, row, key)
            share = key.endswith("share") and spread is not None
            cells.append(f"{100 * spread.median:.1f}%" if share and spread else count_cell(spread))
        shares.append(cells)
    heads = (
        Said("the new policy has", "新策略"),
        Said("requests", "请求"),
        Said("forecast to move", "预测移动"),
        Said("moved", "实际移动"),
        Said("that went elsewhere than forecast", "去向与预测不符"),
    )
    yield Table(Said("Where requests go", "请求的去向"), heads, shares)
    for row in results.rows:
        lines = [_figures(results, row, name) for name in FIGURES]
        title = said("{row}: forecast and truth", "{row}：预测与实际", row=_ROWS[row])
        yield Table(title, _HEADS, lines)


_HEADS = (
    Said("figure", "指标"),
    Said("before", "之前"),
    Said("forecast", "预测"),
    Said("95 % interval", "95% 区间"),
    Said("truth", "实际"),
    Said("error", "误差"),
)


def _figures(results: Results, row: str, name: str) -> list[Cell]:
    def of(what: str) -> float:
        spread = results.spread(POINTSMAN, row, f"{name}_{what}")
        return spread.median if spread is not None else 0.0

    return [
        _NAMES[name],
        figure(of("was")),
        figure(of("told")),
        f"{figure(of('low'))}–{figure(of('high'))}",
        figure(of("real")),
        f"{100 * of('error_share'):+.1f}%",
    ]
