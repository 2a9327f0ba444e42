"""Which tables and charts a report has: what the request asks for, then what the config says."""

from __future__ import annotations

from msgspec.structs import replace

from pointsman.actions.report.buckets import bucket_wanted
from pointsman.domain.report import TIMES, ReportPlan, ReportSpec, SheetSpec


def wanted_sheets(spec: ReportSpec, plan: ReportPlan) -> tuple[SheetSpec, ...]:
    """Sheets of the workbook between summary and details, sections of the PDF: the comparison that was asked for, rows and
    columns where a bucket of time and a dimension were, and those of the config."""
    names = plan.grouping(spec)
    asked: list[SheetSpec] = []
    if plan.compare:
        by = names or (f"@{bucket_wanted(plan)}",)
        asked.append(SheetSpec(group_by=by, compare=plan.compare, top=plan.top, rank=plan.rank))
    if plan.bucket is not None and len(names) == 1:
        asked.append(SheetSpec(group_by=(f"@{plan.bucket}", names[0]), chart="stacked"))
    sheets = (*asked, *spec.sheets)
    return tuple(replace(sheet, chart="none") for sheet in sheets) if plan.chart == "none" else sheets


def wanted_charts(spec: ReportSpec, plan: ReportPlan) -> tuple[SheetSpec, ...] | None:
    """Those of the summary. None: the usual ones."""
    if plan.chart == "none":
        return ()
    if plan.chart is None or plan.chart == "auto":
        return spec.charts or None
    names = plan.grouping(spec)
    measures = (plan.rank,) if plan.rank is not None else tuple(measure.name for measure in spec.measures[:1])
    if plan.chart == "line" or not names:  # a line goes through time
        names = (f"@{bucket_wanted(plan)}",)
    elif plan.chart == "stacked" and len(names) == 1:
        names = (f"@{bucket_wanted(plan)}", names[0])
    beside = plan.compare if plan.chart in ("line", "column", "bar") else ()
    top, rank = (None, None) if names[0] in TIMES else (plan.top, plan.rank)
    return (SheetSpec(group_by=names, measures=measures, chart=plan.chart, compare=beside, top=top, rank=rank),)


def wanted_table(spec: ReportSpec, plan: ReportPlan) -> SheetSpec | None:
    """The one that a CSV holds, where the request asks for more than the rows: a comparison, a ranking, by month."""
    if not (plan.compare or plan.bucket or plan.top or plan.rank):
        return None
    asked = wanted_sheets(replace(spec, sheets=()), plan)
    if asked:
        return asked[0]
    return SheetSpec(group_by=plan.grouping(spec) or (f"@{bucket_wanted(plan)}",), top=plan.top, rank=plan.rank)
