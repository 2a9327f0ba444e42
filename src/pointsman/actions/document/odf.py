"""OpenDocument texts and presentations (.odt, .odp)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pointsman.actions.document import wrong
from pointsman.actions.document.archive import Archive
from pointsman.actions.document.block import Block, Heading, Item, PageStart, Paragraph, Table
from pointsman.actions.document.xml_events import End, Start, events

_SKIPPED = {"tracked-changes", "annotation", "forms", "ruby-text", "settings", "automatic-styles", "scripts"}
_MOST = 1_000  # cells or spaces that one element may stand for


class Odf:
    """`slides`: it is a presentation."""

    count: int | None = None

    def __init__(self, archive: Archive, slides: bool) -> None:
        if b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise wrong.locked()
        self._archive = archive
        self.unit = "slide" if slides else "page"

    def blocks(self) -> Iterator[Block]:
        page = 0 if self.unit == "slide" else 1
        yield PageStart(1)
        text: list[list[str]] = []
        tables: list[list[list[Any]]] = []
        cells: list[list[str]] = []
        depth, level, skipping, repeat = 0, 1, 0, 1
        for event in events(self._archive.pieces("content.xml")):
            if skipping:
                skipping += isinstance(event, Start) - isinstance(event, End)
            elif isinstance(event, str):
                if text:
                    text[-1].append(event)
            elif isinstance(event, Start):
                match event.name:
                    case name if name in _SKIPPED:
                        skipping = 1
                    case "page" if self.unit == "slide":
                        page += 1
                        yield PageStart(page)
                    case "soft-page-break" if not tables and self.unit == "page":
                        page += 1
                        yield PageStart(page)
                    case "p" | "h":
                        text.append([])
                        level = _number(event.attributes.get("outline-level"), 1)
                    case "list":
                        depth += 1
                    case "s" if text:
                        text[-1].append(" " * min(_number(event.attributes.get("c"), 1), _MOST))
                    case "tab" if text:
                        text[-1].append("\t")
                    case "line-break" if text:
                        text[-1].append("\n")
                    case "table":
                        tables.append([])
                    case "table-row" if tables:
                        tables[-1].append([])
                    case "table-cell" | "covered-table-cell":
                        cells.append([])
                        repeat = min(_number(event.attributes.get("number-columns-repeated"), 1), _MOST)
            else:
                match event.name:
                    case "list":
                        depth = max(depth - 1, 0)
                    case "p" | "h" if text:
                        words = "".join(text.pop()).strip()
                        if cells:
                            cells[-1].append(words)
                        elif words:
                            yield _block(words, event.name, level, depth)
                    case "table-cell" | "covered-table-cell" if tables and tables[-1] and cells:
                        tables[-1][-1] += ["\n".join(cells.pop())] * (repeat if event.name == "table-cell" else 1)
                        repeat = 1
                    case "table" if tables:
                        rows = tables.pop()
                        if cells:
                            cells[-1] += [" ".join(map(str, row)) for row in rows]
                        else:
                            yield Table(rows)


def _block(text: str, name: str, level: int, depth: int) -> Block:
    if name == "h":
        return Heading(level, text)
    return Item(depth - 1, text) if depth else Paragraph(text)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isdigit() and len(text) < 8 else otherwise
