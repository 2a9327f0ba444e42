"""The tables of `bench rules`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import Cell, Table, ratio_cell, spread_cell
from pointsman.domain.said import Said


def rules_tables(results: Results) -> Iterator[Table]:
    compiled = [row for row in results.rows if results.spread(POINTSMAN, row, "compile_s")]
    compared = [row for row in results.rows if results.spread(POINTSMAN, row, "p99_us")]
    told = [row for row in results.rows if results.spread(POINTSMAN, row, "routed_us")]
    alone = [row for row in results.rows if row not in (*compiled, *compared, *told)]
    for row in compared:
        lines: list[list[Cell]] = [
            [
                subject,
                spread_cell(results.spread(subject, row, "p50_us")),
                ratio_cell(results.ratio(subject, row, "p50_us", POINTSMAN)),
                spread_cell(results.spread(subject, row, "p99_us")),
                spread_cell(results.spread(subject, row, "setup_s")),
                spread_cell(results.spread(subject, row, "hits"), 100.0),
            ]
            for subject in results.versions
        ]
        yield Table(Said(f"Decision: {row}", f"决策：{_zh(row)}"), _DECISION, lines)
    longest: list[list[Cell]] = [
        [Said(row, _zh(row)), spread_cell(results.spread(POINTSMAN, row, "p50_us"), 1e-3)] for row in alone
    ]
    yield Table(Said("Long texts without a winner", "没有规则命中的长文本"), (Said("text", "文本"), "p50 ms"), longest)
    tasks: list[list[Cell]] = [
        [
            Said(row, _zh(row)),
            *(spread_cell(results.spread(POINTSMAN, row, key)) for key in ("routed_us", "bare_us", "times")),
        ]
        for row in told
    ]
    yield Table(Said("A routed decision, its task type told", "需要路由的决策，并判定任务类型"), _TOLD, tasks)
    sizes: list[list[Cell]] = [
        [
            Said(row, _zh(row)),
            spread_cell(results.spread(POINTSMAN, row, "compile_s")),
            spread_cell(results.spread(POINTSMAN, row, "added_bytes"), 1e-6),
        ]
        for row in compiled
    ]
    yield Table(Said("Rules, compiled", "编译后的规则"), (Said("rules", "规则"), Said("seconds", "秒"), "MB"), sizes)


_DECISION = (
    Said("engine", "引擎"),
    "p50 µs",
    "× pointsman",
    "p99 µs",
    Said("making ready, s", "准备时间 秒"),
    Said("texts taken, %", "命中文本 %"),
)
_TOLD = (Said("text", "文本"), "p50 µs", Said("without, µs", "不判定 µs"), Said("times", "倍数"))
_ZH = {
    "rules of nested prefixes": "条嵌套前缀的规则",
    "rules of one repeated character": "条重复同一个字的规则",
    "rules of repeated letters": "条重复字母的规则",
    " rules compiled": " 条规则",
    " rules, ": " 条规则，",
    ", ": "，",
    " characters": " 个字符",
}


def _zh(row: str) -> str:
    for en, zh in _ZH.items():
        row = row.replace(en, zh)
    return row
