"""Lines of a page → headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pointsman.actions.document.block import Block, Heading, Item, Paragraph, Table
from pointsman.actions.document.characters import is_wide, joined
from pointsman.actions.document.pdf_page import Content, Line
from pointsman.actions.document.pdf_tables import Found, tables_of

_BULLET = re.compile(r"\s*[•●▪■◦‣∙◆➢►○·]\s*(?=\S)|\s*[–-]\s+(?=\S)")
_NUMBERED = re.compile(r"\s*(?:\d{1,3}[.)、．](?!\d)|[（(]?[一二三四五六七八九十]{1,3}[)）、])")
_LEVELS = ((1.7, 1), (1.35, 2), (1.12, 3))
_HEADING = 120  # characters at most
_FULL = 2.6  # characters' sizes short of the margin: a line that goes on in the next


class Sizes:
    """How much text of which size there was so far: the most common size is that of plain text."""

    def __init__(self) -> None:
        self._characters: Counter[float] = Counter()

    def add(self, lines: list[Line]) -> None:
        for line in lines:
            self._characters[round(line.size * 2) / 2] += len(line.text)

    def level(self, line: Line) -> int | None:
        """Of a heading; None for plain text."""
        if len(line.text) > _HEADING or not self._characters:
            return None
        body = self._characters.most_common(1)[0][0]
        if body < 2:  # sizes are set elsewhere
            return None
        return next((level for ratio, level in _LEVELS if line.size >= body * ratio), None)


def blocks_of(content: Content, sizes: Sizes) -> Iterator[Block]:
    """In the order in which the page has them. A table stands where its first character does."""
    tables = tables_of(content)
    lines = content.lines if not tables else _outside(content, tables)
    sizes.add([line for line in lines if isinstance(line, Line)])
    run: list[Line] = []
    for line in lines:
        if isinstance(line, Line) and (not run or _goes_on(run, line)):
            run.append(line)
            continue
        yield from _run(run, content.lines, sizes)
        run = []
        if isinstance(line, Line):
            run = [line]
        else:
            yield Table(line.rows)
    yield from _run(run, content.lines, sizes)


def _outside(content: Content, tables: list[Found]) -> list[Line | Found]:
    found: list[Line | Found] = []
    told: set[int] = set()
    for line in content.lines:
        rest = []
        for n in range(line.start, line.end):
            at = next((k for k, table in enumerate(tables) if n in table.inside), None)
            if at is None:
                rest.append(content.characters[n])
            elif at not in told:
                told.add(at)
                found.append(tables[at])
        if len(rest) == line.end - line.start:
            found.append(line)
        elif text := "".join(rest).strip():
            found.append(Line(line.start, line.end, text, line.left, line.right, line.base, line.size, line.hyphen))
    return found


def _goes_on(run: list[Line], line: Line) -> bool:
    """Whether a line may be of the same paragraph as those before it: same size, next below, about the same margin."""
    last, size = run[-1], max(line.size, 1.0)
    apart = last.base - line.base
    usual = run[0].base - run[1].base if len(run) > 1 else 2.2 * size
    return (
        abs(last.size - line.size) <= 0.05 * size
        and 0.5 * size < apart < min(2.2 * size, usual * 1.15 + 1)
        and abs(last.left - line.left) < 3.2 * size
        and not _BULLET.match(line.text)
        and not _NUMBERED.match(line.text)
    )


def _run(run: list[Line], page: list[Line], sizes: Sizes) -> Iterator[Block]:
    """Lines of one margin → paragraphs: a line that ends short of the margin ends one, an indented one begins one."""
    if not run:
        return
    left = min(line.left for line in run)
    indent = 3.2 * max(run[0].size, 1.0)
    margin = max(line.right for line in [*run, *page] if abs(line.left - left) < indent)
    text = ""
    for place, line in enumerate(run):
        piece = line.text.strip()
        text = text + piece if place and run[place - 1].hyphen and text else joined(text, piece)
        size = max(line.size, 1.0)
        after = run[place + 1] if place + 1 < len(run) else None
        full = line.right >= margin - _FULL * size and not _has_gaps(line)
        starts = after is not None and after.left - left > size and line.left - left <= size
        if after is None or not full or starts:
            yield _block(text, line, sizes)
            text = ""


def _has_gaps(line: Line) -> bool:
    """Whether it is far wider than its characters: columns that no line parts."""
    ink = sum(1.0 if is_wide(character) else 0.45 for character in line.text) * line.size
    return ink < 0.7 * (line.right - line.left)


def _block(text: str, line: Line, sizes: Sizes) -> Block:
    bullet = _BULLET.match(text)
    if bullet:
        return Item(0, text[bullet.end() :])
    level = sizes.level(line)
    return Heading(level, text) if level is not None and len(text) <= _HEADING else Paragraph(text)
