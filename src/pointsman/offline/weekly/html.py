"""The report as one HTML file: no script, nothing from elsewhere, and it prints."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from pointsman.domain.said import Tongue
from pointsman.offline.weekly.page import Page, Part, Row, Tile
from pointsman.offline.weekly.shown import one_line
from pointsman.offline.weekly.spans import Day

_STYLE = Path(__file__).parent / "weekly.css"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HEIGHT, _WIDTH = 120, 720
_LABELS = 16


def as_html(page: Page, tongue: Tongue) -> str:
    language = "zh-CN" if tongue == "zh" else "en"
    return "".join(
        (
            f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{_text(page.title, tongue)} · {_text(page.about, tongue)}</title>\n",
            f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n<main>\n",
            *_body(page, tongue),
            "</main>\n</body>\n</html>\n",
        )
    )


def _body(page: Page, tongue: Tongue) -> Iterator[str]:
    yield f"<header><h1>{_text(page.title, tongue)}</h1><p>{_text(page.about, tongue)}</p></header>\n"
    yield '<ul class="short">\n'
    for tone, line in page.short:
        yield f'<li class="{tone or "plain"}">{_text(line, tongue)}</li>\n'
    yield '</ul>\n<dl class="tiles">\n'
    for tile in page.tiles:
        yield _tile(tile, tongue)
    yield "</dl>\n"
    yield from _days(page, tongue)
    for part in page.parts:
        yield from _part(part, tongue)
    yield f"<footer>{_text(page.made, tongue)}</footer>\n"


def _tile(tile: Tile, tongue: Tongue) -> str:
    was = ""
    if tile.was is not None:
        change = f'<b class="{tile.tone or "plain"}">{_text(tile.change, tongue)}</b> ' if tile.change else ""
        was = f"<small>{change}← {_text(tile.was, tongue)}</small>"
    return f"<div><dt>{_text(tile.label, tongue)}</dt><dd>{_text(tile.value, tongue)}{was}</dd></div>\n"


def _days(page: Page, tongue: Tongue) -> Iterator[str]:
    days = page.days
    most = max((max(day.requests, day.before or 0) for day in days), default=0)
    if not most or len(days) < 2:
        return
    several = any(day.before is not None for day in days)
    yield f'<figure><figcaption><i class="now"></i> {_text(page.days_title, tongue)}'
    if several:
        yield f' <span><i class="was"></i> {_text(page.days_before, tongue)}</span>'
    name = _text(page.days_title, tongue)
    yield f'</figcaption>\n<svg viewBox="-12 0 {_WIDTH + 24} {_HEIGHT + 34}" role="img" aria-label="{name}">\n'
    slot = _WIDTH / len(days)
    every = -(-len(days) // _LABELS)
    for place, day in enumerate(days):
        yield _column(day, slot * place, slot, most)
        if place % every == 0:
            middle = slot * (place + 0.5)
            yield f'<text x="{middle:.1f}" y="{_HEIGHT + 30}">{escape(day.name)}</text>\n'
    yield "</svg></figure>\n"


def _column(day: Day, left: float, slot: float, most: int) -> str:
    wide = min(slot * 0.34, 28.0)
    middle = left + slot / 2
    drawn = ""
    bars = [(middle - wide / 2, day.requests, "now")]
    if day.before is not None:
        bars = [(middle - wide - 1, day.before, "was"), (middle + 1, day.requests, "now")]
    for at, count, kind in bars:
        tall = _HEIGHT * count / most
        drawn += (
            f'<rect class="{kind}" x="{at:.1f}" y="{14 + _HEIGHT - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"/>'
        )
        if kind == "now" and slot >= 40 and count:
            drawn += f'<text x="{at + wide / 2:.1f}" y="{10 + _HEIGHT - tall:.1f}">{count:,}</text>'
    return drawn + "\n"


def _part(part: Part, tongue: Tongue) -> Iterator[str]:
    yield f"<section>\n<h2>{_text(part.title, tongue)}</h2>\n"
    for line in part.lines:
        yield f"<p>{_text(line, tongue)}</p>\n"
    if part.heads:
        yield '<div class="table"><table>\n<thead><tr>'
        for place, head in enumerate(part.heads):
            yield f"<th{_side(part, place)}>{_text(head, tongue)}</th>"
        yield "</tr></thead>\n"
        for row in part.rows:
            yield from _row(part, row, tongue)
        yield "</table></div>\n"
    for line in part.after:
        yield f'<p class="after">{_text(line, tongue)}</p>\n'
    yield "</section>\n"


def _row(part: Part, row: Row, tongue: Tongue) -> Iterator[str]:
    yield f'<tbody class="{row.tone or "plain"}"><tr>'
    noted = bool(row.notes or row.code)
    for place, cell in enumerate(row.cells):
        rows = ' rowspan="2"' if noted and place == 0 else ""
        yield f"<td{_side(part, place)}{rows}>{_text(cell, tongue)}</td>"
    yield "</tr>"
    if noted:
        code = [f"<code>{escape(row.code)}</code>"] if row.code else []
        notes = "<br>".join([_text(note, tongue) for note in row.notes] + code)
        yield f'<tr class="notes"><td colspan="{len(row.cells) - 1}">{notes}</td></tr>'
    yield "</tbody>\n"


def _side(part: Part, place: int) -> str:
    if place in part.numbers:
        return ' class="number"'
    return ' class="wide"' if place == part.wide else ""


def _text(text: str | None, tongue: Tongue) -> str:
    return escape(one_line(text, tongue))
