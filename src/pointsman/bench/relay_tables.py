"""The tables of `bench relay`, its layers and its workers."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.results import Results, Spread
from pointsman.bench.rows import DIRECT, MEMORY, ROWS
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import Cell, Table, count_cell, ratio_cell, spread_cell
from pointsman.domain.said import Said, said

PEERS = ("vllm-router", "nginx")
"""Those whose figures the others are divided by."""
ONE = "whole-1"
"""The row at one client, which says what latency is added."""
_SUBJECT = Said("subject", "对象")
_CPU = Said("CPU µs/request", "每请求 CPU µs")
_PER_S = Said("requests/s", "请求/秒")
_WHAT = {
    "whole": Said("Non-stream, {n} in parallel", "非流式，并发 {n}"),
    "stream": Said("Streams of 30 events, {n} in parallel", "30 个事件的流，并发 {n}"),
    "l0": Said("Answers without a model (L0), {n} in parallel", "不经过模型的答复（L0），并发 {n}"),
}


def relay_tables(results: Results) -> Iterator[Table]:
    for row in _loaded_rows(results):
        yield _row_table(results, row)
    if ONE in results.rows:
        yield _added(results)
    yield _memory(results)


def layer_tables(results: Results) -> Iterator[Table]:
    """Each variant beside Pointsman as shipped; what it costs less, round by round."""
    for row in _loaded_rows(results):
        lines: list[list[Cell]] = []
        for subject in results.versions:
            less = results.difference(POINTSMAN, row, "cpu_us", subject) if subject != POINTSMAN else None
            lines.append([subject, spread_cell(results.spread(subject, row, "cpu_us")), spread_cell(less)])
        yield Table(title(row), [_SUBJECT, _CPU, Said("less than as shipped, µs", "比默认少 µs")], lines)


def worker_tables(results: Results) -> Iterator[Table]:
    for row in _loaded_rows(results):
        lines: list[list[Cell]] = [
            [
                subject,
                spread_cell(results.spread(subject, row, "per_s")),
                ratio_cell(results.ratio(subject, row, "per_s", POINTSMAN)),
                spread_cell(results.spread(subject, row, "cpu_us")),
            ]
            for subject in results.versions
        ]
        yield Table(title(row), [_SUBJECT, _PER_S, Said("× one worker", "× 单进程"), _CPU], lines)


def title(row: str) -> Said:
    what = _WHAT[ROWS[row].kind]
    return said(str(what), what.zh, n=ROWS[row].parallel)


def _loaded_rows(results: Results) -> list[str]:
    return [row for row in results.rows if ROWS[row].kind != "idle"]


def _row_table(results: Results, row: str) -> Table:
    peers = [peer for peer in PEERS if results.spread(peer, row, "cpu_us")]
    heads = [
        _SUBJECT,
        _CPU,
        *(f"× {peer}" for peer in peers),
        _PER_S,
        "p50 µs",
        "p99 µs",
        Said("upstream connections", "上游连接数"),
    ]
    lines: list[list[Cell]] = []
    for subject in (DIRECT, *results.versions):
        if results.spread(subject, row, "per_s") is None:
            continue
        ratios = [results.ratio(subject, row, "cpu_us", peer) for peer in peers]
        lines.append(
            [
                subject,
                spread_cell(results.spread(subject, row, "cpu_us")),
                *(ratio_cell(ratio) for ratio in ratios),
                spread_cell(results.spread(subject, row, "per_s")),
                spread_cell(results.spread(subject, row, "p50_us")),
                spread_cell(results.spread(subject, row, "p99_us")),
                count_cell(results.spread(subject, row, "upstream_connections")),
            ]
        )
    return Table(title(row), heads, lines)


def _added(results: Results) -> Table:
    def added(subject: str, key: str) -> Spread | None:
        return results.difference(subject, ONE, key, DIRECT)

    peers = [peer for peer in PEERS if added(peer, "p50_us")]
    lines: list[list[Cell]] = []
    for subject in results.versions:
        ours = added(subject, "p50_us")
        if ours is None:
            continue
        theirs = [added(peer, "p50_us") for peer in peers]
        ratios = [ours.median / spread.median if spread and spread.median > 0 else None for spread in theirs]
        cells = [ratio_cell(ratio) for ratio in ratios]
        lines.append([subject, spread_cell(ours), *cells, spread_cell(added(subject, "p99_us"))])
    heads = [_SUBJECT, Said("added p50 µs", "p50 增加 µs"), *(f"× {peer}" for peer in peers)]
    return Table(
        Said("Added latency at one client", "单个客户端时增加的延迟"),
        [*heads, Said("added p99 µs", "p99 增加 µs")],
        lines,
    )


def _memory(results: Results) -> Table:
    idle = next((row for row in results.rows if ROWS[row].kind == "idle"), "")
    number = ROWS[idle].parallel if idle else 1
    heads: list[str] = [_SUBJECT, Said("MB after start", "启动后 MB"), Said("MB after load", "负载后 MB")]
    if idle:
        heads += [
            said("KB per idle connection ({n} held)", "每个空闲连接 KB（共 {n} 个）", n=f"{number:,}"),
            Said("CPU ms/s with them", "保持连接时 CPU 毫秒/秒"),
            Said("without", "没有连接时"),
        ]
    lines: list[list[Cell]] = []
    for subject in results.versions:
        line: list[Cell] = [subject]
        line += [spread_cell(results.spread(subject, MEMORY, f"{when}_bytes"), 1e-6) for when in ("started", "loaded")]
        if idle:
            line.append(spread_cell(results.spread(subject, idle, "added_bytes"), 1e-3 / number))
            line += [spread_cell(results.spread(subject, idle, f"{what}_ms_per_s")) for what in ("cpu", "quiet")]
        lines.append(line)
    return Table(
        Said("Memory (resident, of all processes of a subject)", "内存（常驻，含对象的全部进程）"), heads, lines
    )
