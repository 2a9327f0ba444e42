"""Charts of Excel's own, over cells of the workbook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from xlsxwriter.worksheet import Worksheet

from pointsman.actions.report.sections import Kind
from pointsman.actions.report.sheet_cells import Book

HEIGHT, WIDTH = 320, 640  # pixels
_ROW = 20  # pixels of a row, at least
_TYPES: dict[str, dict[str, str]] = {
    "line": {"type": "line"},
    "column": {"type": "column"},
    "bar": {"type": "bar"},
    "pie": {"type": "pie"},
    "donut": {"type": "doughnut"},
    "stacked": {"type": "column", "subtype": "stacked"},
}


class Over(msgspec.Struct, frozen=True):
    """The cells that a chart is over: on the sheet of that name, the rows from `first` to `last` (from 0), the column
    `labels`, and for each series one of `values`, whose name stands in the row `head`. `rest`: the last slice of a pie, or
    the last series, is what is left."""

    sheet: str
    first: int
    last: int
    labels: int
    values: tuple[int, ...]
    head: int
    rest: bool = False


def put_chart(book: Book, sheet: Worksheet, at: tuple[int, int], kind: Kind, title: str, over: Over) -> int:
    """A chart at the cell `at`. Returns how many rows it covers."""
    chart = book.excel.add_chart(_TYPES[kind])
    assert chart is not None
    font = {"name": book.font, "size": 9, "color": book.look.ink}
    several = len(over.values) > 1
    for number, column in enumerate(over.values):
        chart.add_series(_series(book, kind, over, column, number, font))
    # a title that begins with "=" would be taken for a reference
    chart.set_title({"name": f"\u200b{title}" if title.startswith("=") else title, "name_font": {**font, "size": 11}})
    parts = kind in ("pie", "donut")
    chart.set_legend({"position": "bottom", "font": font} if several or parts else {"none": True})
    if kind == "bar":
        chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
        chart.set_y_axis({"num_font": font, "reverse": True})
    elif not parts:
        chart.set_x_axis({"num_font": font, "label_position": "low"})
        lines = {"visible": True, "line": {"color": book.look.faint}}
        chart.set_y_axis({"num_font": font, "major_gridlines": lines, "num_format": "#,##0", "line": {"none": True}})
    if kind == "donut":
        chart.set_hole_size(55)
    height = HEIGHT
    if kind == "bar":
        height = max(220, 80 + (14 * len(over.values) + 10) * (over.last - over.first + 1))
    chart.set_size({"width": WIDTH, "height": height})
    sheet.insert_chart(*at, chart)
    return height // _ROW + 2


def _series(book: Book, kind: Kind, over: Over, column: int, number: int, font: dict[str, Any]) -> dict[str, Any]:
    several = len(over.values) > 1
    palette = book.look.palette
    colours, rest = palette[:-1], palette[-1]
    colour = rest if over.rest and number == len(over.values) - 1 > 0 else colours[number % len(colours)]
    series: dict[str, Any] = {
        "name": [over.sheet, over.head, column],
        "categories": [over.sheet, over.first, over.labels, over.last, over.labels],
        "values": [over.sheet, over.first, column, over.last, column],
    }
    match kind:
        case "line":
            dots = over.last - over.first < 40
            marker = {"type": "circle", "size": 5, "fill": {"color": colour}, "border": {"color": colour}}
            series |= {"line": {"color": colour, "width": 2}, "marker": marker if dots else {"type": "none"}}
        case "pie" | "donut":
            count = over.last - over.first + 1
            slices = [colours[place % len(colours)] for place in range(count)]
            slices[-1] = rest if over.rest else slices[-1]
            series["points"] = [{"fill": {"color": each}} for each in slices]
            series["data_labels"] = {
                "percentage": True,
                "font": font if kind == "pie" else {**font, "color": "#ffffff"},
            }
            if kind == "pie":
                series["data_labels"]["position"] = "outside_end"
        case _:
            series |= {"fill": {"color": colour}, "border": {"none": True}, "gap": 55}
    if kind == "bar" and not several:
        series["data_labels"] = {"value": True, "font": font}
    return series


def series_of(values: Sequence[int], kind: Kind) -> tuple[int, ...]:
    """A pie has one series."""
    return tuple(values[:1] if kind in ("pie", "donut") else values)
