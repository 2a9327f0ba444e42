"""Charts as plain shapes: every place is a share of the plot, 0 to 1 from the left or the bottom, so that a template
only has to draw."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.actions.report.buckets import bucket_name
from pointsman.actions.report.document import heading
from pointsman.actions.report.figures import Figure, Figures, added_up
from pointsman.actions.report.numbers import Number, axis, short, shown
from pointsman.domain.report import MeasureSpec, ReportPlan, ReportSpec
from pointsman.domain.wording import Tongue

MOST_BARS = 10
LINE_FROM = 15  # points
_LABELS = 9  # on the axis of time, so that they do not touch
_LABEL_LENGTH = 22


class Tick(msgspec.Struct, frozen=True):
    at: float
    label: str


class Point(msgspec.Struct, frozen=True):
    """`at` is the middle of its place along the axis, `value` its height (or length); `text` the figure in full and `short`
    to three digits. `label` is empty where there is no room for it."""

    at: float
    value: float
    label: str
    text: str
    short: str


class Chart(msgspec.Struct, frozen=True):
    """ "columns" stand side by side, "line" joins them, "bars" lie one below the other. `zero` is where 0 is."""

    kind: Literal["columns", "line", "bars"]
    title: str
    zero: float
    ticks: tuple[Tick, ...]
    points: tuple[Point, ...]


def charts(spec: ReportSpec, plan: ReportPlan, figures: Figures) -> tuple[Chart, ...]:
    """Of the first measure: its course through the range, and its largest groups. Either may be missing."""
    if not spec.measures:
        return ()
    measure, language = spec.measures[0], plan.language
    title = heading(measure, language)
    made = []
    if len(figures.course) > 1:
        labels = [group.labels[0] for group in figures.course]
        step = -(-len(labels) // _LABELS)
        labels = [label if place % step == 0 else "" for place, label in enumerate(labels)]
        kind: Literal["columns", "line"] = "line" if len(labels) >= LINE_FROM else "columns"
        values = [group.figures[0] for group in figures.course]
        made.append(
            _chart(
                kind, _titled(title, bucket_name(figures.bucket, language), language), labels, values, measure, language
            )
        )
    if not figures.by_time and len(figures.groups) > 1:
        bars = _bars(figures, measure)
        largest = sorted(bars, key=lambda bar: -float(bar[1] or 0))[:MOST_BARS]
        labels = [_cut(label) for label, _ in largest]
        values = [value for _, value in largest]
        what = figures.group_titles[-1]
        if len(bars) > MOST_BARS:
            what = f"{what}前 {MOST_BARS}" if language == "zh" else f"top {MOST_BARS} by {what.lower()}"
        elif language == "en":
            what = f"by {what.lower()}"
        made.append(_chart("bars", _titled(title, what, language), labels, values, measure, language))
    return tuple(made)


def _bars(figures: Figures, measure: MeasureSpec) -> list[tuple[str, Figure]]:
    """The groups by their last label. Where one occurs more than once (a product of each store), its figures are added
    up if they can be, else the labels are said in full."""
    if len({group.labels[-1] for group in figures.groups}) == len(figures.groups):
        return [(group.labels[-1], group.figures[0]) for group in figures.groups]
    if measure.aggregate in ("sum", "count") and figures.others is None:
        added: dict[str, list[Number]] = {}
        for group in figures.groups:
            added.setdefault(group.labels[-1], []).append(group.figures[0] or 0)
        return [(label, added_up(parts)) for label, parts in added.items()]
    return [(" · ".join(group.labels), group.figures[0]) for group in figures.groups]


def _chart(
    kind: Literal["columns", "line", "bars"],
    title: str,
    labels: list[str],
    values: list[Figure],
    measure: MeasureSpec,
    language: Tongue,
) -> Chart:
    numbers = [float(value or 0) for value in values]
    marks = axis(min(numbers), max(numbers), 4 if kind == "bars" else 5)
    low, high = marks[0], marks[-1]

    def place(number: float) -> float:
        return round((number - low) / (high - low), 5)

    return Chart(
        kind=kind,
        title=title,
        zero=place(0.0),
        ticks=tuple(Tick(place(mark), short(mark, language)) for mark in marks),
        points=tuple(
            Point(
                round((index + 0.5) / len(numbers), 5),
                place(number),
                label,
                shown(value, measure.decimals),
                short(number, language),
            )
            for index, (number, value, label) in enumerate(zip(numbers, values, labels, strict=True))
        ),
    )


def _cut(label: str) -> str:
    return label if len(label) <= _LABEL_LENGTH else f"{label[: _LABEL_LENGTH - 1]}…"


def _titled(title: str, what: str, language: Tongue) -> str:
    return f"{title}：{what}" if language == "zh" else f"{title}, {what}"
