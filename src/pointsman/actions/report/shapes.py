"""Charts as plain shapes: every place is a share of the plot, 0 to 1 from the left or the bottom, so that a template
only has to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from pointsman.actions.report.figures import Figure
from pointsman.actions.report.numbers import axis, percent, short, shown
from pointsman.domain.wording import Tongue

Kind = Literal["columns", "line", "bars", "stacked", "pie", "donut"]
LAST = -1  # of the palette
_LABELS = 9  # on the axis of time, so that they do not touch
_LABEL_LENGTH = 22
_STEP = 0.01  # of a turn, between two corners of a slice
_HOLE = 0.56  # of the radius


class Tick(msgspec.Struct, frozen=True):
    at: float
    label: str


class Point(msgspec.Struct, frozen=True):
    """`at` is the middle of its place along the axis, `value` its height (or length); `text` the figure in full and `short`
    to three digits. `label` is empty where there is no room for it. Of several series it is the first one's, of a stack
    its whole."""

    at: float
    value: float
    label: str
    text: str
    short: str


class Series(msgspec.Struct, frozen=True):
    """`spans` are from where to where it goes at each point: a column from 0 to its value, a piece of a stack from the one
    below. None where it has no figure. `colour` is a place in the palette: the last one for the rest."""

    name: str
    spans: tuple[tuple[float, float] | None, ...]
    colour: int


class Slice(msgspec.Struct, frozen=True):
    """`share` of the whole, as a number and as `text`; `outline` its corners in a square from 0 to 1, from the top left.
    `colour` as of a series."""

    label: str
    share: float
    text: str
    outline: tuple[tuple[float, float], ...]
    colour: int


class Chart(msgspec.Struct, frozen=True):
    """ "columns" stand side by side, "line" joins them, "bars" lie one below the other, "stacked" are columns of pieces.
    `zero` is where 0 is. `slices` are those of "pie" and "donut", whose `points` and `series` are those of bars."""

    kind: Kind
    title: str
    zero: float
    ticks: tuple[Tick, ...]
    points: tuple[Point, ...]
    series: tuple[Series, ...] = ()
    slices: tuple[Slice, ...] = ()


def drawn(
    kind: Literal["columns", "line", "bars"],
    title: str,
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[Figure]]],
    decimals: int,
    language: Tongue,
) -> Chart:
    """`series` are their names and figures, as many as there are labels."""
    known = [float(figure) for _, figures in series for figure in figures if figure is not None]
    place, zero, ticks = _scale(min(known, default=0.0), max(known, default=0.0), 4 if kind == "bars" else 5, language)
    first = series[0][1]
    spans = tuple(
        Series(name, tuple(None if figure is None else (zero, place(float(figure))) for figure in figures), number)
        for number, (name, figures) in enumerate(series)
    )
    points = [(float(figure or 0), shown(figure, decimals)) for figure in first]
    return Chart(
        kind=kind,
        title=title,
        zero=zero,
        ticks=ticks,
        points=tuple(
            Point(_middle(at, len(points)), place(number), label, text, short(number, language))
            for at, ((number, text), label) in enumerate(zip(points, labels, strict=True))
        ),
        series=spans,
    )


def stacked(
    title: str,
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[Figure]]],
    decimals: int,
    language: Tongue,
    *,
    rest: bool,
) -> Chart:
    """No figure is negative. `rest`: the last of the series is what is left."""
    wholes = [sum(float(figures[at] or 0) for _, figures in series) for at in range(len(labels))]
    place, zero, ticks = _scale(0.0, max(wholes, default=0.0), 5, language)
    grown = [0.0] * len(labels)
    pieces = []
    for number, (name, figures) in enumerate(series, 1):
        spans = []
        for at, figure in enumerate(figures):
            below, grown[at] = grown[at], grown[at] + float(figure or 0)
            spans.append((place(below), place(grown[at])))
        pieces.append(Series(name, tuple(spans), LAST if rest and number == len(series) else number - 1))
    return Chart(
        kind="stacked",
        title=title,
        zero=zero,
        ticks=ticks,
        points=tuple(
            Point(_middle(at, len(labels)), place(whole), label, shown(whole, decimals), short(whole, language))
            for at, (whole, label) in enumerate(zip(wholes, labels, strict=True))
        ),
        series=tuple(pieces),
    )


def round_chart(
    kind: Literal["pie", "donut"],
    title: str,
    labels: Sequence[str],
    figures: Sequence[Figure],
    bars: Chart,
    *,
    rest: bool,
) -> Chart:
    """No figure is negative, and their sum is not 0. `bars` are the same figures as bars; `rest`: the last slice is what is
    left."""
    numbers = [float(figure or 0) for figure in figures]
    whole, done, slices = sum(numbers), 0.0, []
    for place, (label, number) in enumerate(zip(labels, numbers, strict=True), 1):
        share = number / whole
        outline = _outline(done, done + share, _HOLE if kind == "donut" else 0.0)
        slices.append(
            Slice(
                label,
                round(share, 5),
                percent(number, whole),
                outline,
                LAST if rest and place == len(labels) else place - 1,
            )
        )
        done += share
    return msgspec.structs.replace(bars, kind=kind, title=title, slices=tuple(slices))


def few(labels: Sequence[str]) -> list[str]:
    """As many of them as an axis has room for, the others empty."""
    step = max(1, -(-len(labels) // _LABELS))
    return [label if place % step == 0 else "" for place, label in enumerate(labels)]


def cut(label: str) -> str:
    return label if len(label) <= _LABEL_LENGTH else f"{label[: _LABEL_LENGTH - 1]}…"


def _outline(start: float, end: float, hole: float) -> tuple[tuple[float, float], ...]:
    """Of a slice between two shares of a turn, from the top on, to the right."""
    steps = max(1, math.ceil((end - start) / _STEP))
    turns = [start + (end - start) * step / steps for step in range(steps + 1)]
    outer = [_corner(turn, 1.0) for turn in turns]
    inner = [_corner(turn, hole) for turn in reversed(turns)] if hole else [(0.5, 0.5)]
    return (*outer, *inner)


def _corner(turn: float, radius: float) -> tuple[float, float]:
    angle = 2 * math.pi * turn
    return round(0.5 + 0.5 * radius * math.sin(angle), 5), round(0.5 - 0.5 * radius * math.cos(angle), 5)


class _Place:
    def __init__(self, low: float, high: float) -> None:
        self._low, self._high = low, high

    def __call__(self, number: float) -> float:
        return round((number - self._low) / (self._high - self._low), 5)


def _scale(low: float, high: float, steps: int, language: Tongue) -> tuple[_Place, float, tuple[Tick, ...]]:
    """Where a number is, where 0 is, and the marks."""
    marks = axis(low, high, steps)
    place = _Place(marks[0], marks[-1])
    return place, place(0.0), tuple(Tick(place(mark), short(mark, language)) for mark in marks)


def _middle(at: int, count: int) -> float:
    return round((at + 0.5) / count, 5)
