"""The table of `bench log`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.log_costs import KINDS, LINES, ROWS, row_of
from pointsman.bench.results import Results
from pointsman.bench.tables import Cell, Table, spread_cell
from pointsman.domain.said import Said, said

_KINDS = {
    "soon": Said("over within 0.3 s", "0.3 秒内结束"),
    "mixed": Said("half of each", "两种各一半"),
    "noted": Said("noted, then recorded", "先记下、结束时再记录"),
}
_PEERS = {
    LINES: Said(LINES, "logging，每请求一行 JSON"),
    ROWS: Said(ROWS, "SQLite，每请求一行"),
}


def log_tables(results: Results) -> Iterator[Table]:
    title = said(
        "The request log at {rate:,} requests/s, by the length of the prompt: CPU µs a request, all threads",
        "请求日志，每秒 {rate:,} 个请求，按提问长度：每请求 CPU µs（所有线程）",
        rate=results.options["rate"],
    )
    sizes = results.options["sizes"]
    heads = (
        Said("log, requests", "日志，请求"),
        *(said("{size:,} characters", "{size:,} 字符", size=size) for size in sizes),
    )
    lines: list[list[Cell]] = []
    for subject in results.versions:
        for kind in KINDS:
            spreads = [results.spread(subject, row_of(kind, size), "cpu_us") for size in sizes]
            if any(spreads):
                who = _PEERS.get(subject, subject)
                name = said("{subject}: {kind}", "{subject}：{kind}", subject=who, kind=_KINDS[kind])
                lines.append([name, *map(spread_cell, spreads)])
    yield Table(title, heads, lines)
