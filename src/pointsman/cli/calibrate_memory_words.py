"""What `calibrate memory` says to people."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.cli.table import table
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.engine_steps import Loaded
from pointsman.memory.line import Held, Line, Point
from pointsman.memory.sizes import shown

_SOURCES = {
    "gpu": Said("in use on the GPUs", "显卡已用显存"),
    "process": Said("main memory of the process", "进程占用的内存"),
}


def lines_of(
    source: str, points: Sequence[Point], loads: Sequence[Loaded], line: Line, held: Sequence[Held], tongue: Tongue
) -> list[str]:
    """Points, line, and declared figures against it."""
    heads = [Said("tokens", "token"), Said("sequences", "序列"), _SOURCES[source], Said("off the line", "偏离直线")]
    rows = [
        [f"{point.tokens:,}", str(point.sequences), shown(point.used), shown(round(off))]
        for point, off in zip(points, line.residuals, strict=True)
    ]
    if loads:
        heads += [Said("KV, by the engine", "KV（引擎自报）"), Said("KV, estimated", "KV（估算）")]
        for row, load in zip(rows, loads, strict=True):
            row += [shown(load.engine.kv + load.engine.state) if load.engine else "-", shown(load.kv_estimate)]
    lines = table([told(head, tongue) for head in heads], rows, set(range(len(heads))))
    lines += [
        "",
        told(_line(line), tongue),
        told(_spread(line), tongue),
        told(_meaning(line, bool(loads), max(point.load for point in points)), tongue),
    ]
    if held:
        columns = (
            Said("declared", "声明者"),
            Said("gpu_memory, MB", "gpu_memory，MB"),
            Said("a request adds, MB", "一个请求新增，MB"),
            Said("with the backend, MB", "连同后端，MB"),
            Said("", ""),
        )
        kept = [
            [
                each.name,
                str(each.declared),
                str(each.extra),
                str(each.whole),
                told(_HOLDS if each.holds else _LESS, tongue),
            ]
            for each in held
        ]
        lines += ["", *table([told(head, tongue) for head in columns], kept, {1, 2, 3})]
    return lines


_HOLDS = Said("holds", "成立")
_LESS = Said("less than it takes", "小于实际占用")


def _line(line: Line) -> Said:
    error = said(" ± {e}", " ± {e}", e=f"{line.error:,.0f}") if line.error is not None else ""
    return said(
        "memory = {a} + {b} B{error} x tokens x sequences",
        "内存 = {a} + {b} B{error} × token 数 × 序列数",
        a=shown(round(line.intercept)),
        b=f"{line.slope:,.0f}",
        error=error,
    )


def _spread(line: Line) -> Said:
    return said(
        "off the line: {rms} (root mean square), {most} at most",
        "偏离直线：均方根 {rms}，最大 {most}",
        rms=shown(round(line.rms)),
        most=shown(round(max(abs(each) for each in line.residuals))),
    )


def _meaning(line: Line, started: bool, largest: int) -> Said:
    if line.flat:
        return Said(
            "The slope cannot be told from 0: a request takes cells of what was allocated at the start, and no memory.",
            "斜率与 0 无法区分：请求只占用启动时就分配好的单元，不再占用内存。",
        )
    if started:
        return Said(
            "This is what the context takes when the engine starts; requests then take cells of it.",
            "这是引擎启动时上下文占用的内存；之后的请求只占用其中的单元。",
        )
    return said(
        "At the largest load requests take {size} on top of what the engine has at rest.",
        "在最大的负载下，请求比引擎空闲时多占 {size}。",
        size=shown(round(line.slope * largest)),
    )
