"""The table of `bench whatif`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.results import Results
from pointsman.bench.tables import Cell, Table, figure, spread_cell
from pointsman.bench.whatif.measure import FORETOLD, NAMES, REAL
from pointsman.domain.said import Said, said

_SHARES = (50, 95, 99)


def whatif_tables(results: Results) -> Iterator[Table]:
    lines: list[list[Cell]] = []
    for row in results.rows:
        cells: list[Cell] = [NAMES[row]]
        for share in _SHARES:
            key = f"wait_p{share}"
            told, low, high, came = (
                results.spread(subject, row, name)
                for subject, name in (
                    (FORETOLD, f"{key}_s"),
                    (FORETOLD, f"{key}_low_s"),
                    (FORETOLD, f"{key}_high_s"),
                    (REAL, f"{key}_s"),
                )
            )
            if told is None or low is None or high is None or came is None:
                cells += ["–", "–", "–"]
                continue
            error = told.median - came.median
            cells += [
                f"{figure(told.median)} ({figure(low.median)}–{figure(high.median)})",
                spread_cell(came),
                f"{error:+.2f}",
            ]
        lines.append([*cells, spread_cell(results.spread(REAL, row, "engine_cores"))])
    title = said(
        "Waits for a place in seconds, as foretold from the log of one node and as they came; {n} requests in {s:g} s",
        "等空位的时间（秒）：由单节点日志预测的，与实际的；{s:g} 秒内 {n} 个请求",
        n=results.options["requests"],
        s=results.options["seconds"],
    )
    heads = [Said("what", "情形")]
    for share in _SHARES:
        heads += [
            said("p{n} foretold", "预测 p{n}", n=share),
            said("p{n} real", "实际 p{n}", n=share),
            Said("error", "误差"),
        ]
    heads.append(Said("cores that engines got", "引擎得到的核心数"))
    yield Table(title, tuple(heads), lines)
