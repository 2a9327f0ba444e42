"""The report as a PDF, set by typst. The data reach the template as JSON of strings, so that no text of the log is ever
markup."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.report.pdf import clean
from pointsman.actions.report.typesetting import Prepared, typeset
from pointsman.domain.said import Tongue
from pointsman.offline.weekly.page import Page, Part
from pointsman.offline.weekly.shown import one_line

_TEMPLATE = Path(__file__).parent / "weekly.typ"


def as_pdf(page: Page, tongue: Tongue, now: float) -> bytes:
    """Raises ActionFailed without the built-in font."""
    with tempfile.TemporaryDirectory(prefix="pointsman-weekly-") as folder:
        root = Path(folder)
        (root / "fonts").mkdir()
        main, output = root / _TEMPLATE.name, root / "weekly.pdf"
        main.write_bytes(_TEMPLATE.read_bytes())
        when = datetime.datetime.fromtimestamp(now, datetime.UTC)
        typeset(Prepared(root, main, ""), output, data=data_of(page, tongue), now=when)
        return output.read_bytes()


def data_of(page: Page, tongue: Tongue) -> bytes:
    """The JSON that the template reads."""

    def text(each: str | None) -> str:
        return one_line(each, tongue)

    return msgspec.json.encode(
        clean(
            {
                "language": tongue,
                "title": text(page.title),
                "about": text(page.about),
                "made": text(page.made),
                "short": [{"tone": tone, "text": text(line)} for tone, line in page.short],
                "tiles": [
                    {
                        "label": text(tile.label),
                        "value": tile.value,
                        "was": text(tile.was),
                        "change": text(tile.change),
                        "tone": tile.tone,
                    }
                    for tile in page.tiles
                ],
                "days": [{"name": day.name, "now": day.requests, "was": day.before} for day in page.days],
                "days-title": text(page.days_title),
                "days-before": text(page.days_before),
                "parts": [_part(part, tongue) for part in page.parts],
            }
        )
    )


def _part(part: Part, tongue: Tongue) -> dict[str, Any]:
    return {
        "title": one_line(part.title, tongue),
        "lines": [one_line(line, tongue) for line in part.lines],
        "heads": [one_line(head, tongue) for head in part.heads],
        "numbers": sorted(part.numbers),
        "wide": part.wide,
        "rows": [
            {
                "cells": [one_line(cell, tongue) for cell in row.cells],
                "tone": row.tone,
                "notes": [one_line(note, tongue) for note in row.notes],
                "code": row.code or "",
            }
            for row in part.rows
        ],
        "after": [one_line(line, tongue) for line in part.after],
    }
