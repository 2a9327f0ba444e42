"""An Excel workbook: the summary with formulas and charts of Excel's own, the course of time, the rows."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from pointsman.actions.report.buckets import bucket_name
from pointsman.actions.report.cells import detail_titles, sheet_cell
from pointsman.actions.report.charts import LINE_FROM
from pointsman.actions.report.document import facts, heading, in_language, word
from pointsman.actions.report.figures import Figure, Figures, Group
from pointsman.actions.report.source import Kind
from pointsman.domain.report import MeasureSpec, ReportPlan, ReportSpec

SHEET_ROWS = 1_048_576  # Excel's own limit, head included
MAX_ROWS = SHEET_ROWS - 1
MAX_GROUPS = 50_000
MAX_TEXT = 32_767  # characters in a cell
FONT = "Microsoft YaHei"  # where it is missing, a program takes its own
ACCENT, INK, SOFT, FAINT, PAPER = "#1F6FEB", "#1B2A41", "#66748A", "#E3E8EF", "#DDE9FC"
_SAMPLE = 200  # rows whose width decides that of a column


def write_xlsx(
    path: Path,
    work: Path,
    spec: ReportSpec,
    plan: ReportPlan,
    figures: Figures,
    columns: dict[str, Kind],
    details: Iterable[Sequence[Any]],
    now: datetime.datetime,
    enough: Callable[[], bool],
) -> str | None:
    """Writes the file; `columns` are those of `details`, in order, with what they hold. `enough()` is asked now and
    then whether the time for rows is over: a workbook with a notice is better than none. Returns the notice."""
    book = xlsxwriter.Workbook(
        str(path),
        {
            "constant_memory": True,
            "tmpdir": str(work),
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            "nan_inf_to_errors": False,
            "default_date_format": "yyyy-mm-dd",
        },
    )
    try:
        book.set_properties({"title": in_language(spec.titles, plan.language), "created": now.replace(tzinfo=None)})
        book.formats[0].set_font_name(FONT)
        book.formats[0].set_font_size(10)
        summary = book.add_worksheet(word("summary", plan.language))
        trend = book.add_worksheet(word("trend", plan.language)) if len(figures.course) > 1 else None
        rows = book.add_worksheet(word("details", plan.language))
        # each sheet is a stream: the details come first, as the summary says whether they are all there
        written = _details(book, rows, spec, plan, columns, details, now, enough)
        notices = []
        if written < figures.rows:
            shown = {"shown": f"{written:,}", "rows": f"{figures.rows:,}"}
            notices.append(word("rows_hidden", plan.language, **shown))
        if figures.others is not None:
            notices.append(word("groups_hidden", plan.language, shown=f"{len(figures.groups):,}"))
        notice = " ".join(notices) or None
        if trend is not None:
            _trend(book, trend, spec, plan, figures)
        _summary(book, summary, trend, spec, plan, figures, now, notice)
        book.close()
    except BaseException:
        for sheet in book.worksheets():
            sheet.row_data_fh.close()  # else its temporary file stays open
        book.fileclosed = True
        raise
    return notice


def _summary(
    book: xlsxwriter.Workbook,
    sheet: Worksheet,
    trend: Worksheet | None,
    spec: ReportSpec,
    plan: ReportPlan,
    figures: Figures,
    now: datetime.datetime,
    notice: str | None,
) -> None:
    language = plan.language
    style = _styles(book)
    names, measures = len(figures.group_titles), spec.measures
    sheet.hide_gridlines(2)
    _printed(sheet)
    labels = [[group.labels[place] for group in figures.groups] for place in range(names)]
    for place in range(names):
        sheet.set_column(place, place, max(14, *(_width(text) for text in labels[place][:_SAMPLE])) + 2)
    for place, measure in enumerate(measures):
        sheet.set_column(names + place, names + place, max(14, _width(heading(measure, language)) + 4))
    sheet.set_row(0, 30)
    _text(sheet, 0, 0, in_language(spec.titles, language), style["title"])
    row = 2
    lines = [(fact.label, fact.value) for fact in facts(spec, plan, figures.rows, figures.bucket, now)]
    if notice:
        lines.append((word("notice", language), notice))
    for label, value in lines:
        _text(sheet, row, 0, label, style["label"])
        _text(sheet, row, 1, value, style["fact"])
        row += 1
    head = row + 1
    sheet.set_row(head, 20)
    for place, title in enumerate(figures.group_titles):
        _text(sheet, head, place, title, style["head"])
    for place, measure in enumerate(measures):
        _text(sheet, head, names + place, heading(measure, language), style["head_number"])
    first = head + 1
    numbers = [book.add_format({**_CELL, "num_format": _format(measure)}) for measure in measures]
    groups = list(figures.groups)
    if figures.others is not None:
        groups.append(Group((word("others", language), *[""] * (names - 1)), figures.others))
    for row, group in enumerate(groups, first):
        for place, text in enumerate(group.labels):
            _text(sheet, row, place, text, style["cell"])
        for place, figure in enumerate(group.figures):
            _number(sheet, row, names + place, figure, numbers[place])
    last = first + len(groups) - 1
    _text(sheet, last + 1, 0, word("total", language), style["total"])
    for place in range(1, names):
        sheet.write_blank(last + 1, place, None, style["total"])
    for place, (measure, total) in enumerate(zip(measures, figures.totals, strict=True)):
        shape = book.add_format({**_TOTAL, "num_format": _format(measure)})
        column = xlsxwriter.utility.xl_col_to_name(names + place)
        formula = _total_formula(measure, figures)
        if formula and total is not None:
            cells = f"{column}{first + 1}:{column}{last + 1}"
            sheet.write_formula(last + 1, names + place, f"={formula}({cells})", shape, float(total))
        else:
            _number(sheet, last + 1, names + place, total, shape)
    if measures:
        _charts(book, sheet, trend, spec, plan, figures, head, first)


_CELL = {"font_name": FONT, "font_size": 10, "bottom": 1, "bottom_color": FAINT, "font_color": INK, "valign": "vcenter"}
_TOTAL = {**_CELL, "bold": True, "bg_color": PAPER, "top": 1, "top_color": ACCENT}
_HEAD = {
    "font_name": FONT,
    "font_size": 10,
    "bold": True,
    "bg_color": INK,
    "font_color": "#FFFFFF",
    "valign": "vcenter",
}


def _styles(book: xlsxwriter.Workbook) -> dict[str, Format]:
    return {
        "title": book.add_format({"font_name": FONT, "font_size": 18, "bold": True, "font_color": INK}),
        "label": book.add_format({"font_name": FONT, "font_size": 10, "font_color": SOFT}),
        "fact": book.add_format({"font_name": FONT, "font_size": 10, "font_color": INK}),
        "head": book.add_format(_HEAD),
        "head_number": book.add_format({**_HEAD, "align": "right"}),
        "cell": book.add_format(_CELL),
        "total": book.add_format(_TOTAL),
    }


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
    book: xlsxwriter.Workbook,
    sheet: Worksheet,
    trend: Worksheet | None,
    spec: ReportSpec,
    plan: ReportPlan,
    figures: Figures,
    head: int,
    first: int,
) -> None:
    language = plan.language
    title = heading(spec.measures[0], language)
    names = len(figures.group_titles)
    column = names + len(spec.measures) + 1
    sheet.set_column(column - 1, column - 1, 3)
    place = 2
    if trend is not None:
        kind = "line" if len(figures.course) >= LINE_FROM else "column"
        last = len(figures.course)
        what = f"{title} {bucket_name(figures.bucket, language)}"
        _chart(book, sheet, kind, what, trend.get_name(), (1, last), 0, 1, (place, column))
        place += 17
    if not figures.by_time and len(figures.groups) > 1:
        last = first + min(len(figures.groups), 20) - 1
        _chart(book, sheet, "bar", title, sheet.get_name(), (first, last), names - 1, names, (place, column))


def _chart(
    book: xlsxwriter.Workbook,
    sheet: Worksheet,
    kind: str,
    title: str,
    of: str,
    rows: tuple[int, int],
    labels: int,
    values: int,
    at: tuple[int, int],
) -> None:
    """A chart over cells: the columns `labels` and `values` of the sheet named `of`."""
    chart = book.add_chart({"type": kind})
    assert chart is not None
    series: dict[str, Any] = {
        "categories": [of, rows[0], labels, rows[1], labels],
        "values": [of, rows[0], values, rows[1], values],
        "fill": {"color": ACCENT},
        "border": {"none": True},
        "gap": 55,
    }
    if kind == "bar":
        series["data_labels"] = {"value": True, "font": {"name": FONT, "size": 9, "color": INK}}
    if kind == "line":
        series = {**series, "line": {"color": ACCENT, "width": 2}, "marker": {"type": "none"}}
        del series["fill"], series["border"], series["gap"]
    chart.add_series(series)
    font = {"name": FONT, "size": 9, "color": INK}
    # a title that begins with "=" would be taken for a reference
    chart.set_title({"name": f"\u200b{title}" if title.startswith("=") else title, "name_font": {**font, "size": 11}})
    chart.set_legend({"none": True})
    lines = {"visible": True, "line": {"color": FAINT}}
    plain, scale = {"num_font": font}, {"num_font": font, "major_gridlines": lines, "num_format": "#,##0"}
    if kind == "bar":
        chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
        chart.set_y_axis({**plain, "reverse": True})
    else:
        chart.set_x_axis(plain)
        chart.set_y_axis(scale)
    height = 320 if kind != "bar" else max(220, 60 + 22 * (rows[1] - rows[0] + 1))
    chart.set_size({"width": 640, "height": height})
    sheet.insert_chart(*at, chart)


def _trend(book: xlsxwriter.Workbook, sheet: Worksheet, spec: ReportSpec, plan: ReportPlan, figures: Figures) -> None:
    style = _styles(book)
    numbers = [book.add_format({**_CELL, "num_format": _format(measure)}) for measure in spec.measures]
    sheet.freeze_panes(1, 0)
    _printed(sheet, repeat=True)
    sheet.set_column(0, len(spec.measures), 18)
    _text(sheet, 0, 0, word("date", plan.language), style["head"])
    for place, measure in enumerate(spec.measures, 1):
        _text(sheet, 0, place, heading(measure, plan.language), style["head_number"])
    for row, group in enumerate(figures.course, 1):
        _text(sheet, row, 0, group.labels[0], style["cell"])
        for place, figure in enumerate(group.figures, 1):
            _number(sheet, row, place, figure, numbers[place - 1])


def _details(
    book: xlsxwriter.Workbook,
    sheet: Worksheet,
    spec: ReportSpec,
    plan: ReportPlan,
    columns: dict[str, Kind],
    details: Iterable[Sequence[Any]],
    now: datetime.datetime,
    enough: Callable[[], bool],
) -> int:
    """Writes the rows and returns how many."""
    kinds = list(columns.values())
    heads = [book.add_format({**_HEAD, "align": "right" if kind == "number" else "left"}) for kind in kinds]
    plain = {"font_name": FONT, "font_size": 10}
    day = book.add_format({**plain, "num_format": "yyyy-mm-dd", "align": "left"})
    moment = book.add_format({**plain, "num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"})
    summed = {measure.column: measure for measure in spec.measures if measure.aggregate == "sum"}
    numbers = [
        book.add_format({**plain, "num_format": _format(summed[name])}) if name in summed else None for name in columns
    ]
    zone = now.tzinfo or datetime.UTC
    titles = detail_titles(spec, list(columns), plan.language)
    sheet.freeze_panes(1, 0)
    _printed(sheet, repeat=True)
    source = iter(details)
    sample = list(itertools.islice(source, _SAMPLE))
    shown = [[sheet_cell(value, kind, zone) for value, kind in zip(row, kinds, strict=False)] for row in sample]
    for place, title in enumerate(titles):
        widths = [_width(title) + 4, *(_width(str(row[place])) for row in shown)]
        sheet.set_column(place, place, min(60, max(8, *widths)) + 2)
    for place, title in enumerate(titles):
        _text(sheet, 0, place, title, heads[place])
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
        if not written & 0xFFF and enough():
            break
    sheet.autofilter(0, 0, max(1, written), max(0, len(titles) - 1))
    return written


def _printed(sheet: Worksheet, repeat: bool = False) -> None:
    """A4 across, as many pages as it takes but one wide; the head on each with `repeat`."""
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    if repeat:
        sheet.repeat_rows(0)


def _text(sheet: Worksheet, row: int, column: int, text: str, style: Format) -> None:
    """Text, and nothing else whatever it begins with."""
    sheet.write_string(row, column, text[:MAX_TEXT], style)


def _number(sheet: Worksheet, row: int, column: int, figure: Figure, style: Format) -> None:
    if figure is None:
        sheet.write_blank(row, column, None, style)
    else:
        sheet.write_number(row, column, float(figure), style)


def _format(measure: MeasureSpec) -> str:
    return f"#,##0.{'0' * measure.decimals}" if measure.decimals else "#,##0"


def _width(text: str) -> int:
    """In columns of a Latin letter: a Chinese one takes two."""
    return sum(2 if "\u2e80" <= character <= "\uffdc" else 1 for character in text[:80])
