"""Workbooks (.xlsx, .xlsb, .xls, .ods), by calamine: sheet by sheet, values as they were last calculated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from pointsman.actions.document import wrong
from pointsman.actions.document.archive import Archive
from pointsman.actions.document.block import Block, Note, PageStart, Table
from pointsman.actions.document.relations import main_part, relations_of
from pointsman.actions.document.xml_events import Start, events

MOST_CELLS = 4_000_000
"""That one sheet may span: all of them are laid out in memory, empty ones, too."""
_ROWS = 500  # of one block
_PLACE = re.compile(rb'<(?:\w+:)?c [^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')
_OVERLAP = 200  # bytes: longer than the beginning of a cell


class Sheets:
    """`archive` is the file where it is a zip archive. Hidden sheets are left out, and that is told."""

    unit = "sheet"

    def __init__(self, path: Path, archive: Archive | None) -> None:
        self._spans = _spans_of(archive) if archive is not None else {}
        try:
            self._book = CalamineWorkbook.from_path(str(path))
        except PasswordError:
            raise wrong.locked() from None
        except CalamineError as error:
            raise wrong.broken(type(error).__name__) from None
        shown = [
            sheet
            for sheet in self._book.sheets_metadata
            if sheet.visible == SheetVisibleEnum.Visible and sheet.typ == SheetTypeEnum.WorkSheet
        ]
        self._names = [sheet.name for sheet in shown]
        self._hidden = sum(sheet.typ == SheetTypeEnum.WorkSheet for sheet in self._book.sheets_metadata) - len(shown)
        self.count = len(self._names)

    def page(self, number: int) -> Iterator[Block]:
        name = self._names[number - 1]
        if self._hidden and number == 1:
            yield Note(f"Hidden sheets were left out: {self._hidden}.", f"略去了隐藏的工作表：{self._hidden} 个。")
        cells = self._spans.get(name, 0)
        if cells > MOST_CELLS:
            raise wrong.too_wide(name, cells, MOST_CELLS)
        try:
            sheet = self._book.get_sheet_by_name(name)
        except CalamineError as error:
            raise wrong.broken(type(error).__name__) from None
        yield PageStart(number, name)
        yield from _tables(sheet.iter_rows())


def _tables(rows: Iterator[list[Any]]) -> Iterator[Block]:
    """Tables in one sheet are parted by empty rows."""
    table: list[list[Any]] = []
    for row in rows:
        if any(value != "" for value in row):
            table.append(row)
        elif table:
            yield Table(table)
            table = []
        if len(table) >= _ROWS:
            yield Table(table)
            table = [table[0]]  # the head again
    if len(table) > 1 or (table and len(table[0])):
        yield Table(table)


def _spans_of(archive: Archive) -> dict[str, int]:
    """How many cells each sheet of an .xlsx spans, from where its cells say they are: calamine would find out by laying them
    out. Nothing for others."""
    part = main_part(archive, "xl/workbook.xml")
    if not part.endswith(".xml") or part not in archive.names:
        return {}
    parts = relations_of(archive, part)
    spans = {}
    for event in events(archive.pieces(part)):
        if isinstance(event, Start) and event.name == "sheet" and event.attributes.get("id") in parts:
            spans[event.attributes.get("name", "")] = _span(archive, parts[event.attributes["id"]][1])
    return spans


def _span(archive: Archive, part: str) -> int:
    columns: set[bytes] = set()
    low, high, kept = 1 << 30, 0, b""
    for piece in archive.pieces(part):
        text = kept + piece
        for found in _PLACE.finditer(text):
            columns.add(found[1])
            row = int(found[2])
            low, high = min(low, row), max(high, row)
        kept = text[-_OVERLAP:]
    if not high:
        return 0
    numbers = [_column(letters) for letters in columns]
    return (high - low + 1) * (max(numbers) - min(numbers) + 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
