"""The report as Markdown. What came from others is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pointsman.domain.said import Tongue
from pointsman.offline.weekly.page import Page, Part, Tone
from pointsman.offline.weekly.shown import one_line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")
_MARKS: dict[Tone, str] = {"": "", "good": "🟢 ", "warn": "🟡 ", "bad": "🔴 "}


def as_markdown(page: Page, tongue: Tongue) -> str:
    return "\n".join(_lines(page, tongue)) + "\n"


def _lines(page: Page, tongue: Tongue) -> Iterator[str]:
    yield f"# {_plain(page.title, tongue)}"
    yield ""
    yield _plain(page.about, tongue)
    yield ""
    for tone, line in page.short:
        yield f"- {_MARKS[tone]}{_plain(line, tongue)}"
    yield ""
    for part in page.parts:
        yield from _part(part, tongue)
    yield f"*{_plain(page.made, tongue)}*"


def _part(part: Part, tongue: Tongue) -> Iterator[str]:
    yield f"## {_plain(part.title, tongue)}"
    yield ""
    for line in part.lines:
        yield _plain(line, tongue)
        yield ""
    if part.heads:
        yield _row([_plain(head, tongue) for head in part.heads])
        yield _row(["--:" if place in part.numbers else "---" for place in range(len(part.heads))])
        for row in part.rows:
            cells = [_plain(cell, tongue) for cell in row.cells]
            cells[0] = _MARKS[row.tone] + cells[0]
            yield _row(cells)
        yield ""
        for row in part.rows:
            notes = [_plain(note, tongue) for note in row.notes]
            if row.code is not None:
                notes.append(f"`{row.code}`")
            if notes:
                yield f"- **{_plain(row.cells[0], tongue)}** {('; ' if tongue == 'en' else '；').join(notes)}"
        if any(row.notes for row in part.rows):
            yield ""
    for line in part.after:
        yield _plain(line, tongue)
        yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str, tongue: Tongue) -> str:
    return _SPECIAL.sub(r"\\\1", one_line(text, tongue))
