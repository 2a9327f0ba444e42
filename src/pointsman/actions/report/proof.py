"""A template tried out, before anybody's report needs it: typeset in both languages, with made-up figures that hold every
kind of chart and table."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

from xlsxwriter.exceptions import XlsxWriterException
from xlsxwriter.image import Image

from pointsman.actions.child import Room
from pointsman.actions.report.content import Content
from pointsman.actions.report.document import facts
from pointsman.actions.report.figures import Figures, Group
from pointsman.actions.report.job import Fault, Proof, Proofed
from pointsman.actions.report.look import look_of
from pointsman.actions.report.pdf import data_of
from pointsman.actions.report.sections import Earlier, Kind, Section
from pointsman.actions.report.typesetting import TemplateError, families, font_folders, prepared, typeset
from pointsman.domain.report import DimensionSpec, MeasureSpec, Period, ReportPlan, ReportSpec, TemplateSpec, Titles
from pointsman.domain.wording import Tongue

_KINDS: tuple[Kind, ...] = ("line", "column", "bar", "pie", "donut")
_PERIOD = Period(datetime.date(2026, 1, 1), datetime.date(2026, 7, 1), "half")
_AMOUNT = MeasureSpec("amount", Titles("销售额", "Sales"), column="amount", decimals=2, unit=Titles("元", "CNY"))
_COUNT = MeasureSpec("orders", Titles("订单数", "Orders"), "count")


def proof(task: Proof, room: Room) -> Proofed:
    """Raises ActionFailed without what PDFs need."""
    template = task.template
    errors: dict[Fault, None] = {}
    warnings: dict[Fault, None] = {}
    folders = [*font_folders()]
    tongues: tuple[Tongue, ...] = ("zh", "en")
    for tongue in tongues:
        root = room.folder / f"proof-{tongue}"
        try:
            made = prepared(root, template)
            content = _sample(template, tongue, task.now)
            data = data_of(content, look_of(content.spec, content.plan), made.logo, "…")
            warnings |= dict.fromkeys(typeset(made, room.folder / f"{tongue}.pdf", data=data, now=task.now))
        except TemplateError as error:
            errors |= dict.fromkeys(error.faults)
        folders += [root, root / "fonts"]
    if template.logo and Path(template.logo).suffix.lower() != ".svg" and not errors:
        errors |= dict.fromkeys(_wrong_picture(Path(template.logo)))
    return Proofed(tuple(errors), tuple(warnings), tuple(families([each for each in folders if each.is_dir()])))


def _wrong_picture(logo: Path) -> list[Fault]:
    """What Excel could not show."""
    try:
        Image(io.BytesIO(logo.read_bytes()))
    except (XlsxWriterException, OSError, ValueError, IndexError) as error:
        return [Fault(f"no picture that Excel shows: {error}", logo.name)]
    return []


def _sample(template: TemplateSpec, tongue: Tongue, now: datetime.datetime) -> Content:
    spec = ReportSpec(
        name="proof",
        titles=Titles("样张", "Proof"),
        source="proof",
        table="proof",
        time_column="day",
        measures=(_AMOUNT, _COUNT),
        dimensions=(DimensionSpec("region", Titles("地区", "Region"), "region"),),
        group_by=("region",),
        template=template.name,
        templates=(template,),
    )
    plan = ReportPlan(
        "proof",
        "pdf",
        _PERIOD,
        group_by=("region",),
        language=tongue,
        compare=("previous", "year"),
        template=template.name,
    )
    region = "地区" if tongue == "zh" else "Region"
    groups = tuple(Group((f"{region} {number}",), (number * 1234.5, number)) for number in range(1, 7))
    course = tuple(Group((f"{month}",), (month * 1000.25, month)) for month in range(1, 7))
    total = (21 * 1234.5, 21)
    figures = Figures(21, total, (region,), groups, "month", course, False, others=(1.5, 1))
    sections = [_section(kind, groups, total, tongue) for kind in _KINDS]
    stacked = Section("Σ", "Σ", ("–",), (_AMOUNT,), groups, total, "stacked", across=("A", "B"))
    return Content(
        spec=spec,
        plan=plan,
        figures=figures,
        sections=(*sections, stacked),
        pictured=None if tongue == "zh" else tuple(sections),
        facts=facts(spec, plan, 21, "month", now),
        now=now,
    )


def _section(kind: Kind, groups: tuple[Group, ...], total: tuple[float, int], tongue: Tongue) -> Section:
    before = (Group(("",), (0, None)), *groups[1:])
    beside = Earlier("year", "–", "2025", tuple(group.figures for group in before), total)
    return Section(
        title=kind,
        chart_title=kind,
        group_titles=("–",),
        measures=(_AMOUNT, _COUNT),
        rows=groups,
        total=total,
        chart=kind,
        earlier=(beside,) if kind in ("line", "bar") else (),
        others=(1.5, 1) if kind == "pie" else None,
        note="…" if kind == "donut" else None,
    )
