"""The tables of `bench admission`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.admission.measure import KILLED, LARGE, LOAD, STALLED
from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import Cell, Table, count_cell, figure, spread_cell
from pointsman.domain.said import Said, said

_SUBJECT = Said("in front of the engine", "引擎前面")
_NAMES = {
    "llama.cpp": Said("nothing", "什么也没有"),
    "llama.cpp, semaphore": Said("a semaphore of 4", "大小为 4 的信号量"),
    f"{POINTSMAN}, no limits": Said("Pointsman without limits", "Pointsman，不设上限"),
    POINTSMAN: Said("Pointsman", "Pointsman"),
}
_ROWS = {KILLED: Said("engine killed", "引擎被杀死"), STALLED: Said("engine stands still", "引擎停顿")}
_ENDS = (
    ("sent_n", Said("sent", "发出")),
    ("ok_n", Said("served", "完成")),
    ("shed_n", Said("shed (429, 503)", "明确拒绝（429、503）")),
    ("error_n", Said("errors", "报错")),
    ("timeout_n", Said("given up by the client", "客户端超时放弃")),
    ("lost_n", Said("lost", "丢失")),
    ("unaccounted_n", Said("counts that differ", "对不上的计数")),
)
_QUALITY = (
    ("ttft_p50_s", Said("TTFT p50, s", "TTFT p50，秒")),
    ("ttft_p95_s", Said("p95, s", "p95，秒")),
    ("others_ttft_p95_s", Said("p95 of usual callers, s", "普通调用者 p95，秒")),
    ("good_per_s", Said("good requests a second", "每秒有效请求")),
    ("good_tokens_per_s", Said("useful tokens a second", "每秒有效 token")),
    ("engine_cores", Said("cores that the engine got", "引擎得到的核数")),
    ("good_per_engine_s", Said("good requests a CPU second of it", "引擎每秒 CPU 的有效请求")),
    ("others_good_ratio", Said("good of the usual callers'", "普通调用者的有效比例")),
    ("fairness", Said("fairness (Jain)", "公平性（Jain）")),
)


def admission_tables(results: Results) -> Iterator[Table]:
    options = results.options
    shown = [(subject, LOAD, _NAMES[subject]) for subject in results.versions if LOAD in results.rows]
    shown += [(POINTSMAN, row, _ROWS[row]) for row in results.rows if row in _ROWS]
    if not shown:
        yield from _large_table(results)
        return
    ends: list[list[Cell]] = [
        [name, *(count_cell(results.spread(subject, row, key)) for key, _ in _ENDS)] for subject, row, name in shown
    ]
    title = said(
        "What became of each request; {slots} slots, {cells} cells, {rate} usual requests a second and chains of 40",
        "每个请求的结局；{slots} 个槽位，{cells} 个缓存单元，普通请求每秒 {rate} 个，外加每次 40 个的连锁调用",
        slots=options["slots"],
        cells=options["cells"],
        rate=figure(options["rate_per_s"]),
    )
    yield Table(title, (_SUBJECT, *(head for _, head in _ENDS)), ends)
    quality: list[list[Cell]] = [
        [name, *(spread_cell(results.spread(subject, row, key)) for key, _ in _QUALITY)] for subject, row, name in shown
    ]
    title = said(
        "What it was worth; good: the first content within {within:g} s",
        "效果；有效指首个内容在 {within:g} 秒之内到达",
        within=options["within"],
    )
    yield Table(title, (_SUBJECT, *(head for _, head in _QUALITY)), quality)
    yield from _large_table(results)
    yield from _breaker_table(results)
    yield from _wait_table(results)


def _large_table(results: Results) -> Iterator[Table]:
    keys = ("sent_n", "ok_n", "error_n", "lost_n")
    lines: list[list[Cell]] = [
        [
            _NAMES[subject],
            *(count_cell(results.spread(subject, LARGE, key)) for key in keys),
            spread_cell(results.spread(subject, LARGE, "took_s")),
        ]
        for subject in results.versions
        if results.spread(subject, LARGE, "sent_n")
    ]
    heads = (
        _SUBJECT,
        Said("sent", "发出"),
        Said("served", "完成"),
        Said("errors", "报错"),
        Said("lost", "丢失"),
        Said("took, s", "用时，秒"),
    )
    title = said(
        "Four requests at once, of which three fit into {cells} cells; nobody is in a hurry",
        "同时发出四个请求，{cells} 个单元只容得下三个；谁也不着急",
        cells=results.options["cells"],
    )
    if lines:
        yield Table(title, heads, lines)


def _breaker_table(results: Results) -> Iterator[Table]:
    keys = ("opened_s", "half_open_s", "closed_s", "opened_n")
    rows = [row for row in results.rows if row in _ROWS]
    lines: list[list[Cell]] = [
        [_ROWS[row], *(spread_cell(results.spread(POINTSMAN, row, key)) for key in keys)] for row in rows
    ]
    heads = (
        Said("fault", "故障"),
        Said("open after s", "多少秒后打开"),
        Said("half open after s", "多少秒后半开"),
        Said("closed for good after s", "多少秒后最终关闭"),
        Said("times opened", "打开次数"),
    )
    if lines:
        yield Table(Said("The circuit breaker, from the fault on", "熔断器，从故障发生算起"), heads, lines)


def _wait_table(results: Results) -> Iterator[Table]:
    keys = ("estimated_n", "waited_median_s", "estimate_error_median_s", "estimate_off_median_s", "estimate_off_p90_s")
    names = {LOAD: Said("load", "负载"), **_ROWS}
    rows = [row for row in names if results.spread(POINTSMAN, row, "estimated_n")]
    lines: list[list[Cell]] = [
        [names[row], *(spread_cell(results.spread(POINTSMAN, row, key)) for key in keys)] for row in rows
    ]
    heads = (
        Said("row", "行"),
        Said("told, then let in", "被告知后放行"),
        Said("waited, median s", "实际等待中位数，秒"),
        Said("estimate less truth, median s", "预计减实际，中位数，秒"),
        Said("off by, median s", "偏差中位数，秒"),
        Said("off by, p90 s", "偏差 p90，秒"),
    )
    if lines:
        yield Table(Said("Estimated waits beside true ones", "预计等待与实际等待"), heads, lines)
