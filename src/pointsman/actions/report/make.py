"""One job from beginning to end, inside the child."""

from __future__ import annotations

import datetime
import zoneinfo
from pathlib import Path

from pointsman.actions.child import Room
from pointsman.actions.report.content import Content
from pointsman.actions.report.document import facts
from pointsman.actions.report.figures import Figure, read_figures, read_totals
from pointsman.actions.report.job import Job, Outcome
from pointsman.actions.report.look import look_of, template_of
from pointsman.actions.report.query import Query
from pointsman.actions.report.sections import Section, read_section
from pointsman.actions.report.source import Circumstances, Deadline, Source, opened
from pointsman.actions.report.values import values_of_rows
from pointsman.actions.report.wanted import wanted_charts, wanted_sheets, wanted_table
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan, SheetSpec

# the share of the time after which no more rows are taken; a workbook still has to be packed
CSV_UNTIL = 0.9
XLSX_UNTIL = 0.6
Made = tuple[int, tuple[Figure, ...], str | None]
"""Rows of the source, totals, and the notice."""


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
    path = about.work / f"report.{plan.format}"
    if plan.format == "csv":
        rows, totals, notice = _csv(path, plan, source, query, about)
    else:
        rows, totals, notice = _document(path, job.now.astimezone(about.zone), plan, source, query, about)
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


def _document(
    path: Path, now: datetime.datetime, plan: ReportPlan, source: Source, query: Query, about: Circumstances
) -> Made:
    """A PDF or a workbook."""
    look = look_of(query.spec, plan)
    if plan.format == "pdf":
        from pointsman.actions.report import pdf

        content = _content(now, plan, source, query, about, pdf.MAX_GROUPS)
        notice = pdf.write_pdf(path, about.work, content, look, template_of(query.spec, plan))
    else:
        from pointsman.actions.report import xlsx

        content = _content(now, plan, source, query, about, xlsx.MAX_GROUPS)
        rows = xlsx.Rows(
            columns={name: query.columns[name] for name in query.detail_columns},
            details=source.rows(query.details(plan, xlsx.MAX_ROWS)),
            enough=lambda: about.deadline.passed > XLSX_UNTIL,
        )
        logo = None
        if look.logo is not None:
            from pointsman.actions.report.pdf import picture_of  # typst, which workbooks need for nothing else

            logo = picture_of(Path(look.logo), about.work, content)
        notice = xlsx.write_xlsx(path, about.work, content, rows, look, logo)
    return content.figures.rows, content.figures.totals, notice


def _content(
    now: datetime.datetime, plan: ReportPlan, source: Source, query: Query, about: Circumstances, most: int
) -> Content:
    """`most` groups in the summary."""

    def read(wanted: SheetSpec) -> Section:
        return read_section(source, query, plan, wanted, about.today)

    figures = read_figures(source, query, plan, most)
    pictured = wanted_charts(query.spec, plan)
    return Content(
        spec=query.spec,
        plan=plan,
        figures=figures,
        sections=tuple(map(read, wanted_sheets(query.spec, plan))),
        pictured=None if pictured is None else tuple(map(read, pictured)),
        facts=facts(query.spec, plan, figures.rows, figures.bucket, now),
        now=now,
    )


def _csv(path: Path, plan: ReportPlan, source: Source, query: Query, about: Circumstances) -> Made:
    from pointsman.actions.report import csv_file

    rows, totals = read_totals(source, query, plan)
    wanted = wanted_table(query.spec, plan)
    if wanted is not None:
        section = read_section(source, query, plan, wanted, about.today)
        return rows, totals, csv_file.write_table(path, section, plan.language)
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
    return rows, totals, notice


def _values(source: Source, query: Query) -> dict[str, tuple[DimensionValue, ...]]:
    return {
        dimension.name: values_of_rows(source.rows(query.values(dimension.values_from)))
        for dimension in query.spec.dimensions
        if dimension.values_from is not None
    }
