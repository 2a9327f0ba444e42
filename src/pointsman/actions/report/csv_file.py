"""Rows, or one table, as CSV: UTF-8 with the mark that Excel needs, streamed, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import datetime
import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pointsman.actions.report.cells import csv_row, detail_titles, safe_text
from pointsman.actions.report.document import word
from pointsman.actions.report.section_columns import Cell, Column, columns_of
from pointsman.actions.report.sections import Section
from pointsman.domain.report import ReportPlan, ReportSpec
from pointsman.domain.wording import Tongue

MAX_ROWS = 1_000_000
_PORTION = 2000


def write_csv(
    path: Path,
    spec: ReportSpec,
    plan: ReportPlan,
    names: Sequence[str],
    details: Iterable[Sequence[Any]],
    rows: int,
    zone: datetime.tzinfo,
    enough: Callable[[], bool],
) -> str | None:
    """Writes `details` (MAX_ROWS at most, of `rows`) and returns the notice, if there is one. `enough()` is asked now
    and then whether the time for rows is over: a part with a notice is better than nothing."""
    written = 0
    source = iter(details)
    with path.open("w", encoding="utf-8", errors="replace", newline="", buffering=1 << 18) as file:
        file.write("\ufeff")
        writer = csv.writer(file)
        writer.writerow([safe_text(title) for title in detail_titles(spec, names, plan.language)])
        while portion := list(itertools.islice(source, _PORTION)):
            writer.writerows([csv_row(row, zone) for row in portion])
            written += len(portion)
            if enough():
                break
    if written < rows:
        return word("rows_hidden_csv", plan.language, shown=f"{written:,}", rows=f"{rows:,}")
    return None


def write_table(path: Path, section: Section, language: Tongue) -> str | None:
    """Writes that table, its figures as plain numbers and changes as shares (0.125); returns the notice."""
    columns = columns_of(section, language)
    blank = [""] * (len(section.group_titles) - 1)
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write("\ufeff")
        writer = csv.writer(file)
        writer.writerow([safe_text(title) for title in (*section.group_titles, *(column.title for column in columns))])
        for place, group in enumerate(section.rows):
            cells = [_plain(column, column.rows[place], language) for column in columns]
            writer.writerow([*map(safe_text, group.labels), *cells])
        if section.others is not None:
            cells = [_plain(column, column.others, language) for column in columns]
            writer.writerow([word("others", language), *blank, *cells])
        writer.writerow(
            [word("total", language), *blank, *(_plain(column, column.total, language) for column in columns)]
        )
    spans = "；" if language == "zh" else "; "
    return spans.join(f"{beside.title}: {beside.span}" for beside in section.earlier) or None


def _plain(column: Column, cell: Cell, language: Tongue) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return column.shown(cell, language)
    return f"{float(cell):.4f}" if column.decimals is None else f"{cell:.{column.decimals}f}"
