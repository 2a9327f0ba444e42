"""The tables of `bench l1`, and its lines for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from pointsman.bench.l1.measure import ARBITER, AT_ONCE, CONTRACT, FIELDS, LANGUAGES, PLAIN
from pointsman.bench.l1.schemas import LEVELS
from pointsman.bench.results import Results
from pointsman.bench.tables import Cell, Table, figure
from pointsman.domain.said import Said, said

_MODEL = Said("model", "模型")
_LEVEL_NAMES = (
    Said("values", "单个值"),
    Said("flat", "平面对象"),
    Said("nested", "嵌套与列表"),
    Said("choices", "选择"),
    Said("references", "引用"),
    Said("documents", "完整文档"),
)


def l1_tables(results: Results) -> Iterator[Table]:
    models = [name for name in results.versions if results.why_failed(name, "*") is None]
    yield _overview(results, models)
    yield _schemas(results, models)
    yield _parallel(results, models)
    yield _tokens(results, models)


def _overview(results: Results, models: Sequence[str]) -> Table:
    heads = (
        _MODEL,
        Said("JSON valid", "JSON 有效"),
        Said("after repair", "修复后"),
        Said("arbiter valid", "仲裁有效"),
        Said("ms p50", "毫秒 p50"),
        Said("ms p95", "毫秒 p95"),
        Said("tokens read", "读入 token"),
        Said("fit at once", "可并发"),
        Said("Chinese", "中文指令"),
        Said("English", "英文指令"),
    )
    lines: list[list[Cell]] = [
        [
            f"{name} ({results.versions[name]})",
            share(results, name, CONTRACT, "valid"),
            share(results, name, CONTRACT, "repaired"),
            share(results, name, ARBITER, "valid"),
            number(results, name, ARBITER, "p50_ms"),
            number(results, name, ARBITER, "p95_ms"),
            number(results, name, ARBITER, "tokens"),
            str(fit(results, name)),
            share(results, name, "instructions zh", "followed"),
            share(results, name, "instructions en", "followed"),
        ]
        for name in models
    ]
    title = said(
        "As an arbiter, {calls} calls; at once: no failure, p95 within {late:g} s",
        "作为仲裁者，{calls} 次调用；可并发：没有失败，且 p95 不超过 {late:g} 秒",
        calls=results.options["calls"],
        late=results.options["late"],
    )
    return Table(title, heads, lines)


def _schemas(results: Results, models: Sequence[str]) -> Table:
    heads = (_MODEL, *_LEVEL_NAMES, Said("all", "全部"))
    lines: list[list[Cell]] = []
    for name in models:
        each = [
            (value(results, name, f"schemas {n}", "forms"), value(results, name, f"schemas {n}", "valid"))
            for n in LEVELS
        ]
        told = [(forms, valid) for forms, valid in each if forms is not None and valid is not None]
        total = sum(forms * valid for forms, valid in told) / sum(forms for forms, _ in told) if told else None
        lines.append([name, *(share(results, name, f"schemas {n}", "valid") for n in LEVELS), percent(total)])
    title = said(
        "Objects that hold to their schema, of {forms} schemas by difficulty",
        "符合模式的对象，共 {forms} 个模式，按难度",
        forms=results.options["forms"],
    )
    return Table(title, heads, lines)


def _parallel(results: Results, models: Sequence[str]) -> Table:
    steps = [step for step in AT_ONCE if f"parallel {step}" in results.rows]
    heads = (_MODEL, *(str(step) for step in steps))
    lines: list[list[Cell]] = []
    for name in models:
        cells = []
        for step in steps:
            late, rate = (value(results, name, f"parallel {step}", key) for key in ("p95_ms", "per_s"))
            failed = value(results, name, f"parallel {step}", "failed")
            told = "–" if late is None or rate is None else f"{figure(late)} ms, {figure(rate)}/s"
            cells.append(f"{told}, {failed:.0f} ✗" if failed else told)
        lines.append([name, *cells])
    return Table(Said("Queries at a time: p95, and how many a second", "并发查询：p95 与每秒个数"), heads, lines)


def _tokens(results: Results, models: Sequence[str]) -> Table:
    fields = [name for name in FIELDS if any(value(results, model, f"field {name}", "tokens") for model in models)]
    heads = (_MODEL, Said("query", "查询"), *(f"+ {name}" for name in fields))
    lines: list[list[Cell]] = [
        [
            name,
            number(results, name, PLAIN, "tokens"),
            *(number(results, name, f"field {field}", "tokens") for field in fields),
        ]
        for name in models
    ]
    title = Said(
        "Tokens of a plain query, and what each field of the enhanced request adds",
        "纯查询的 token 数，以及增强请求每个字段增加的数目",
    )
    return Table(title, heads, lines)


def fit(results: Results, name: str) -> int:
    """The most queries at a time without a failure, and soon enough; 0 where not even one is."""
    most = 0
    for step in AT_ONCE:
        failed, late = (value(results, name, f"parallel {step}", key) for key in ("failed", "p95_ms"))
        if failed is None or late is None or failed or late > results.options["late"] * 1000:
            break
        most = step
    return most


def value(results: Results, name: str, row: str, key: str) -> float | None:
    found = results.spread(name, row, key)
    return None if found is None else found.median


def share(results: Results, name: str, row: str, key: str) -> str:
    return percent(value(results, name, row, key))


def percent(part: float | None) -> str:
    return "–" if part is None else f"{100 * part:.1f}%"


def number(results: Results, name: str, row: str, key: str) -> str:
    found = value(results, name, row, key)
    return "–" if found is None else figure(found)


def as_csv(results: Results) -> str:
    """A line for each figure: model, engine, row, key, value."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(("model", "engine", "row", "key", "value"))
    for sample in results.samples:
        for key, figure_ in sample.values.items():
            lines.writerow((sample.subject, results.versions[sample.subject], sample.row, key, f"{figure_:.6g}"))
    return written.getvalue()


def followed(results: Results, name: str) -> list[float]:
    """Of Chinese and of English instructions."""
    return [value(results, name, f"instructions {language}", "followed") or 0.0 for language in LANGUAGES]
