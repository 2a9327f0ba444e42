"""One job from beginning to end, inside the child."""

from __future__ import annotations

import datetime
import zoneinfo

from pointsman.actions.child import Room
from pointsman.actions.report.figures import read_figures, read_totals
from pointsman.actions.report.job import Job, Outcome
from pointsman.actions.report.query import Query
from pointsman.actions.report.source import Circumstances, Deadline, Source, opened
from pointsman.actions.report.values import values_of_rows
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan

# the share of the time after which no more rows are taken; a workbook still has to be packed
CSV_UNTIL = 0.9
XLSX_UNTIL = 0.6


def carry_out(task: Job, room: Room) -> Outcome:
    """Does the job. Raises ActionFailed."""
    zone = zoneinfo.ZoneInfo(task.zone) if task.zone else task.now.tzinfo or datetime.UTC
    about = Circumstances(
        name=task.spec.source,
        zone=zone,
        deadline=Deadline(room.seconds),
        work=room.folder,
        today=task.now.astimezone(zone).date(),
    )
    with opened(task.source, about) as source:
        query = Query(source, task.spec, about)
        if task.task == "values":
            return Outcome(values=_values(source, query))
        assert task.plan is not None  # the runner sends one
        return Outcome(file=_report(task, task.plan, source, query, about))


def _report(job: Job, plan: ReportPlan, source: Source, query: Query, about: Circumstances) -> ReportFile:
    now = job.now.astimezone(about.zone)
    path = about.work / f"report.{plan.format}"
    if plan.format == "pdf":
        from pointsman.actions.report import pdf

        figures = read_figures(source, query, plan, pdf.MAX_GROUPS)
        notice = pdf.write_pdf(path, about.work, query.spec, plan, figures, now)
        rows, totals = figures.rows, figures.totals
    elif plan.format == "xlsx":
        from pointsman.actions.report import xlsx

        figures = read_figures(source, query, plan, xlsx.MAX_GROUPS)
        columns = {name: query.columns[name] for name in query.detail_columns}
        details = source.rows(query.details(plan, xlsx.MAX_ROWS))
        notice = xlsx.write_xlsx(
            path,
            about.work,
            query.spec,
            plan,
            figures,
            columns,
            details,
            now,
            lambda: about.deadline.passed > XLSX_UNTIL,
        )
        rows, totals = figures.rows, figures.totals
    else:
        from pointsman.actions.report import csv_file

        rows, totals = read_totals(source, query, plan)
        details = source.rows(query.details(plan, csv_file.MAX_ROWS))
        notice = csv_file.write_csv(
            path,
            query.spec,
            plan,
            query.detail_columns,
            details,
            rows,
            about.zone,
            lambda: about.deadline.passed > CSV_UNTIL,
        )
    return ReportFile(
        path=path.name,
        format=plan.format,
        bytes=path.stat().st_size,
        rows=rows,
        totals={
            measure.name: float(total)
            for measure, total in zip(query.spec.measures, totals, strict=True)
            if total is not None
        },
        notice=notice,
    )


def _values(source: Source, query: Query) -> dict[str, tuple[DimensionValue, ...]]:
    return {
        dimension.name: values_of_rows(source.rows(query.values(dimension.values_from)))
        for dimension in query.spec.dimensions
        if dimension.values_from is not None
    }
