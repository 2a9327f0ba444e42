"""Blocks → pages of Markdown or plain text, and tables, within limits."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from pointsman.actions.document.block import Block, Heading, Item, Note, PageStart, Paragraph, Table
from pointsman.actions.document.characters import plain
from pointsman.actions.document.task import As, Page, Rows

_LONGEST_CELL = 32_767  # characters, as in Excel


class Rendered:
    """Takes blocks until `most` characters are there; `full` says that this is so. Rows of tables count like text."""

    def __init__(self, form: As, tables: bool, most: int) -> None:
        self.pages: list[Page] = []
        self.tables: list[Rows] = []
        self.pictures: list[int] = []
        self.notes: list[Note] = []
        self.full = False
        self._form = form
        self._with_tables = tables
        self._left = most
        self._number, self._name = 1, ""
        self._parts: list[str] = []
        self._last_item = False

    def take(self, blocks: Iterable[Block]) -> None:
        """Stops asking for more once it is full."""
        for block in blocks:
            self._one(block)
            if self.full:
                break
        self._turn()

    def _one(self, block: Block) -> None:
        match block:
            case PageStart():
                self._turn()
                self._number, self._name = block.number, block.name
                if block.picture:
                    self.pictures.append(block.number)
            case Note():
                self.notes.append(block)
            case Heading():
                text = " ".join(block.text.split())
                self._add("#" * min(block.level, 6) + " " + text if self._form == "markdown" else text)
            case Paragraph():
                self._add(block.text.strip())
            case Item():
                mark = "-" if block.number is None else f"{block.number}."
                self._add(f"{'  ' * min(block.level, 8)}{mark} {block.text.strip()}", item=True)
            case Table():
                self._table(block)

    def _table(self, table: Table) -> None:
        rows = trimmed(table.rows)
        if not rows:
            return
        if self._with_tables:
            self.tables.append(Rows(self._number, rows))
        self._add(markdown_of(rows) if self._form == "markdown" else text_of(rows))

    def _add(self, text: str, *, item: bool = False) -> None:
        text = plain(text)
        if not text:
            return
        if len(text) > self._left:
            text, self.full = text[: self._left].rstrip(), True
        self._left -= len(text)
        gap = "" if not self._parts else "\n" if item and self._last_item else "\n\n"
        self._parts += [gap, text]
        self._last_item = item

    def _turn(self) -> None:
        text = "".join(self._parts)
        if text or self._name:
            self.pages.append(Page(self._number, text, self._name))
        self._parts, self._name, self._last_item = [], "", False


def trimmed(rows: list[list[Any]]) -> list[list[Any]]:
    """Without rows at the end and columns at both ends that are empty; all of one length; cells fit for JSON."""
    rows = [[_cell(value) for value in row] for row in rows]
    while rows and not any(map(_is_there, rows[-1])):
        rows.pop()
    while rows and not any(map(_is_there, rows[0])):
        rows.pop(0)
    used = [place for row in rows for place, value in enumerate(row) if _is_there(value)]
    if not used:
        return []
    first, end = min(used), max(used) + 1
    return [(row + [""] * (end - len(row)))[first:end] for row in rows]


def markdown_of(rows: list[list[Any]]) -> str:
    """A table with its first row as the head."""
    lines = ["| " + " | ".join(_in_line(value, True) for value in row) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def text_of(rows: list[list[Any]]) -> str:
    """A line a row, cells apart by tabs."""
    return "\n".join("\t".join(_in_line(value, False) for value in row).rstrip("\t") for row in rows)


def shown(value: Any) -> str:
    """A cell as people read it."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return f"{value:.15g}"
    return str(value)


def _in_line(value: Any, markdown: bool) -> str:
    text = " ".join(shown(value).split())
    return text.replace("|", "\\|") if markdown else text


def _is_there(value: Any) -> bool:
    return value != "" and value is not None


def _cell(value: Any) -> Any:
    match value:
        case bool() | int():
            return value
        case float():
            return int(value) if value.is_integer() and abs(value) < 1e15 else value
        case datetime.datetime():
            midnight = value.time() == datetime.time()
            return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
        case datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            return str(value)
        case None:
            return ""
    return plain(str(value))[:_LONGEST_CELL].strip()
