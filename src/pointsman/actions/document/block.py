"""What documents are made of, whatever wrote them: one after the other, in the order in which they are read."""

from __future__ import annotations

from typing import Any

import msgspec


class PageStart(msgspec.Struct, frozen=True):
    """From here on it is that page, sheet or slide; sheets have names. `picture`: it holds no text, only pictures."""

    number: int
    name: str = ""
    picture: bool = False


class Heading(msgspec.Struct, frozen=True):
    """`level` from 1."""

    level: int
    text: str


class Paragraph(msgspec.Struct, frozen=True):
    text: str


class Item(msgspec.Struct, frozen=True):
    """Of a list; `level` from 0, `number` where the list is numbered."""

    level: int
    text: str
    number: int | None = None


class Table(msgspec.Struct, frozen=True):
    """Rows of texts, numbers and truths, as they stand in the file; they may be of different lengths."""

    rows: list[list[Any]]


class Note(msgspec.Struct, frozen=True):
    """Something that the reader has to know of how far this was read, in both languages."""

    en: str
    zh: str


Block = PageStart | Heading | Paragraph | Item | Table | Note
