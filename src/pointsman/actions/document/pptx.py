"""A PowerPoint file (.pptx): slides in their order, with titles, lists, tables and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pointsman.actions.document.archive import Archive
from pointsman.actions.document.block import Block, Heading, Item, PageStart, Paragraph, Table
from pointsman.actions.document.relations import main_part, relations_of
from pointsman.actions.document.xml_events import End, Start, events

_TITLES = {"title", "ctrTitle"}
_NO_TEXT = {"sldNum", "dt", "ftr", "hdr", "sldImg"}
_BODY = {"body", "obj", "subTitle", None}


class Pptx:
    unit = "slide"

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        part = main_part(archive, "ppt/presentation.xml")
        parts = relations_of(archive, part)
        self._slides = [
            parts[event.attributes["id"]][1]
            for event in events(archive.pieces(part))
            if isinstance(event, Start) and event.name == "sldId" and event.attributes.get("id") in parts
        ]
        self.count = len(self._slides)

    def page(self, number: int) -> Iterator[Block]:
        part = self._slides[number - 1]
        yield PageStart(number)
        yield from self._shapes(part)
        notes = next((path for kind, path in relations_of(self._archive, part).values() if kind == "notesSlide"), None)
        if notes in self._archive.names:
            yield from self._shapes(notes or "")

    def _shapes(self, part: str) -> Iterator[Block]:
        holder: str | None = None
        rows: list[list[Any]] | None = None
        text: list[str] = []
        level, skipping, in_text, list_like = 0, 0, False, False
        for event in events(self._archive.pieces(part)):
            if skipping:
                skipping += isinstance(event, Start) - isinstance(event, End)
            elif isinstance(event, str):
                if in_text:
                    text.append(event)
            elif isinstance(event, Start):
                match event.name:
                    case "Fallback":
                        skipping = 1
                    case "sp":
                        holder, list_like = "", False
                    case "ph":
                        holder = event.attributes.get("type", "body")
                        list_like = holder in _BODY
                    case "tbl":
                        rows = []
                    case "tr" if rows is not None:
                        rows.append([])
                    case "p" if rows is None:
                        text, level = [], 0
                    case "tc":
                        text = []
                    case "pPr":
                        level = int(event.attributes.get("lvl", "0") or 0)
                    case "t":
                        in_text = True
                    case "br":
                        text.append("\n")
            else:
                match event.name:
                    case "t":
                        in_text = False
                    case "p" if rows is not None:
                        text.append(" ")
                    case "p":
                        block = _block("".join(text).strip(), holder, level, list_like)
                        if block is not None:
                            yield block
                    case "tc" if rows:
                        rows[-1].append("".join(text).strip())
                    case "tbl" if rows is not None:
                        yield Table(rows)
                        rows = None


def _block(text: str, holder: str | None, level: int, list_like: bool) -> Block | None:
    if not text or holder in _NO_TEXT:
        return None
    if holder in _TITLES:
        return Heading(2, text)
    return Item(level, text) if list_like and holder != "subTitle" else Paragraph(text)
