"""What sections of a report are made of."""

from __future__ import annotations

import math

import msgspec

from pointsman.domain.said import Said, said


class Behind(msgspec.Struct, frozen=True):
    """The requests behind the figure in `row` and `column` of a table, both counted from 0 (`column` None: in that line):
    `ids` of some of them; None: all of the period with these `fields` of the log."""

    row: int
    column: int | None
    fields: dict[str, str] = {}
    ids: tuple[str, ...] | None = None


class Section(msgspec.Struct, frozen=True):
    """A title, sentences, and a table; columns whose place is in `numbers` stand to the right. Rows of one cell are notes to
    the row before. `behind` leads from figures to requests."""

    title: Said | None
    lines: tuple[str, ...] = ()
    heads: tuple[Said, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    numbers: frozenset[int] = frozenset()
    behind: tuple[Behind, ...] = ()


def number(value: int) -> str:
    return f"{value:,}"


def percent(value: float) -> str:
    return f"{100 * value:.2f}%"


def figure(value: float) -> str:
    """Three digits, but no exponents."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}"


def stated(count: int, what: Said) -> Said:
    """What holds of so many."""
    return said("{count}: {what}", "{count} 个：{what}", count=number(count), what=what)


def counted(count: int, what: Said) -> Said:
    return said("{count} {what}", "{count} 个{what}", count=number(count), what=what)
