"""A Word file (.docx), element by element: with tables, lists, notes and text boxes, without what was deleted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pointsman.actions.document.archive import Archive
from pointsman.actions.document.block import Block, Heading, Item, PageStart, Paragraph, Table
from pointsman.actions.document.docx_styles import Styles, styles_of
from pointsman.actions.document.relations import main_part, relations_of
from pointsman.actions.document.xml_events import End, Event, Start, events

_SKIPPED = {
    "del",
    "moveFrom",
    "instrText",
    "Fallback",
    "rt",
    "pPrChange",
    "rPrChange",
    "sectPrChange",
    "delText",
    "object",
}
_MARKS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_MOST_COLUMNS = 1_000
_ORDINARY_NOTE = {None, "normal"}


class Docx:
    """`unit` is a page, as far as Word noted where they ended when it was last saved."""

    unit = "page"
    count: int | None = None

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._part = main_part(archive, "word/document.xml")
        self._parts = dict(relations_of(archive, self._part).values())
        self._styles = styles_of(archive, self._parts.get("styles"), self._parts.get("numbering"))

    def blocks(self) -> Iterator[Block]:
        yield PageStart(1)
        noted = any(b"lastRenderedPageBreak" in piece for piece in self._archive.pieces(self._part))
        yield from Body(self._styles, noted).read(events(self._archive.pieces(self._part)))
        for kind in ("footnotes", "endnotes"):
            if self._parts.get(kind) in self._archive.names:
                yield from Body(self._styles, True).read(events(self._archive.pieces(self._parts[kind])))


class Body:
    """What is under way: tables in tables, paragraphs in text boxes in paragraphs. `noted`: Word has noted where pages end;
    else they end where somebody ended them."""

    def __init__(self, styles: Styles, noted: bool) -> None:
        self._styles = styles
        self._noted = noted
        self._page = 1
        self._paragraphs: list[_Paragraph] = []
        self._tables: list[_Table] = []
        self._counts: dict[tuple[str, int], int] = {}
        self._in_text = 0

    def read(self, stream: Iterator[Event]) -> Iterator[Block]:
        skipping = 0
        for event in stream:
            if skipping:
                skipping += isinstance(event, Start) - isinstance(event, End)
            elif isinstance(event, str):
                if self._in_text and self._paragraphs:
                    self._paragraphs[-1].parts.append(event)
            elif isinstance(event, End):
                yield from self._end(event.name)
            elif event.name in _SKIPPED or _is_mark(event):
                skipping = 1
            else:
                yield from self._start(event)

    def _start(self, event: Start) -> Iterator[Block]:
        value = event.attributes.get("val", "")
        paragraph = self._paragraphs[-1] if self._paragraphs else None
        match event.name:
            case "p":
                self._paragraphs.append(_Paragraph())
            case "t":
                self._in_text += 1
            case "pStyle" if paragraph:
                paragraph.style = value
            case "outlineLvl" if paragraph and value.isdigit() and int(value) < 9:
                paragraph.level = int(value) + 1
            case "numId" if paragraph:
                paragraph.number = value
            case "ilvl" if paragraph and value.isdigit():
                paragraph.depth = int(value)
            case "tab" | "cr" | "noBreakHyphen" | "softHyphen" if paragraph and "pos" not in event.attributes:
                paragraph.parts.append(_MARKS[event.name])
            case "br" if paragraph and event.attributes.get("type") != "page":
                paragraph.parts.append("\n")
            case "lastRenderedPageBreak" if not self._tables:
                yield from self._turned()
            case "br" if not self._noted and not self._tables and event.attributes.get("type") == "page":
                yield from self._turned()
            case "sym" if paragraph:
                paragraph.parts.append(_symbol(event))
            case "tbl":
                self._tables.append(_Table())
            case "tr" if self._tables:
                self._tables[-1].rows.append([])
            case "tc" if self._tables:
                self._tables[-1].begin()
            case "gridSpan" if self._tables and value.isdigit():
                self._tables[-1].span = min(int(value), _MOST_COLUMNS)

    def _end(self, name: str) -> Iterator[Block]:
        match name:
            case "t":
                self._in_text = max(self._in_text - 1, 0)
            case "p" if self._paragraphs:
                block = self._finished(self._paragraphs.pop())
                if block is None:
                    return
                if self._paragraphs and not self._tables:  # a text box stands before the paragraph that it hangs on
                    yield block
                elif self._tables:
                    self._tables[-1].cell.append(block.text)
                else:
                    yield block
            case "tc" if self._tables:
                self._tables[-1].finish()
            case "tbl" if self._tables:
                table = self._tables.pop()
                if self._tables:
                    self._tables[-1].cell += [" ".join(map(str, row)) for row in table.rows]
                else:
                    yield Table(table.rows)

    def _turned(self) -> Iterator[Block]:
        """A page ends within a paragraph: what is before it belongs to the old one."""
        if self._paragraphs:
            parts = self._paragraphs[-1].parts
            text = "".join(parts).strip()
            if text:
                parts.clear()
                yield Paragraph(text)
        self._page += 1
        yield PageStart(self._page)

    def _finished(self, paragraph: _Paragraph) -> Heading | Item | Paragraph | None:
        text = "".join(paragraph.parts).strip()
        if not text:
            return None
        styles = self._styles
        level = paragraph.level or styles.headings.get(paragraph.style)
        if level is not None and not self._tables:
            return Heading(level, text)
        number, depth = styles.lists.get(paragraph.style, (None, 0))
        if paragraph.number is not None:
            number, depth = paragraph.number, paragraph.depth
        if number in (None, "0") or self._tables:
            return Paragraph(text)
        assert number is not None
        if (number, depth) not in styles.numbered:
            return Item(depth, text)
        self._counts = {key: n for key, n in self._counts.items() if key[0] != number or key[1] <= depth}
        count = self._counts[number, depth] = self._counts.get((number, depth), 0) + 1
        return Item(depth, text, count)


class _Paragraph:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.style = ""
        self.level: int | None = None
        self.number: str | None = None
        self.depth = 0


class _Table:
    """A cell over several columns stands in the first of them."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self.cell: list[str] = []
        self.span = 1

    def begin(self) -> None:
        self.cell, self.span = [], 1

    def finish(self) -> None:
        if self.rows:
            self.rows[-1] += ["\n".join(self.cell), *[""] * (self.span - 1)]
        self.begin()


def _is_mark(event: Start) -> bool:
    """Lines that Word draws above footnotes."""
    return event.name in ("footnote", "endnote") and event.attributes.get("type") not in _ORDINARY_NOTE


def _symbol(event: Start) -> str:
    code = event.attributes.get("char", "")
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "" if 0xE000 <= number <= 0xF8FF else chr(number) if number < 0x110000 else ""
