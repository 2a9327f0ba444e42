"""What the child is told to read, and what it gives back."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman.actions.document.block import Note

As = Literal["markdown", "text"]
Unit = Literal["page", "sheet", "slide"]


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """`pages` are ranges from 1 on, both ends included; none: all of them. `most_pages` and `most_characters` are as many as
    are given back."""

    path: str
    form: As
    tables: bool
    most_pages: int
    most_characters: int
    pages: list[tuple[int, int]] = []
    password: str | None = None


class Page(msgspec.Struct, frozen=True):
    """One page, sheet or slide with its text."""

    page: int
    text: str
    name: str = ""


class Rows(msgspec.Struct, frozen=True):
    """A table and where it stood."""

    page: int
    rows: list[list[Any]]


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """`kind` is what the content says it is (`pdf`, `docx`, …). `count` is how many pages there are, None where that is not
    known; `pictures` are those without text. `cut`: there was more than is given back."""

    kind: str
    unit: Unit
    count: int | None
    pages: list[Page]
    tables: list[Rows]
    pictures: list[int]
    notes: list[Note]
    cut: bool
