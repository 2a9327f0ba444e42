"""A piece of what was retrieved, as the product that put it there wrote it."""

from __future__ import annotations

import msgspec


class Piece(msgspec.Struct, frozen=True):
    """`id` and `name` (of the file or document it is from) are those that stand with it, if any."""

    text: str
    id: str | None = None
    name: str | None = None
