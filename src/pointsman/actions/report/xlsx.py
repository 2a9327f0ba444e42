"""An Excel workbook: the summary with formulas and charts of Excel's own, the course of time, the rows."""

from __future__ import annotations

import datetime
import io
import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import xlsxwriter
from xlsxwriter.image import Image
from xlsxwriter.worksheet import Worksheet

from pointsman.actions.report.cells import detail_titles, sheet_cell
from pointsman.actions.report.content import Content
from pointsman.actions.report.document import heading, in_language, word
from pointsman.actions.report.figures import Figures, Group, shown_measure
from pointsman.actions.report.look import Look
from pointsman.actions.report.native_charts import Over, put_chart
from pointsman.actions.report.section_sheets import MOST_BARS, Tables, put_notes, sheet_names
from pointsman.actions.report.sections import LINE_FROM
from pointsman.actions.report.sections import Kind as Chart
from pointsman.actions.report.sheet_cells import (
    LOGO_HEIGHT,
    MAX_TEXT,
    Book,
    format_of,
    put_number,
    put_text,
    width_of,
)
from pointsman.actions.report.source import Kind
from pointsman.domain.report import MeasureSpec
from pointsman.domain.report_words import bucket_name

SHEET_ROWS = 1_048_576  # Excel's own limit, head included
MAX_ROWS = SHEET_ROWS - 1
MAX_GROUPS = 50_000
_SAMPLE = 200  # rows whose width decides that of a column


class Rows(msgspec.Struct, frozen=True):
    """The rows of the source: `columns` in order, with what they hold. `enough()` is asked now and then whether the time for
    rows is over."""

    columns: dict[str, Kind]
    details: Iterable[Sequence[Any]]
    enough: Callable[[], bool]


def write_xlsx(path: Path, work: Path, content: Content, rows: Rows, look: Look, logo: Path | None) -> str | None:
    """Writes the file: a workbook with a notice, where the time for rows is over, is better than none. `logo` is a picture
    of points. Returns the notice."""
    book = Book(path, work, look)
    try:
        notice = _written(book, content, rows, logo)
        book.close()
    except BaseException:
        book.drop()
        raise
    return notice


def _written(book: Book, content: Content, rows: Rows, logo: Path | None) -> str | None:
    spec, figures, language = content.spec, content.figures, content.plan.language
    created = content.now.replace(tzinfo=None)
    book.excel.set_properties({"title": in_language(spec.titles, language), "created": created})
    summary = book.sheet(word("summary", language))
    trend = book.sheet(word("trend", language)) if len(figures.course) > 1 else None
    own = [word(name, language) for name in ("summary", "trend", "details", "notes", "charts")]
    names = sheet_names([section.title for section in content.sections], own)
    tables = [book.sheet(name) for name in names]
    pictures = book.sheet(word("charts", language)) if content.pictured else None
    detail = book.sheet(word("details", language))
    notes = book.sheet(word("notes", language)) if content.sections or content.pictured else None
    # each sheet is a stream: the details come first, as the summary says whether they are all there
    written = _details(book, detail, content, rows)
    notice = _notice(content, written)
    if trend is not None:
        _trend(book, trend, content)
    for sheet, section in zip(tables, content.sections, strict=True):
        Tables(book, sheet, language).put(section)
    at = _summary(book, summary, trend, content, notice)
    if logo is not None:
        _put_logo(summary, at[1], logo)
    if pictures is not None:
        shown, place = Tables(book, pictures, language), at[0]
        for section in content.pictured or ():
            place += shown.put(section, (summary, (place, at[1])))
    if notes is not None:
        put_notes(book, notes, spec, content.plan, content.facts, content.sections, notice)
    return notice


def _notice(content: Content, written: int) -> str | None:
    notices = content.notices()
    if written < content.figures.rows:
        shown = {"shown": f"{written:,}", "rows": f"{content.figures.rows:,}"}
        notices.insert(0, word("rows_hidden", content.plan.language, **shown))
    return " ".join(notices) or None


def _put_logo(sheet: Worksheet, column: int, logo: Path) -> None:
    with logo.open("rb") as file:
        picture = Image(io.BytesIO(file.read()))
    scale = LOGO_HEIGHT / max(1.0, picture.height * 96 / (picture.y_dpi or 96))
    sheet.insert_image(0, column, str(logo), {"x_scale": scale, "y_scale": scale, "decorative": True})


def _summary(
    book: Book, sheet: Worksheet, trend: Worksheet | None, content: Content, notice: str | None
) -> tuple[int, int]:
    """Returns where charts begin."""
    figures, language, style = content.figures, content.plan.language, book.style
    names, measures = len(figures.group_titles), content.spec.measures
    sheet.hide_gridlines(2)
    labels = [[group.labels[place] for group in figures.groups] for place in range(names)]
    for place in range(names):
        sheet.set_column(place, place, max(14, *(width_of(text) for text in labels[place][:_SAMPLE])) + 2)
    for place, measure in enumerate(measures):
        sheet.set_column(names + place, names + place, max(14, width_of(heading(measure, language)) + 4))
    sheet.set_row(0, 30)
    put_text(sheet, 0, 0, in_language(content.spec.titles, language), style("title"))
    lines = [(fact.label, fact.value) for fact in content.facts]
    if notice:
        lines.append((word("notice", language), notice))
    for row, (label, value) in enumerate(lines, 2):
        put_text(sheet, row, 0, label, style("label"))
        put_text(sheet, row, 1, value, style("fact"))
    head = len(lines) + 3
    sheet.set_row(head, 20)
    for place, title in enumerate(figures.group_titles):
        put_text(sheet, head, place, title, style("head"))
    for place, measure in enumerate(measures):
        put_text(sheet, head, names + place, heading(measure, language), style("head_number"))
    first = head + 1
    numbers = [style("cell", format_of(measure)) for measure in measures]
    groups = list(figures.groups)
    if figures.others is not None:
        groups.append(Group((word("others", language), *[""] * (names - 1)), figures.others))
    for row, group in enumerate(groups, first):
        for place, text in enumerate(group.labels):
            put_text(sheet, row, place, text, style("cell"))
        for place, figure in enumerate(group.figures):
            put_number(sheet, row, names + place, figure, numbers[place])
    last = first + len(groups) - 1
    put_text(sheet, last + 1, 0, word("total", language), style("total"))
    for place in range(1, names):
        sheet.write_blank(last + 1, place, None, style("total"))
    for place, (measure, total) in enumerate(zip(measures, figures.totals, strict=True)):
        shape = style("total", format_of(measure))
        column = xlsxwriter.utility.xl_col_to_name(names + place)
        formula = _total_formula(measure, figures)
        if formula and total is not None:
            cells = f"{column}{first + 1}:{column}{last + 1}"
            sheet.write_formula(last + 1, names + place, f"={formula}({cells})", shape, float(total))
        else:
            put_number(sheet, last + 1, names + place, total, shape)
    at = (2, names + len(measures) + 1)
    sheet.set_column(at[1] - 1, at[1] - 1, 3)
    if measures and content.pictured is None:
        _charts(book, sheet, trend, content, head, at)
    return at


def _total_formula(measure: MeasureSpec, figures: Figures) -> str | None:
    """The function of Excel's that gives the total from the rows above it; None where none does."""
    match measure.aggregate:
        case "sum" | "count":
            return "SUM"
        case "minimum":
            return "MIN" if figures.others is None else None
        case "maximum":
            return "MAX" if figures.others is None else None
        case "average":
            return None


def _charts(
    book: Book, sheet: Worksheet, trend: Worksheet | None, content: Content, head: int, at: tuple[int, int]
) -> None:
    """The course of the first measure, or that which groups are ordered by, and its largest groups."""
    figures, language = content.figures, content.plan.language
    measure = shown_measure(content.spec, content.plan)
    which = content.spec.measures.index(measure)
    title, names, first = heading(measure, language), len(figures.group_titles), head + 1
    place, column = at
    if trend is not None:
        last = len(figures.course)
        what = f"{title} {bucket_name(figures.bucket, language)}"
        kind: Chart = "line" if last >= LINE_FROM else "column"
        over = Over(trend.get_name(), 1, last, 0, (1 + which,), 0)
        place += put_chart(book, sheet, (place, column), kind, what, over)
    if figures.by_time or len(figures.groups) < 2:
        return
    of, last = sheet.get_name(), first + min(len(figures.groups), MOST_BARS) - 1
    over = Over(of, first, last, names - 1, (names + which,), head)
    put_chart(book, sheet, (place, column), "bar", title, over)


def _trend(book: Book, sheet: Worksheet, content: Content) -> None:
    spec, language, style = content.spec, content.plan.language, book.style
    numbers = [style("cell", format_of(measure)) for measure in spec.measures]
    sheet.freeze_panes(1, 0)
    sheet.repeat_rows(0)
    sheet.set_column(0, len(spec.measures), 18)
    put_text(sheet, 0, 0, word("date", language), style("head"))
    for place, measure in enumerate(spec.measures, 1):
        put_text(sheet, 0, place, heading(measure, language), style("head_number"))
    for row, group in enumerate(content.figures.course, 1):
        put_text(sheet, row, 0, group.labels[0], style("cell"))
        for place, figure in enumerate(group.figures, 1):
            put_number(sheet, row, place, figure, numbers[place - 1])


def _details(book: Book, sheet: Worksheet, content: Content, rows: Rows) -> int:
    """Writes the rows and returns how many."""
    spec, plan, columns = content.spec, content.plan, rows.columns
    kinds = list(columns.values())
    heads = [book.style("head_number" if kind == "number" else "head") for kind in kinds]
    day = book.formatted(num_format="yyyy-mm-dd", align="left")
    moment = book.formatted(num_format="yyyy-mm-dd hh:mm:ss", align="left")
    summed = {measure.column: measure for measure in spec.measures if measure.aggregate == "sum"}
    numbers = [book.formatted(num_format=format_of(summed[name])) if name in summed else None for name in columns]
    zone = content.now.tzinfo or datetime.UTC
    titles = detail_titles(spec, list(columns), plan.language)
    sheet.freeze_panes(1, 0)
    sheet.repeat_rows(0)
    source = iter(rows.details)
    sample = list(itertools.islice(source, _SAMPLE))
    shown = [[sheet_cell(value, kind, zone) for value, kind in zip(row, kinds, strict=False)] for row in sample]
    for place, title in enumerate(titles):
        widths = [width_of(title) + 4, *(width_of(str(row[place])) for row in shown)]
        sheet.set_column(place, place, min(60, max(8, *widths)) + 2)
    for place, title in enumerate(titles):
        put_text(sheet, 0, place, title, heads[place])
    written = 0

    def write(row: Sequence[Any]) -> None:
        for place, value in enumerate(row):
            if value is None:
                continue
            of = value.__class__
            if of is str:
                sheet.write_string(written, place, value if len(value) <= MAX_TEXT else value[:MAX_TEXT])
            elif of is datetime.date:
                sheet.write_datetime(written, place, value, day)
            elif of is datetime.datetime:
                sheet.write_datetime(written, place, value, moment)
            elif of is bool:
                sheet.write_boolean(written, place, value)
            else:
                sheet.write_number(written, place, value, numbers[place])

    for cells in shown:
        written += 1
        write(cells)
    for row in source:
        written += 1
        write([sheet_cell(value, kind, zone) for value, kind in zip(row, kinds, strict=False)])
        if not written & 0xFFF and rows.enough():
            break
    sheet.autofilter(0, 0, max(1, written), max(0, len(titles) - 1))
    return written
