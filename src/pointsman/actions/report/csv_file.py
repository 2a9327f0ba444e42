"""The rows as CSV: UTF-8 with the mark that Excel needs, streamed, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pointsman.actions.report.cells import csv_cell, detail_titles, safe_text
from pointsman.actions.report.document import word
from pointsman.domain.report import ReportPlan, ReportSpec

MAX_ROWS = 1_000_000


def write_csv(
    path: Path,
    spec: ReportSpec,
    plan: ReportPlan,
    names: Sequence[str],
    details: Iterable[Sequence[Any]],
    rows: int,
    zone: datetime.tzinfo,
) -> str | None:
    """Writes `details` (MAX_ROWS at most, of `rows`) and returns the notice, if there is one."""
    written = 0
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="", buffering=1 << 18) as file:
        writer = csv.writer(file)
        writer.writerow([safe_text(title) for title in detail_titles(spec, names, plan.language)])
        for row in details:
            writer.writerow([csv_cell(value, zone) for value in row])
            written += 1
    if written < rows:
        return word("rows_hidden_csv", plan.language, shown=f"{written:,}", rows=f"{rows:,}")
    return None
