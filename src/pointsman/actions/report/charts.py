"""Which charts a PDF draws: the usual ones of the summary, and those of its sections."""

from __future__ import annotations

from typing import Literal

from pointsman.actions.report.document import heading, word
from pointsman.actions.report.figures import Figure, Figures, added_up, shown_measure
from pointsman.actions.report.numbers import Number
from pointsman.actions.report.section_columns import columns_of
from pointsman.actions.report.sections import LINE_FROM, Section
from pointsman.actions.report.shapes import Chart, cut, drawn, few, round_chart, stacked
from pointsman.domain.report import MeasureSpec, ReportPlan, ReportSpec
from pointsman.domain.report_words import bucket_name
from pointsman.domain.wording import Tongue

MOST_BARS = 10
MOST_IN_SECTION = 20  # bars, of all series


def charts(spec: ReportSpec, plan: ReportPlan, figures: Figures) -> tuple[Chart, ...]:
    """Of the first measure, or that which groups are ordered by: its course through the range, and its largest groups.
    Either may be missing."""
    if not spec.measures:
        return ()
    measure, language = shown_measure(spec, plan), plan.language
    which = spec.measures.index(measure)
    title = heading(measure, language)
    made = []
    if len(figures.course) > 1:
        labels = few([group.labels[0] for group in figures.course])
        kind: Literal["columns", "line"] = "line" if len(labels) >= LINE_FROM else "columns"
        values = [group.figures[which] for group in figures.course]
        what = _titled(title, bucket_name(figures.bucket, language), language)
        made.append(drawn(kind, what, labels, [(title, values)], measure.decimals, language))
    if not figures.by_time and len(figures.groups) > 1:
        bars = _bars(figures, measure, which)
        largest = sorted(bars, key=lambda bar: -float(bar[1] or 0))[:MOST_BARS]
        what = figures.group_titles[-1]
        if len(bars) > MOST_BARS:
            what = f"{what}前 {MOST_BARS}" if language == "zh" else f"top {MOST_BARS} by {what.lower()}"
        elif language == "en":
            what = f"by {what.lower()}"
        labels, values = [cut(label) for label, _ in largest], [value for _, value in largest]
        titled = _titled(title, what, language)
        made.append(drawn("bars", titled, labels, [(title, values)], measure.decimals, language))
    return tuple(made)


def section_chart(section: Section, language: Tongue) -> Chart | None:
    """None where nothing is to be drawn."""
    if section.chart == "none" or not section.rows:
        return None
    columns = [column for column in columns_of(section, language) if column.series]
    figures = [(column.title, [_figure(cell) for cell in column.rows]) for column in columns]
    labels = [cut(" · ".join(group.labels)) for group in section.rows]
    decimals = section.measures[0].decimals
    match section.chart:
        case "stacked":
            shown = few(labels) if section.by_time else labels[:MOST_IN_SECTION]
            pieces = [(name, values[: len(shown)]) for name, values in figures]
            rest = section.across[-1] == word("others", language)
            return stacked(section.chart_title, shown, pieces, decimals, language, rest=rest)
        case "pie" | "donut":
            values = figures[0][1]
            if section.others is not None:
                labels, values = [*labels, word("others", language)], [*values, section.others[0]]
            bars = drawn("bars", section.chart_title, labels, [(columns[0].title, values)], decimals, language)
            rest = section.others is not None
            return round_chart(section.chart, section.chart_title, labels, values, bars, rest=rest)
        case "bar":
            most = MOST_IN_SECTION // len(figures)
            parts = [(name, values[:most]) for name, values in figures]
            return drawn("bars", section.chart_title, labels[:most], parts, decimals, language)
        case kind:
            many = section.by_time or len(labels) > MOST_BARS
            shown = few(labels) if many else labels
            return drawn(
                "line" if kind == "line" else "columns", section.chart_title, shown, figures, decimals, language
            )


def _figure(cell: Figure | str) -> Figure:
    return None if isinstance(cell, str) else cell


def _bars(figures: Figures, measure: MeasureSpec, which: int) -> list[tuple[str, Figure]]:
    """The groups by their last label. Where one occurs more than once (a product of each store), its figures are added
    up if they can be, else the labels are said in full."""
    if len({group.labels[-1] for group in figures.groups}) == len(figures.groups):
        return [(group.labels[-1], group.figures[which]) for group in figures.groups]
    if measure.aggregate in ("sum", "count") and figures.others is None:
        added: dict[str, list[Number]] = {}
        for group in figures.groups:
            added.setdefault(group.labels[-1], []).append(group.figures[which] or 0)
        return [(label, added_up(parts)) for label, parts in added.items()]
    return [(" · ".join(group.labels), group.figures[which]) for group in figures.groups]


def _titled(title: str, what: str, language: Tongue) -> str:
    return f"{title}：{what}" if language == "zh" else f"{title}, {what}"
