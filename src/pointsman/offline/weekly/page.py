"""What the report is made of, whatever it is written as: sentences in both languages, tables, tiles and days."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.said import Said
from pointsman.offline.weekly.spans import Day

Tone = Literal["", "good", "warn", "bad"]


class Tile(msgspec.Struct, frozen=True):
    """A figure of the week. `was`: the one of the week before, `change` how much it is more or less, in words; None where
    there is none to compare with. `tone`: whether that is for the better."""

    label: Said
    value: str
    was: str | None = None
    change: str | None = None
    tone: Tone = ""


class Row(msgspec.Struct, frozen=True):
    """`notes` stand below it, over its whole width, and then `code`: lines of a config."""

    cells: tuple[str, ...]
    tone: Tone = ""
    notes: tuple[str, ...] = ()
    code: str | None = None


class Part(msgspec.Struct, frozen=True):
    """A section. Columns whose place is in `numbers` stand to the right; `wide` is the one that takes the room that is
    left. `after` are sentences below the table."""

    title: Said
    lines: tuple[str, ...] = ()
    heads: tuple[Said, ...] = ()
    rows: tuple[Row, ...] = ()
    numbers: frozenset[int] = frozenset()
    wide: int = 0
    after: tuple[str, ...] = ()


class Page(msgspec.Struct, frozen=True):
    """`short` are the findings in a sentence each, with their tone."""

    title: Said
    about: Said
    made: Said
    short: tuple[tuple[Tone, Said], ...]
    tiles: tuple[Tile, ...]
    days: tuple[Day, ...]
    days_title: Said
    days_before: Said
    parts: tuple[Part, ...]
