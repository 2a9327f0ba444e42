"""A replay's report as the page shows it: figures lead to the requests behind them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from pointsman.console.replay.runs import Behind, Part, Replayed
from pointsman.console.words import Words

SAMPLES = 3
"""Notes below a row; what is behind its figures has the others."""
ALL_MOVED = "/ui/replay/requests?part=0&row=0"
"""Those that move at all: the report begins with how many that are."""


class Cell(msgspec.Struct, frozen=True):
    """`place` has its requests, where there are any."""

    words: Words
    number: bool
    place: str | None


class ShownRow(msgspec.Struct, frozen=True):
    cells: Sequence[Cell]
    notes: Sequence[Words]


def shown(found: Replayed) -> Sequence[Mapping[str, Any]]:
    """Of each part: its `title`, `lines` with their places, `heads` with whether they are figures, `rows`."""
    told = []
    for number, part in enumerate(found.report):
        behind = {(each.row, each.column): _place(number, each, found) for each in part.behind}
        told.append(
            {
                "title": part.title,
                "lines": [(line, behind.get((row, None))) for row, line in enumerate(part.lines)],
                "heads": [(head, column in part.numbers) for column, head in enumerate(part.heads)],
                "rows": list(_rows(part, behind)),
            }
        )
    return told


def _rows(part: Part, behind: Mapping[tuple[int, int | None], str]) -> Iterator[ShownRow]:
    for at, row in enumerate(part.rows):
        if len(row) == 1:
            continue
        cells = [Cell(words, column in part.numbers, behind.get((at, column))) for column, words in enumerate(row)]
        below = [note[0] for note in itertools.takewhile(lambda note: len(note) == 1, part.rows[at + 1 :])]
        yield ShownRow(cells, _spread(below))


def _spread(notes: Sequence[Words]) -> Sequence[Words]:
    """The first, one from the middle, the last."""
    if len(notes) <= SAMPLES:
        return notes
    return [notes[place * (len(notes) - 1) // (SAMPLES - 1)] for place in range(SAMPLES)]


def _place(part: int, behind: Behind, found: Replayed) -> str:
    if behind.ids is None:
        return "/ui/requests?" + urlencode({**behind.fields, **period(found)})
    column = {} if behind.column is None else {"column": behind.column}
    return "/ui/replay/requests?" + urlencode({"part": part, "row": behind.row, **column})


def period(found: Replayed) -> dict[str, str]:
    """As filters of the page *Requests*."""
    return {"since": f"{found.since:.0f}", "until": f"{found.until:.0f}"}


def behind_of(found: Replayed, query: Mapping[str, str]) -> tuple[Part, Behind] | None:
    """What such a place names; None where the last replay has it not."""
    number = {name: int(query[name]) for name in ("part", "row", "column") if query.get(name, "").isdecimal()}
    at = number.get("part", len(found.report))
    if at >= len(found.report):
        return None
    part, place = found.report[at], (number.get("row"), number.get("column"))
    return next(((part, each) for each in part.behind if (each.row, each.column) == place and each.ids), None)
