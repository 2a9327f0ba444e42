"""Results as tables: for the terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pointsman.bench.results import Results, Spread
from pointsman.domain.said import Said, Tongue, said, told

Cell = str


@dataclass(frozen=True)
class Table:
    """The first column is text, the others are figures."""

    title: str
    heads: Sequence[str]
    lines: Sequence[Sequence[Cell]]


def as_text(table: Table, tongue: Tongue) -> list[str]:
    """Columns aligned; an ideograph takes two."""
    grid = [[told(cell, tongue) for cell in line] for line in (table.heads, *table.lines)]
    widths = [max(_width(line[column]) for line in grid) for column in range(len(table.heads))]
    lines = [told(table.title, tongue)]
    for line in grid:
        cells = [
            cell + " " * (width - _width(cell)) if column == 0 else " " * (width - _width(cell)) + cell
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def as_markdown(table: Table, tongue: Tongue) -> list[str]:
    rule = ["---", *("---:" for _ in table.heads[1:])]
    lines = [[told(cell, tongue) for cell in line] for line in (table.heads, rule, *table.lines)]
    return [f"**{told(table.title, tongue)}**", "", *(f"| {' | '.join(line)} |" for line in lines), ""]


def figure(value: float) -> str:
    """Three significant digits at most, without an exponent: 1,234; 56.7; 0.89."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread_cell(spread: Spread | None, scale: float = 1.0) -> str:
    """The median, and in parentheses the smallest and largest of the rounds where they differ."""
    if spread is None:
        return "–"
    median, low, high = (figure(value * scale) for value in spread)
    return median if low == high else f"{median} ({low}–{high})"


def count_cell(spread: Spread | None) -> str:
    """Whole numbers."""
    if spread is None:
        return "–"
    median, low, high = (f"{value:,.0f}" for value in spread)
    return median if low == high else f"{median} ({low}–{high})"


def ratio_cell(ratio: float | None) -> str:
    if ratio is None:
        return "–"
    return f"{ratio:.2f}" if ratio < 100 else figure(ratio)


def _width(text: str) -> int:
    return sum(2 if "\u2e80" <= character <= "\uffef" else 1 for character in text)


def _each(seconds: float | None) -> str:
    """How long each took, where that was said before."""
    return "" if seconds is None else said(" of {seconds:g} s", "，每次 {seconds:g} 秒", seconds=seconds)


def preamble(results: Results) -> Iterable[Said]:
    """When and where a run was made, and which versions were beside each other."""
    facts = results.machine
    yield said(
        "{date}, {cpu}, {cores} cores, {memory} GiB, kernel {kernel}, Python {python}; {rounds} rounds{each}",
        "{date}，{cpu}，{cores} 核，{memory} GiB，内核 {kernel}，Python {python}；{rounds} 轮{each}",
        date=results.date,
        cpu=facts["cpu"],
        cores=facts["cores"],
        memory=facts["memory_gib"],
        kernel=facts["kernel"],
        python=facts["python"],
        rounds=results.options["rounds"],
        each=_each(results.options.get("seconds")),
    )
    if results.kind != "whatif":  # its engines are, each to its own
        yield pinning(results.options.get("subject_cores", ()), results.options.get("other_cores", ()))
    for name, version in (
        results.versions.items() if results.kind in ("relay", "rules", "jobs", "log", "admission") else ()
    ):
        yield Said(f"{name}: {version}", f"{name}：{version}")


def pinning(subject: Sequence[int], others: Sequence[int]) -> Said:
    if not subject:
        return Said("nothing is pinned to a core", "进程没有绑定到核心")
    if not others:
        return said("all runs on core {own}", "全部在核心 {own} 上运行", own=subject[0])
    return said(
        "the subject runs on core {own}, load and upstream on {others}",
        "被测对象在核心 {own} 上运行，负载和上游在 {others} 上运行",
        own=subject[0],
        others=", ".join(str(core) for core in others),
    )


def notes(results: Results) -> Iterable[Said]:
    """What was skipped, what was compared less strictly, and what failed, a line each."""
    for name in results.options.get("text_only", ()):
        yield said(
            "{name} makes replies of its own: only their text was compared",
            "{name} 的回复由它自己生成：只比较了其中的文本",
            name=name,
        )
    for name, why in results.skipped.items():
        yield said("{name} was skipped: {why}", "{name} 已跳过：{why}", name=name, why=why)
    for failure in results.failures:
        yield said(
            "FAILED {subject}, {row}, round {round}: {why}",
            "失败 {subject}，{row}，第 {round} 轮：{why}",
            subject=failure.subject,
            row=failure.row,
            round=failure.round,
            why=failure.why,
        )
