"""Something that a text holds: an amount, a phone number, an SQL statement."""

from __future__ import annotations

from typing import Any

import msgspec

KINDS: tuple[str, ...] = (
    "period", "number", "amount", "percentage", "file", "code", "sql", "maths", "url", "email", "phone", "id_card",
    "bank_card", "secret",
)  # fmt: skip


class Extract(msgspec.Struct, frozen=True, gc=False):
    """Something of a `kind` at [start, end) of the text, in characters. `value` is plain data, normalised; `of` is what a
    rule may narrow by (extension, language, verb, currency, grain), None where the kind has nothing of the sort."""

    kind: str
    start: int
    end: int
    value: Any
    of: str | None = None
