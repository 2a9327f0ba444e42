"""Columns for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: frozenset[int] | set[int]) -> list[str]:
    """Lines; columns whose place is in `numbers` stand to the right."""
    widths = [max(columns(row[place]) for row in (heads, *rows)) for place in range(len(heads))]

    def cell(place: int, text: str) -> str:
        blanks = " " * (widths[place] - columns(text))
        return blanks + text if place in numbers else text + blanks

    return ["  ".join(cell(place, text) for place, text in enumerate(row)).rstrip() for row in (heads, *rows)]


def columns(text: str) -> int:
    """How wide a text is on a terminal: an ideograph takes two columns."""
    return sum(1 if character < "\u2e80" else 2 for character in text)
