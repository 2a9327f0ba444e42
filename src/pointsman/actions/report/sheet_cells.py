"""Cells of a workbook: their looks, and texts that stay texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from pointsman.actions.report.figures import Figure
from pointsman.actions.report.look import Look
from pointsman.domain.report import MeasureSpec

MAX_TEXT = 32_767  # characters in a cell
MAX_MARGIN = 255  # characters of a header or footer
FONT = "Microsoft YaHei"  # where it is missing, a program takes its own
LOGO_HEIGHT = 40  # pixels
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "nan_inf_to_errors": False,
    "default_date_format": "yyyy-mm-dd",
}


class Book:
    """A workbook being written, in one look. `close` finishes it, `drop` leaves nothing open."""

    def __init__(self, path: Path, work: Path, look: Look) -> None:
        self.look = look
        self.font = look.font or FONT
        self.excel = xlsxwriter.Workbook(str(path), {**_OPTIONS, "tmpdir": str(work)})
        self.excel.formats[0].set_font_name(self.font)
        self.excel.formats[0].set_font_size(10)
        self._styles: dict[tuple[str, str | None], Format] = {}

    def style(self, name: str, number: str | None = None) -> Format:
        """A look by its name (those of `_looks`); `number` is its format."""
        if (name, number) not in self._styles:
            looks = self._looks()[name] | ({"num_format": number} if number is not None else {})
            self._styles[name, number] = self.excel.add_format(looks)
        return self._styles[name, number]

    def formatted(self, **looks: Any) -> Format:
        return self.excel.add_format({"font_name": self.font, "font_size": 10, **looks})

    def sheet(self, name: str) -> Worksheet:
        """A sheet that prints on A4 across, one page wide, with header and footer."""
        sheet = self.excel.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        if self.look.header:
            sheet.set_header(f"&L{_margin(self.look.header)}")
        sheet.set_footer(f"&L{_margin(self.look.footer)}&R&P / &N" if self.look.footer else "&R&P / &N")
        return sheet

    def close(self) -> None:
        self.excel.close()

    def drop(self) -> None:
        for sheet in self.excel.worksheets():
            sheet.row_data_fh.close()  # else its temporary file stays open
        self.excel.fileclosed = True

    def _looks(self) -> dict[str, dict[str, Any]]:
        look = self.look
        plain: dict[str, Any] = {"font_name": self.font, "font_size": 10, "font_color": look.ink}
        cell = {**plain, "bottom": 1, "bottom_color": look.faint, "valign": "vcenter"}
        head = {**plain, "bold": True, "bg_color": look.ink, "font_color": "#ffffff", "valign": "vcenter"}
        total = {**cell, "bold": True, "bg_color": look.paper, "top": 1, "top_color": look.accent}
        return {
            "plain": plain,
            "title": {**plain, "font_size": 18, "bold": True},
            "label": {**plain, "font_color": look.soft},
            "fact": plain,
            "note": {**plain, "text_wrap": True, "valign": "top"},
            "head": head,
            "head_number": {**head, "align": "right"},
            "cell": cell,
            "cell_right": {**cell, "align": "right", "font_color": look.soft},
            "total": total,
            "total_right": {**total, "align": "right"},
        }


def _margin(text: str) -> str:
    """A text in a header or footer, where & begins a code."""
    return " ".join(text.split()).replace("&", "&&")[: MAX_MARGIN // 2 - 10]


def put_text(sheet: Worksheet, row: int, column: int, text: str, style: Format) -> None:
    """Text, and nothing else whatever it begins with."""
    sheet.write_string(row, column, text[:MAX_TEXT], style)


def put_number(sheet: Worksheet, row: int, column: int, figure: Figure, style: Format) -> None:
    if figure is None:
        sheet.write_blank(row, column, None, style)
    else:
        sheet.write_number(row, column, float(figure), style)


def number_format(decimals: int, *, sign: bool = False) -> str:
    digits = f"#,##0.{'0' * decimals}" if decimals else "#,##0"
    return f"+{digits};-{digits};{digits}" if sign else digits


def format_of(measure: MeasureSpec) -> str:
    return number_format(measure.decimals)


def width_of(text: str) -> int:
    """In columns of a Latin letter: a Chinese one takes two."""
    return sum(2 if "\u2e80" <= character <= "\uffdc" else 1 for character in text[:80])
