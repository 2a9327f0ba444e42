"""The tables of `bench log --million`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.log_million import SIZE
from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import Table, figure, spread_cell
from pointsman.domain.said import Said, said

_NAMES = {
    "newest": Said("the newest", "最新"),
    "stage": Said("by stage", "按层级"),
    "rule": Said("by rule", "按规则"),
    "caller": Said("by a rare caller", "按少见的调用方"),
    "caller and rule": Said("by caller and rule", "按调用方和规则"),
    "never together": Said("by two values that never come together", "按从不同时出现的两个值"),
    "no such caller": Said("by a caller that there is not", "按不存在的调用方"),
    "no such error": Said("by an error that there is not", "按不存在的错误"),
    "one in all": Said("by what one request has", "按只有一个请求才有的值"),
    "id": Said("by id", "按 ID"),
    "deep": Said("half a month back", "半个月前的一页"),
    "deep, errors": Said("half a month back, by error", "半个月前，按错误"),
    "sums of 30 days, by day": Said("sums of 30 days, by day", "30 天的汇总，按天"),
    "sums of 30 days, by day and rule": Said("sums of 30 days, by day and rule", "30 天的汇总，按天和规则"),
    "sums of 30 days, by hour": Said("sums of 30 days, by hour", "30 天的汇总，按小时"),
    "sums of 30 days, by hour and stage": Said("sums of 30 days, by hour and stage", "30 天的汇总，按小时和层级"),
}


def log_million_tables(results: Results) -> Iterator[Table]:
    count = results.options["count"]
    size = results.spread(POINTSMAN, SIZE, "bytes")
    title = said(
        "A log of {count:,} requests, {size:,.0f} MB; milliseconds of a query, {times} times",
        "{count:,} 个请求的日志，{size:,.0f} MB；每个查询的毫秒数，各 {times} 次",
        count=count,
        size=size.median / 1e6 if size else 0.0,
        times=results.options["rounds"],
    )
    lines = []
    for row in results.rows:
        taken = sorted(sample.values["ms"] for sample in results.samples if sample.row == row and "ms" in sample.values)
        if taken:
            slow = taken[min(len(taken) - 1, round(0.99 * len(taken)))]
            used = results.spread(POINTSMAN, row, "cpu_ms")
            lines.append(
                [_NAMES[row], figure(taken[len(taken) // 2]), figure(slow), figure(taken[-1]), spread_cell(used)]
            )
    heads = (Said("page of 50", "一页 50 条"), "p50", "p99", Said("most", "最大"), Said("CPU", "处理器时间"))
    yield Table(title, heads, lines)
