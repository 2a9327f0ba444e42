"""The rows as CSV: UTF-8 with the mark that Excel needs, streamed, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import datetime
import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pointsman.actions.report.cells import csv_row, detail_titles, safe_text
from pointsman.actions.report.document import word
from pointsman.domain.report import ReportPlan, ReportSpec

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
