"""The columns of figures of a table: now, before, and by how much it changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from pointsman.actions.report.document import heading, in_language, word
from pointsman.actions.report.figures import Figure, Group, added_up, rest_of
from pointsman.actions.report.numbers import NOTHING, Number, shown
from pointsman.actions.report.sections import Earlier, Section
from pointsman.domain.wording import Tongue

Cell = Figure | Literal["from_zero"]
"""A figure, None where there is none, or a change from 0, of which no percentage can be said."""


class Column(msgspec.Struct, frozen=True):
    """What stands in a column for each row, for the others and in the total. `decimals` None: shares, to be shown as
    percent. `sign`: with its sign. `series`: a chart draws it."""

    title: str
    decimals: int | None
    rows: Sequence[Cell]
    others: Cell
    total: Cell
    series: bool = False
    sign: bool = False

    def shown(self, cell: Cell, language: Tongue) -> str:
        if cell == "from_zero":
            return word("from_zero", language)
        if cell is None:
            return NOTHING
        text = f"{float(cell):.1%}" if self.decimals is None else shown(cell, self.decimals)
        return f"+{text}" if self.sign and float(cell) > 0 else text


def columns_of(section: Section, language: Tongue) -> list[Column]:
    if section.across:
        return [*(_across(section, place) for place in range(len(section.across))), _whole(section, language)]
    return [column for place in range(len(section.measures)) for column in columns_of_measure(section, place, language)]


def columns_of_measure(section: Section, place: int, language: Tongue, *, alone: bool = False) -> list[Column]:
    """The measure at that place, and the earlier periods beside it. `alone`: the table is of this measure, so that heads do
    not repeat its name."""
    measure = section.measures[place]
    now = [group.figures[place] for group in section.rows]
    rest = section.others[place] if section.others is not None else None
    title = word("now", language) if alone and section.earlier else heading(measure, language)
    columns = [Column(title, measure.decimals, now, rest, section.total[place], series=place == 0)]
    for beside in section.earlier:
        columns += _compared(
            section, place, beside, now, language, "" if alone else in_language(measure.titles, language)
        )
    return columns


def _across(section: Section, place: int) -> Column:
    rest = section.others[place] if section.others is not None else None
    rows = [group.figures[place] for group in section.rows]
    return Column(section.across[place], section.measures[0].decimals, rows, rest, section.total[place], series=True)


def _whole(section: Section, language: Tongue) -> Column:
    """What each row of a table of rows and columns comes to."""
    rows = [_sum(group.figures) for group in section.rows]
    rest = _sum(section.others) if section.others is not None else None
    return Column(word("total", language), section.measures[0].decimals, rows, rest, _sum(section.total))


def _sum(figures: Sequence[Figure]) -> Number:
    return added_up([figure for figure in figures if figure is not None])


def _compared(
    section: Section, place: int, beside: Earlier, now: Sequence[Figure], language: Tongue, title: str
) -> list[Column]:
    """Before, the difference, and that as a share of before."""
    measure = section.measures[place]
    before = [figures[place] for figures in beside.rows]
    total, whole = section.total[place], beside.total[place]
    pairs = list(zip(now, before, strict=True))
    others = section.others[place] if section.others is not None else None
    rest = rest_of((measure,), (whole,), [Group((), (figure,)) for figure in before])[0] if others is not None else None
    return [
        Column(_joined(title, beside.title, language), measure.decimals, before, rest, whole, series=place == 0),
        Column(
            _joined(title, word(f"difference_{beside.compare}", language), language),
            measure.decimals,
            [difference(a, b) for a, b in pairs],
            difference(others, rest),
            difference(total, whole),
            sign=True,
        ),
        Column(
            _joined(title, word(f"percent_{beside.compare}", language), language),
            None,
            [growth(a, b) for a, b in pairs],
            growth(others, rest),
            growth(total, whole),
            sign=True,
        ),
    ]


def _joined(title: str, what: str, language: Tongue) -> str:
    """销售额 上年同期; Sales, a year earlier."""
    if not title:
        return what
    return f"{title} {what}" if language == "zh" else f"{title}, {what[:1].lower()}{what[1:]}"


def difference(now: Figure, before: Figure) -> Figure:
    if now is None or before is None:
        return None
    return _less(now, before)


def growth(now: Figure, before: Figure) -> Cell:
    """By which share of the size of `before` it grew."""
    if now is None or before is None:
        return None
    if not float(before):
        return "from_zero"
    return (float(now) - float(before)) / abs(float(before))


def _less(a: Number, b: Number) -> Number:
    """Of one kind of number, or of floats where they are mixed."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) - float(b)
    return a - b
