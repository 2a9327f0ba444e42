"""What was found for a field, with the chunk that says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.actions.extract.field import Field
from pointsman.actions.extract.stand import Place, Text
from pointsman.framing.chunks import Chunk

By = str
"""`rules` or `model`."""


class Passage(msgspec.Struct, frozen=True):
    """A chunk, and its text taken apart."""

    chunk: Chunk
    text: Text


class Item(msgspec.Struct, frozen=True):
    """One value, as programs get it and as people read it, and where it stands: [start, end) of that passage. Two with
    the same `key` are one, however they are written."""

    value: Any
    shown: str
    passage: int
    start: int
    end: int
    key: Any = None


class Found(msgspec.Struct, frozen=True):
    """One item, or several of a list in the order of the passages. `by` found them. `sure`: a passage says that they are
    this field's, not only that there is nothing else of its kind."""

    items: tuple[Item, ...]
    by: By
    sure: bool = True

    def chunks(self, passages: Sequence[Passage]) -> list[str]:
        return list(dict.fromkeys(passages[item.passage].chunk.id for item in self.items))


def passages_of(chunks: Sequence[Chunk]) -> list[Passage]:
    return [Passage(chunk, Text(chunk.text)) for chunk in chunks]


def supported(field: Field, value: Any, passage: int, passages: Sequence[Passage]) -> Item | None:
    """The value as that passage has it; None where the passage does not say it, or the field does not take it."""
    text = passages[passage].text
    place: Place | None
    if field.type == "string":
        if not isinstance(value, str):
            return None
        option = _option(field, value)
        place = text.place_of(value if option is None else option)
        if place is None:
            return None
        shown = place.shown if option is None else option
        return Item(shown, shown, passage, place.start, place.end) if field.allows(shown) else None
    number = _number(value)
    if number is None or not field.allows(number):
        return None
    place = text.place_of_number(number)
    return None if place is None else Item(number, place.shown, passage, place.start, place.end)


def put_in_order(items: Sequence[Item], most: int) -> tuple[Item, ...]:
    """As the passages have them, each once; of two in one place the longer one stays."""
    kept: list[Item] = []
    for item in sorted(items, key=lambda one: (one.passage, one.start, -one.end)):
        last = kept[-1] if kept else None
        if last and last.passage == item.passage and item.start < last.end:
            continue
        if not any(one.shown == item.shown for one in kept):
            kept.append(item)
    return tuple(kept[:most])


def _option(field: Field, value: str) -> str | None:
    """The one of the field's own values that is meant, in the field's spelling."""
    options = field.schema.get("enum", [])
    return next(
        (option for option in options if isinstance(option, str) and option.lower() == value.strip().lower()), None
    )


def _number(value: Any) -> int | float | None:
    if isinstance(value, str):
        try:
            value = float(value.replace(",", "").strip())
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) > 1e15:
        return None
    return int(value) if float(value).is_integer() else value
