"""What a database has, as far as a statement names it."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["number", "text", "date", "moment", "zoned", "boolean", "other"]


class Column(msgspec.Struct, frozen=True):
    """`filled`: it holds no NULL."""

    name: str
    kind: Kind = "other"
    filled: bool = False


class Existing(msgspec.Struct, frozen=True):
    """An index; `columns` in order, "" for an expression. `partial`: it holds some rows only."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    partial: bool = False


class Table(msgspec.Struct, frozen=True):
    """`name` as the database spells it; `rows` is an estimate."""

    name: str
    columns: tuple[Column, ...]
    indexes: tuple[Existing, ...] = ()
    rows: int | None = None

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name.lower() == name.lower()), None)

    def starts(self, columns: tuple[str, ...], *, ordered: int = 0) -> str | None:
        """The index that begins with these columns, of which all but the last `ordered` may be in any order."""
        wanted = tuple(column.lower() for column in columns)
        for index in self.indexes:
            have = tuple(column.lower() for column in index.columns[: len(wanted)])
            free = len(wanted) - ordered
            if not index.partial and set(have[:free]) == set(wanted[:free]) and have[free:] == wanted[free:]:
                return index.name
        return None


Schema = dict[str, Table]
"""By the name in small letters, without a schema."""


def kind_of(declared: str) -> Kind:
    """What a column of that declared type holds."""
    plain = declared.lower()
    if "timestamp" in plain or "datetime" in plain:
        return "zoned" if "with time zone" in plain or "timestamptz" in plain else "moment"
    if plain.startswith("date"):
        return "date"
    if plain.startswith("bool"):
        return "boolean"
    if any(word in plain for word in ("char", "text", "clob", "uuid")):
        return "text" if "uuid" not in plain else "other"
    if any(word in plain for word in ("int", "num", "dec", "real", "doub", "float", "serial")):
        return "number"
    return "other"
