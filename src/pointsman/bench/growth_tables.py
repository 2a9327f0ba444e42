"""The tables of `bench growth`, one an axis."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.axes import AXES
from pointsman.bench.results import Results
from pointsman.bench.tables import Cell, Table, ratio_cell, spread_cell
from pointsman.domain.said import Said


def growth_tables(results: Results) -> Iterator[Table]:
    for name in results.versions:
        sizes = [row for row in results.rows if results.spread(name, row, "cpu_us")]
        lines: list[list[Cell]] = []
        for size in sizes:
            cpu, first = results.spread(name, size, "cpu_us"), results.spread(name, sizes[0], "cpu_us")
            lines.append(
                [
                    f"{int(size):,}",
                    spread_cell(cpu),
                    ratio_cell(cpu.median / first.median if cpu and first else None),
                    spread_cell(results.spread(name, size, "p50_us"), 1e-3),
                    spread_cell(results.spread(name, size, "p99_us"), 1e-3),
                    spread_cell(results.spread(name, size, "stall_us"), 1e-3),
                    spread_cell(results.spread(name, size, "probe_us"), 1e-3),
                    spread_cell(results.spread(name, size, "loaded_bytes"), 1e-6),
                ]
            )
            if name == "reload":
                lines[-1].append(spread_cell(results.spread(name, size, "reload_us"), 1e-6))
        yield Table(AXES[name].title, (*_HEADS, *_MORE.get(name, ())), lines)


_MORE = {"reload": (Said("reload s", "重新加载 s"),)}
_HEADS = (
    Said("size", "规模"),
    Said("CPU µs/request", "每请求 CPU µs"),
    Said("× first", "× 首行"),
    "p50 ms",
    "p99 ms",
    Said("longest stall ms", "事件循环最长停顿 ms"),
    Said("slowest /health over quiet ms", "/health 最慢一次（扣除空闲时）ms"),
    "MB",
)
