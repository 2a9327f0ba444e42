"""A table of rows and columns: one measure by two dimensions, or by time and a dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pointsman.actions.report.buckets import bucket_label, bucket_of, buckets_in, wanted_or_fit
from pointsman.actions.report.document import word
from pointsman.actions.report.failure import failure
from pointsman.actions.report.figures import Figure, Group, added_up, day_of, label_of
from pointsman.actions.report.numbers import Number, number_of
from pointsman.actions.report.query import Query
from pointsman.actions.report.sections import (
    MAX_ROWS,
    Kind,
    Section,
    chart_title,
    column_title,
    section_title,
)
from pointsman.actions.report.source import Source
from pointsman.domain.report import TIMES, MeasureSpec, ReportPlan, SheetSpec

MAX_CELLS = 200_000  # as they are read
MAX_SERIES = 8  # columns; the rest is one more


def crossed(
    source: Source, query: Query, plan: ReportPlan, wanted: SheetSpec, names: Sequence[str], measure: MeasureSpec
) -> Section:
    """The first of the two `names` down, the second across, time always down; of both as many as are shown, the rest is
    one more. The measure adds up. Raises ActionFailed, where there are too many cells too."""
    if names[1] in TIMES:
        names = (names[1], names[0])
    language, by_time = plan.language, names[0] in TIMES
    cells: dict[tuple[str, str], list[Number]] = {}
    labels = _buckets(plan, names[0]) if by_time else {}
    down: dict[str, None] = dict.fromkeys(labels)
    sums: dict[str, float] = {}
    for count, (row, column, number) in enumerate(_cells(source, query, plan, names, measure)):
        if count == MAX_CELLS:
            raise failure(
                "query",
                f"表格“{section_title(query, wanted, names, (measure,), 'zh')}”的组合太多，请增加筛选条件。",
                "A table of rows and columns has too many combinations. Please add filters.",
            )
        down.setdefault(row)
        cells.setdefault((row, column), []).append(number)
        sums[column] = sums.get(column, 0.0) + float(number)
    across = sorted(sums, key=lambda column: (-sums[column], column))
    across, rest = across[:MAX_SERIES], across[MAX_SERIES:]
    rest_in: dict[str, list[Number]] = {}
    for (row, column), numbers in cells.items():
        if column in rest:
            rest_in.setdefault(row, []).extend(numbers)

    def figures_of(rows: Sequence[str]) -> tuple[Figure, ...]:
        parts = [[number for row in rows for number in cells.get((row, column), ())] for column in across]
        if rest:
            parts.append([number for row in rows for number in rest_in.get(row, ())])
        return tuple(added_up(part) for part in parts)

    shown = list(down)
    left: list[str] = []
    if not by_time:
        size = {row: sum(float(figure or 0) for figure in figures_of([row])) for row in shown}
        shown.sort(key=lambda row: -size[row])
        most = min(wanted.top or MAX_ROWS, MAX_ROWS)
        shown, left = shown[:most], shown[most:]
    negative = any(number < 0 for numbers in cells.values() for number in numbers)
    drawn = len(shown) > 1 and bool(across) and not negative and wanted.chart != "none"
    chart: Kind = "stacked" if drawn else "none"
    return Section(
        title=section_title(query, wanted, names, (measure,), language),
        chart_title=chart_title(query, wanted, names, measure, language),
        group_titles=(column_title(query, names[0], language),),
        measures=(measure,),
        rows=tuple(Group((labels.get(row, row),), figures_of([row])) for row in shown),
        total=figures_of(list(down)),
        chart=chart,
        by_time=by_time,
        others=figures_of(left) if left else None,
        across=(*across, *((word("others", language),) if rest else ())),
        note=word("no_stack", language) if negative and wanted.chart != "none" else None,
    )


def _buckets(plan: ReportPlan, name: str) -> dict[str, str]:
    """Every bucket of the range: its first day, and what it is called."""
    bucket = wanted_or_fit(TIMES[name], plan.period)
    return {
        start.isoformat(): bucket_label(start, bucket, plan.language, plan.period)
        for start in buckets_in(plan.period, bucket)
    }


def _cells(
    source: Source, query: Query, plan: ReportPlan, names: Sequence[str], measure: MeasureSpec
) -> Iterator[tuple[str, str, Number]]:
    """What a row is called (a bucket: its first day), the label of the column, and the figure: some cells come in pieces."""
    language = plan.language
    second = query.dimension(names[1])
    if names[0] in TIMES:
        bucket = wanted_or_fit(TIMES[names[0]], plan.period)
        for day, value, figure, *_ in source.rows(query.days(plan, [measure], names[1:])):
            when, number = day_of(day), number_of(figure)
            if when is not None and number is not None:
                yield bucket_of(when, bucket).isoformat(), label_of(value, second, language), number
        return
    first = query.dimension(names[0])
    for left, right, figure in source.rows(query.of((measure,)).summary(plan, list(names), MAX_CELLS + 1)):
        number = number_of(figure)
        if number is not None:
            yield label_of(left, first, language), label_of(right, second, language), number
