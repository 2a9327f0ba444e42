"""What a PDF's template reads: everything that is printed, as strings and shares."""

from __future__ import annotations

import msgspec

from pointsman.actions.report.charts import charts, section_chart
from pointsman.actions.report.content import Content
from pointsman.actions.report.document import Fact, heading, in_language, word
from pointsman.actions.report.figures import shown_measure
from pointsman.actions.report.look import Look
from pointsman.actions.report.numbers import percent, shown
from pointsman.actions.report.section_columns import Column as Figures
from pointsman.actions.report.section_columns import columns_of, columns_of_measure
from pointsman.actions.report.sections import Section
from pointsman.actions.report.shapes import Chart
from pointsman.domain.wording import Tongue

MOST_COLUMNS = 8  # of a table; one with more is parted, a table a measure


class Figureline(msgspec.Struct, frozen=True):
    """A total on top: 销售额, 1,234.50, 元."""

    label: str
    value: str
    unit: str


class Column(msgspec.Struct, frozen=True):
    title: str
    numeric: bool


class Table(msgspec.Struct, frozen=True):
    """`shares` has one number a row, 0 to 1, of the measure in charts; empty where shares make no sense. `title` is empty
    where the section has one table."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...]
    shares: tuple[float, ...]
    title: str = ""


class Part(msgspec.Struct, frozen=True):
    """A section: `facts` are the periods that it compares with, `chart` may be missing, `note` says what is to be known."""

    title: str
    facts: tuple[Fact, ...]
    note: str | None
    chart: Chart | None
    tables: tuple[Table, ...]


class Style(msgspec.Struct, frozen=True):
    """Of the config's template: colours as `#rrggbb`, the family of the font and the picture's file, empty where it says
    none. `palette` is for series and slices in their order."""

    accent: str
    ink: str
    palette: tuple[str, ...]
    font: str
    logo: str


class Page(msgspec.Struct, frozen=True):
    """The file `data.json` that a template reads: version 1. Fields may be added."""

    version: int
    language: str
    title: str
    facts: tuple[Fact, ...]
    kpis: tuple[Figureline, ...]
    charts: tuple[Chart, ...]
    table: Table
    sections: tuple[Part, ...]
    notice: str | None
    header: str
    footer: str
    page: str
    """`Page {page} of {pages}`: the template puts the numbers in."""
    style: Style


def page_of(content: Content, look: Look, logo: str, notice: str | None) -> Page:
    """Everything that the template prints. `logo` is the name of the picture's file beside the template."""
    spec, language, figures = content.spec, content.plan.language, content.figures
    title = in_language(spec.titles, language)
    pictured = content.pictured
    return Page(
        version=1,
        language=language,
        title=title,
        facts=tuple(content.facts),
        kpis=tuple(
            Figureline(
                in_language(measure.titles, language),
                shown(total, measure.decimals),
                in_language(measure.unit, language) if measure.unit else "",
            )
            for measure, total in zip(spec.measures, figures.totals, strict=True)
        ),
        charts=charts(spec, content.plan, figures)
        if pictured is None
        else tuple(chart for section in pictured if (chart := section_chart(section, language)) is not None),
        table=_table(content),
        sections=tuple(_part(section, language) for section in content.sections),
        notice=notice,
        header=look.header,
        footer=look.footer or title,
        page=word("page", language, page="{page}", pages="{pages}"),
        style=Style(look.accent, look.ink, look.palette, look.font or "", logo),
    )


def _part(section: Section, language: Tongue) -> Part:
    note = section.note or (None if section.rows else word("empty", language))
    columns = columns_of(section, language)
    facts = tuple(Fact(beside.title, beside.span) for beside in section.earlier)
    parted = len(columns) + len(section.group_titles) > MOST_COLUMNS and not section.across
    if parted:
        tables = tuple(
            _plain(
                section, columns_of_measure(section, place, language, alone=True), language, heading(measure, language)
            )
            for place, measure in enumerate(section.measures)
        )
    else:
        tables = (_plain(section, columns, language, ""),)
    return Part(section.title, facts, note, section_chart(section, language), tables)


def _plain(section: Section, columns: list[Figures], language: Tongue, title: str) -> Table:
    """Figures side by side."""
    heads = [Column(name, False) for name in section.group_titles]
    rows = [
        (*group.labels, *(column.shown(column.rows[place], language) for column in columns))
        for place, group in enumerate(section.rows)
    ]
    blank = [""] * (len(section.group_titles) - 1)
    if section.others is not None:
        rows.append((word("others", language), *blank, *(column.shown(column.others, language) for column in columns)))
    total = (word("total", language), *blank, *(column.shown(column.total, language) for column in columns))
    return Table((*heads, *(Column(column.title, True) for column in columns)), tuple(rows), total, (), title)


def _table(content: Content) -> Table:
    """The summary."""
    figures, language, measures = content.figures, content.plan.language, content.spec.measures
    first = shown_measure(content.spec, content.plan) if measures else None
    which = measures.index(first) if first else 0
    values = [float(group.figures[which] or 0) for group in figures.groups] if first else []
    whole = figures.totals[which] if first else None
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
            shares.append(float(figures.others[which] or 0) / float(whole or 1))
    total = [word("total", language), *blank]
    total += [shown(figure, of.decimals) for of, figure in zip(measures, figures.totals, strict=True)]
    if shares:
        columns.append(Column(word("share", language), True))
        rows = [(*row, percent(share, 1)) for row, share in zip(rows, shares, strict=True)]
        total.append(percent(1, 1))
    return Table(tuple(columns), tuple(rows), tuple(total), tuple(round(share, 5) for share in shares))
