"""Sheets of a workbook beside summary and details: tables with their charts, and what the figures mean."""

from __future__ import annotations

from collections.abc import Sequence

from xlsxwriter.worksheet import Worksheet

from pointsman.actions.report.document import Fact, heading, in_language, word
from pointsman.actions.report.native_charts import Over, put_chart, series_of
from pointsman.actions.report.numbers import NOTHING
from pointsman.actions.report.section_columns import Cell, Column, columns_of
from pointsman.actions.report.sections import Section
from pointsman.actions.report.sheet_cells import Book, number_format, put_number, put_text, width_of
from pointsman.domain.report import MeasureSpec, ReportPlan, ReportSpec
from pointsman.domain.wording import Tongue

MOST_BARS = 20
PERCENT = "+0.0%;-0.0%;0.0%"
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\", " "))
_LONGEST = 31  # characters of a sheet's name


def sheet_names(titles: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Names that Excel takes, each once: 31 characters, none of []:*?/\\, no apostrophe at either end."""
    known, names = {name.lower() for name in (*taken, "history")}, []
    for title in titles:
        plain = "".join(c if c.isprintable() else " " for c in title.translate(_FORBIDDEN)).strip(" '") or "–"
        name, number = plain[:_LONGEST].strip(" '"), 2
        while name.lower() in known:
            end = f" {number}"
            name, number = plain[: _LONGEST - len(end)].strip(" '") + end, number + 1
        known.add(name.lower())
        names.append(name)
    return names


class Tables:
    """Writes tables one below the other on a sheet, from its first row on."""

    def __init__(self, book: Book, sheet: Worksheet, language: Tongue) -> None:
        self._book = book
        self._sheet = sheet
        self._language = language
        self._row = 0
        self._widths: dict[int, int] = {}

    def put(self, section: Section, charts: tuple[Worksheet, tuple[int, int]] | None = None) -> int:
        """The table, and its chart beside it or at another place. Returns how many rows the chart covers."""
        columns = columns_of(section, self._language)
        names = len(section.group_titles)
        self._wide(section, columns)
        head = self._heads(section, columns)
        end = head + 1
        for place, group in enumerate(section.rows):
            self._line(end, group.labels, [(column, column.rows[place]) for column in columns], "cell")
            end += 1
        if section.others is not None:
            label = word("others", self._language)
            self._line(end, (label, *[""] * (names - 1)), [(column, column.others) for column in columns], "cell")
            end += 1
        label = word("total", self._language)
        self._line(end, (label, *[""] * (names - 1)), [(column, column.total) for column in columns], "total")
        self._row = end + 2
        if section.chart == "none":
            return 0
        shown = end - head - 1 if section.chart in ("pie", "donut") else len(section.rows)
        shown = min(shown, MOST_BARS) if section.chart == "bar" else shown
        values = [names + place for place, column in enumerate(columns) if column.series]
        over = Over(self._sheet.get_name(), head + 1, head + shown, names - 1, series_of(values, section.chart), head)
        where = charts or (self._sheet, (head, names + len(columns) + 1))
        covered = put_chart(self._book, where[0], where[1], section.chart, section.chart_title, over)
        if charts is None:
            self._row = max(self._row, head + covered + 1)
        return covered

    def _heads(self, section: Section, columns: Sequence[Column]) -> int:
        """Title, periods, what is to be known, heads. Returns the row of the heads."""
        sheet, style, row = self._sheet, self._book.style, self._row
        put_text(sheet, row, 0, section.title, style("title"))
        sheet.set_row(row, 28)
        for beside in section.earlier:
            row += 1
            put_text(sheet, row, 0, beside.title, style("label"))
            put_text(sheet, row, 1, beside.span, style("fact"))
        for note in (section.note, None if section.rows else word("empty", self._language)):
            if note is not None:
                row += 1
                put_text(sheet, row, 0, note, style("label"))
        head = row + 2
        sheet.set_row(head, 20)
        for place, title in enumerate(section.group_titles):
            put_text(sheet, head, place, title, style("head"))
        for place, column in enumerate(columns, len(section.group_titles)):
            put_text(sheet, head, place, column.title, style("head_number"))
        return head

    def _line(self, row: int, labels: Sequence[str], cells: Sequence[tuple[Column, Cell]], style: str) -> None:
        for place, text in enumerate(labels):
            put_text(self._sheet, row, place, text, self._book.style(style))
        for place, (column, cell) in enumerate(cells, len(labels)):
            shape = self._book.style(style, _format(column))
            if cell == "from_zero" or (cell is None and column.decimals is None):
                text = NOTHING if cell is None else word("from_zero", self._language)
                put_text(self._sheet, row, place, text, self._book.style(f"{style}_right"))
            else:
                put_number(self._sheet, row, place, cell, shape)

    def _wide(self, section: Section, columns: Sequence[Column]) -> None:
        for place, title in enumerate(section.group_titles):
            widest = max([width_of(title), *(width_of(group.labels[place]) for group in section.rows[:200])])
            self._widen(place, min(50, max(14, widest)) + 2)
        for place, column in enumerate(columns, len(section.group_titles)):
            self._widen(place, max(14, width_of(column.title) + 4))

    def _widen(self, place: int, width: int) -> None:
        self._widths[place] = max(width, self._widths.get(place, 0))
        self._sheet.set_column(place, place, self._widths[place])


def _format(column: Column) -> str:
    return PERCENT if column.decimals is None else number_format(column.decimals, sign=column.sign)


def put_notes(
    book: Book,
    sheet: Worksheet,
    spec: ReportSpec,
    plan: ReportPlan,
    facts: Sequence[Fact],
    sections: Sequence[Section],
    notice: str | None,
) -> None:
    """What was understood, what each figure is, what it is compared with."""
    language = plan.language
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 90)
    lines = [(word("report", language), in_language(spec.titles, language))]
    lines += [(fact.label, fact.value) for fact in facts]
    lines += [(heading(measure, language), meaning(measure, language)) for measure in spec.measures]
    compared = {beside.compare: beside for section in sections for beside in section.earlier}
    for beside in compared.values():
        lines.append((beside.title, beside.span))
    if compared:
        lines.append((word("comparison", language), word("growth", language)))
    if notice:
        lines.append((word("notice", language), notice))
    put_text(sheet, 0, 0, word("notes", language), book.style("title"))
    sheet.set_row(0, 28)
    for row, (label, value) in enumerate(lines, 2):
        put_text(sheet, row, 0, label, book.style("label"))
        put_text(sheet, row, 1, value, book.style("note"))


def meaning(measure: MeasureSpec, language: Tongue) -> str:
    """How the figure is computed: the total of "amount"."""
    if measure.aggregate == "count" and measure.column is not None:
        return word("count_of", language, column=measure.column)
    return word(measure.aggregate, language, column=measure.column or "")
