"""A PDF, typeset by typst from a template file. The data reach the template as one JSON file of strings and shares,
so that no text of the data is ever markup, code or a path."""

from __future__ import annotations

import datetime
import importlib.util
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import typst

from pointsman.actions.report.charts import Chart, charts
from pointsman.actions.report.document import Fact, facts, heading, in_language, word
from pointsman.actions.report.failure import failure
from pointsman.actions.report.figures import Figures
from pointsman.actions.report.numbers import percent, shown
from pointsman.domain.report import ReportPlan, ReportSpec

MAX_GROUPS = 1000
TEMPLATE = Path(__file__).parent / "templates" / "report.typ"
BESIDE = (".typ", ".png", ".jpg", ".jpeg", ".svg")  # what a template may use of its own folder
MAX_BESIDE = 20 << 20  # bytes
_UNBROKEN = re.compile(r"[^\s\u2e80-\uffff-]{25,}")
_CONTROLS = dict.fromkeys((*range(32), 127, *range(128, 160), 8232, 8233), " ")


class Figureline(msgspec.Struct, frozen=True):
    """A total on top: 销售额, 1,234.50, 元."""

    label: str
    value: str
    unit: str


class Column(msgspec.Struct, frozen=True):
    title: str
    numeric: bool


class Table(msgspec.Struct, frozen=True):
    """`shares` has one number a row, 0 to 1, of the first measure; empty where shares make no sense."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...]
    shares: tuple[float, ...]


class Page(msgspec.Struct, frozen=True):
    """The file `data.json` that a template reads: version 1. Fields may be added."""

    version: int
    language: str
    title: str
    facts: tuple[Fact, ...]
    kpis: tuple[Figureline, ...]
    charts: tuple[Chart, ...]
    table: Table
    notice: str | None
    footer: str
    page: str
    """`Page {page} of {pages}`: the template puts the numbers in."""


def write_pdf(
    path: Path, work: Path, spec: ReportSpec, plan: ReportPlan, figures: Figures, now: datetime.datetime
) -> str | None:
    """Writes the file and returns the notice, if there is one. Raises ActionFailed for a template with a mistake."""
    notice = None
    if figures.others is not None:
        notice = word("groups_hidden", plan.language, shown=f"{len(figures.groups):,}")
    root = work / "typst"
    root.mkdir()
    template = Path(spec.template) if spec.template else TEMPLATE
    try:
        _copy(template, root, everything=spec.template is not None)
    except OSError as error:
        raise failure(
            "template",
            f"报表“{spec.titles.zh}”的 PDF 模板无法读取，请联系管理员。",
            f"The PDF template of “{spec.titles.en}” cannot be read. Please tell an administrator.",
            str(error),
        ) from None
    page = _clean(msgspec.to_builtins(page_of(spec, plan, figures, now, notice)))
    (root / "data.json").write_bytes(msgspec.json.encode(page))
    try:
        typst.compile(
            str(root / "report.typ"),
            output=str(path),
            root=str(root),
            font_paths=[str(folder) for folder in font_folders()],
            ignore_system_fonts=True,
            format="pdf",
            timestamp=int(now.timestamp()),
        )
    except typst.TypstError as error:
        raise failure(
            "template",
            f"报表“{spec.titles.zh}”的 PDF 模板有错误，请联系管理员。",
            f"The PDF template of “{spec.titles.en}” has a mistake. Please tell an administrator.",
            f"{template}: {error.message}",
        ) from None
    return notice


def page_of(spec: ReportSpec, plan: ReportPlan, figures: Figures, now: datetime.datetime, notice: str | None) -> Page:
    """Everything that the template prints."""
    language = plan.language
    title = in_language(spec.titles, language)
    return Page(
        version=1,
        language=language,
        title=title,
        facts=tuple(facts(spec, plan, figures.rows, figures.bucket, now)),
        kpis=tuple(
            Figureline(
                in_language(measure.titles, language),
                shown(total, measure.decimals),
                in_language(measure.unit, language) if measure.unit else "",
            )
            for measure, total in zip(spec.measures, figures.totals, strict=True)
        ),
        charts=charts(spec, plan, figures),
        table=_table(spec, plan, figures),
        notice=notice,
        footer=title,
        page=word("page", language, page="{page}", pages="{pages}"),
    )


def font_folders() -> list[Path]:
    """Where the embedded CJK font is: Noto Sans SC, SIL Open Font License. Raises ActionFailed without it."""
    found = importlib.util.find_spec("justmytype_intl_cjk")
    if found is None or found.origin is None:
        raise failure(
            "setup",
            "没有安装 PDF 字体，无法生成 PDF。请安装：pip install 'pointsman[report]'。",
            "The font for PDF is not installed. Install it: pip install 'pointsman[report]'.",
        )
    return [Path(found.origin).parent / "fonts" / "ofl" / "notosanssc"]


def _table(spec: ReportSpec, plan: ReportPlan, figures: Figures) -> Table:
    language, measures = plan.language, spec.measures
    first = measures[0] if measures else None
    values = [float(group.figures[0] or 0) for group in figures.groups] if first else []
    whole = figures.totals[0] if first else None
    summed = first is not None and first.aggregate in ("sum", "count")
    shared = (
        summed
        and not figures.by_time
        and len(figures.group_titles) == 1
        and bool(whole)
        and all(value >= 0 for value in values)
    )
    columns = [Column(title, False) for title in figures.group_titles]
    columns += [Column(heading(measure, language), True) for measure in measures]
    rows = [
        (*group.labels, *(shown(figure, of.decimals) for of, figure in zip(measures, group.figures, strict=True)))
        for group in figures.groups
    ]
    blank = [""] * (len(figures.group_titles) - 1)
    shares = [value / float(whole) for value in values] if shared and whole else []
    if figures.others is not None:
        rest = (shown(figure, of.decimals) for of, figure in zip(measures, figures.others, strict=True))
        rows.append((word("others", language), *blank, *rest))
        if shares:
            shares.append(float(figures.others[0] or 0) / float(whole or 1))
    total = [word("total", language), *blank]
    total += [shown(figure, of.decimals) for of, figure in zip(measures, figures.totals, strict=True)]
    if shares:
        columns.append(Column(word("share", language), True))
        rows = [(*row, percent(share, 1)) for row, share in zip(rows, shares, strict=True)]
        total.append(percent(1, 1))
    return Table(tuple(columns), tuple(rows), tuple(total), tuple(round(share, 5) for share in shares))


def _copy(template: Path, root: Path, *, everything: bool) -> None:
    """The template into typst's root, under one name; of a user's template its neighbours too. Raises OSError."""
    if everything:
        left = MAX_BESIDE
        for path in sorted(template.parent.iterdir()):
            if path.suffix.lower() in BESIDE and path.is_file() and (left := left - path.stat().st_size) >= 0:
                shutil.copyfile(path, root / path.name)
    shutil.copyfile(template, root / "report.typ")


def _clean(value: Any) -> Any:
    """Control characters become spaces, and a long word may break anywhere: else it would run over its neighbours."""
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode().translate(_CONTROLS)
        return _UNBROKEN.sub(lambda found: "\u200b".join(found[0]), text)
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return value
