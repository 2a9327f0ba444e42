"""Reads one file, in a process of its own that may be killed at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from pointsman.actions.child.work import Room
from pointsman.actions.document import wrong
from pointsman.actions.document.archive import Archive
from pointsman.actions.document.block import Block, Note, PageStart
from pointsman.actions.document.choice import is_in
from pointsman.actions.document.docx import Docx
from pointsman.actions.document.encoding import decoded
from pointsman.actions.document.html_file import html_blocks
from pointsman.actions.document.kind_of import kind_of
from pointsman.actions.document.odf import Odf
from pointsman.actions.document.pdf import Pdf
from pointsman.actions.document.plain_file import csv_blocks, delimiter_of, mail_blocks, text_blocks
from pointsman.actions.document.pptx import Pptx
from pointsman.actions.document.rendered import Rendered
from pointsman.actions.document.sheets import Sheets
from pointsman.actions.document.task import Read, Reading, Unit

_LAST = 0.15
"""Of the time, kept for giving back what was read."""


class Paged(Protocol):
    """Pages that can be read one by one."""

    count: int

    def page(self, number: int) -> Iterator[Block]: ...


def read(task: Reading, room: Room) -> Read:
    """Raises ActionFailed."""
    whole = room.left
    rendered = Rendered(task.form, task.tables, task.most_characters)

    def late() -> bool:
        return room.left < whole * _LAST

    path = Path(task.path)
    kind, archive = kind_of(path)
    try:
        return _of_kind(kind, path, archive, task, rendered, late)
    finally:
        if archive is not None:
            archive.close()


def _of_kind(
    kind: str, path: Path, archive: Archive | None, task: Reading, rendered: Rendered, late: Callable[[], bool]
) -> Read:
    unit: Unit = "page"
    count: int | None = None
    if kind in ("pdf", "xlsx", "xls", "ods", "pptx"):
        paged: Paged
        if kind == "pdf":
            paged = Pdf(path, task.password, task.tables)
        elif kind == "pptx" and archive is not None:
            paged, unit = Pptx(archive), "slide"
        else:
            paged, unit = Sheets(path, archive if kind == "xlsx" else None), "sheet"
        count = paged.count
        cut = _pages(paged, task, rendered, late)
    else:
        if kind == "docx" and archive is not None:
            blocks = Docx(archive).blocks()
        elif kind in ("odt", "odp") and archive is not None:
            odf = Odf(archive, kind == "odp")
            blocks, unit = odf.blocks(), "slide" if kind == "odp" else "page"
        else:
            kind, blocks = _flat(kind, path)
        cut = _flowing(blocks, task, rendered, late)
    return Read(
        kind=kind,
        unit=unit,
        count=count,
        pages=rendered.pages,
        tables=rendered.tables,
        pictures=rendered.pictures,
        notes=rendered.notes,
        cut=cut or rendered.full,
    )


def _flat(kind: str, path: Path) -> tuple[str, Iterator[Block]]:
    content = path.read_bytes()
    if kind == "mail":
        return "eml", mail_blocks(content)
    text = decoded(content)
    if kind == "html":
        return kind, html_blocks(text)
    delimiter = delimiter_of(text)
    return ("csv", csv_blocks(text, delimiter)) if delimiter is not None else ("text", text_blocks(text))


def _pages(paged: Paged, task: Reading, rendered: Rendered, late: Callable[[], bool]) -> bool:
    """Those that are wanted, as many as there is room and time for; whether some were left out."""
    wanted = range(1, paged.count + 1) if not task.pages else _numbers(task.pages, paged.count)
    for done, number in enumerate(wanted):
        if done >= task.most_pages:
            rendered.notes.append(_only(task.most_pages, paged.count))
            return True
        if rendered.full or late():
            if not rendered.full:
                rendered.notes.append(_no_time(number))
            return True
        rendered.take(paged.page(number))
    return False


def _numbers(ranges: list[tuple[int, int]], count: int) -> Iterator[int]:
    if ranges[0][0] > count:
        raise wrong.no_such_page(ranges[0][0], count)
    return (number for first, last in ranges for number in range(first, min(last, count) + 1))


def _flowing(blocks: Iterator[Block], task: Reading, rendered: Rendered, late: Callable[[], bool]) -> bool:
    """Pages begin where the file says so."""
    stopped = False

    def chosen() -> Iterator[Block]:
        nonlocal stopped
        page, read = 1, 0
        for place, block in enumerate(blocks):
            if isinstance(block, PageStart):
                page = block.number
                read += is_in(page, task.pages)
                if read > task.most_pages:
                    stopped = True
                    rendered.notes.append(_only(task.most_pages, None))
                    return
            if place % 64 == 0 and late():
                stopped = True
                rendered.notes.append(_no_time(page))
                return
            if is_in(page, task.pages) or isinstance(block, Note):
                yield block

    rendered.take(chosen())
    return stopped


def _only(most: int, count: int | None) -> Note:
    if count is None:
        return Note(f"Only the first {most:,} pages were read.", f"只读取了前 {most:,} 页。")
    return Note(
        f"Only the first {most:,} of {count:,} pages were read; ask for others by their numbers.",
        f"共 {count:,} 页，只读取了前 {most:,} 页；其余的请按页码读取。",
    )


def _no_time(page: int) -> Note:
    return Note(
        f"The time was up before page {page}; ask for the rest by page numbers.",
        f"时间已到，读到第 {page} 页之前；其余的请按页码读取。",
    )
