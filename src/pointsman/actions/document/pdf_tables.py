"""Characters within grids → tables."""

from __future__ import annotations

import msgspec

from pointsman.actions.document.characters import joined
from pointsman.actions.document.pdf_grids import Grid, Open, grids_of
from pointsman.actions.document.pdf_page import Content, Place

_LINE = 0.6  # of a character's size: lower than that is the next line
_GAP = 0.6  # of a character's size: that much room parts two columns

Placed = tuple[Place, str]


class Found(msgspec.Struct):
    """A table and the characters that are in it."""

    rows: list[list[str]]
    inside: set[int]


def tables_of(content: Content) -> list[Found]:
    """Frames around text are none: a table has two rows, and two columns."""
    if not content.places:
        return []
    grids, open_ones = grids_of(content.rulings)
    found = [table for grid in grids if (table := _closed(grid, content)) is not None]
    taken = {n for table in found for n in table.inside}
    return found + [table for one in open_ones if (table := _by_gaps(one, content, taken)) is not None]


def _closed(grid: Grid, content: Content) -> Found | None:
    rows, columns = grid.shape
    if rows < 2 or columns < 2:
        return None
    cells: dict[tuple[int, int], list[Placed]] = {}
    inside: set[int] = set()
    for n, place in content.places.items():
        cell = grid.cell(*place.middle)
        if cell is not None:
            inside.add(n)
            cells.setdefault(cell, []).append((place, content.characters[n]))
    table = [[_text(cells.get((row, column), [])) for column in range(columns)] for row in range(rows)]
    table = [row for row in table if any(row)]
    used = [column for column in range(columns) if any(row[column] for row in table)]
    if len(table) < 2 or len(used) < 2:
        return None
    return Found([[row[column] for column in used] for row in table], inside)


def _by_gaps(one: Open, content: Content, taken: set[int]) -> Found | None:
    bottom, top = min(one.ys), max(one.ys)
    placed = [
        (n, place)
        for n, place in content.places.items()
        if n not in taken and one.left - 3 <= place.left and place.right <= one.right + 3 and bottom < place.base < top
    ]
    ink = [place for n, place in placed if content.characters[n].strip()]
    if not ink:
        return None
    size = sorted(place.height for place in ink)[len(ink) // 2]
    columns, lines = _columns(ink, size), _lines(ink, size)
    if len(columns) < 2 or len(lines) < 2:
        return None
    cells: dict[tuple[int, int], list[Placed]] = {}
    for n, place in placed:
        row = min(range(len(lines)), key=lambda k: abs(lines[k] - place.base))
        column = min(range(len(columns)), key=lambda k: _away(columns[k], place.middle[0]))
        cells.setdefault((row, column), []).append((place, content.characters[n]))
    rows = [[_text(cells.get((r, c), [])) for c in range(len(columns))] for r in range(len(lines))]
    return Found(rows, {n for n, _ in placed})


def _away(span: tuple[float, float], x: float) -> float:
    return max(span[0] - x, x - span[1], 0.0)


def _columns(places: list[Place], size: float) -> list[tuple[float, float]]:
    """Spans that are apart in every line."""
    spans: list[tuple[float, float]] = []
    for left, right in sorted((place.left, place.right) for place in places):
        if spans and left - spans[-1][1] <= size * _GAP:
            spans[-1] = spans[-1][0], max(right, spans[-1][1])
        else:
            spans.append((left, right))
    return spans


def _lines(places: list[Place], size: float) -> list[float]:
    """The heights at which lines stand, from above."""
    lines: list[float] = []
    for base in sorted((place.base for place in places), reverse=True):
        if not lines or lines[-1] - base > size * _LINE:
            lines.append(base)
    return lines


def _text(placed: list[Placed]) -> str:
    """Of one cell: lines joined as one text, in the order of the page."""
    text, line, base = "", "", None
    for place, character in placed:
        if character.strip():
            if base is not None and abs(base - place.base) > place.height * _LINE:
                text, line = joined(text, line.strip()), ""
            base = place.base
        line += character if character not in "\r\n" else " "
    return joined(text, " ".join(line.split())).strip()
