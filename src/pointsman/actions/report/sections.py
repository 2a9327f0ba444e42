"""Tables beside the summary, with their charts: read from the source as the config or the request says."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from pointsman.actions.report.buckets import bucket_wanted, period_text, wanted_or_fit
from pointsman.actions.report.document import heading, in_language, word
from pointsman.actions.report.failure import failure
from pointsman.actions.report.figures import (
    Figure,
    Group,
    buckets_of,
    label_of,
    plain_text,
    ranked,
    rest_of,
    title_of,
)
from pointsman.actions.report.numbers import number_of
from pointsman.actions.report.query import Query
from pointsman.actions.report.source import Source
from pointsman.domain.report import TIMES, Compare, MeasureSpec, Period, ReportPlan, SheetSpec
from pointsman.domain.report_words import bucket_name
from pointsman.domain.wording import Tongue
from pointsman.periods.earlier import earlier

Kind = Literal["line", "column", "bar", "pie", "donut", "stacked", "none"]
MAX_ROWS = 1000  # groups of a table, unless it says less
MAX_READ = 50_000  # groups of an earlier period that are looked through
MOST_SLICES = 8
LINE_FROM = 15  # points
ADDABLE = ("sum", "count")


class Earlier(msgspec.Struct, frozen=True):
    """An earlier period beside the present one: its figures for each row, in the order of the rows, and all of it."""

    compare: Compare
    title: str
    span: str
    rows: tuple[tuple[Figure, ...], ...]
    total: tuple[Figure, ...]


class Section(msgspec.Struct, frozen=True):
    """`rows` of `measures`, or of the columns `across` (values of a second dimension) of the first measure. `others` is the
    rest of the rows, `total` all of them. `chart` is what suits: what cannot be drawn as wished is drawn in another way,
    and `note` says so."""

    title: str
    chart_title: str
    group_titles: tuple[str, ...]
    measures: tuple[MeasureSpec, ...]
    rows: tuple[Group, ...]
    total: tuple[Figure, ...]
    chart: Kind
    by_time: bool = False
    others: tuple[Figure, ...] | None = None
    across: tuple[str, ...] = ()
    earlier: tuple[Earlier, ...] = ()
    note: str | None = None


def read_section(source: Source, query: Query, plan: ReportPlan, wanted: SheetSpec, today: datetime.date) -> Section:
    """Raises ActionFailed."""
    from pointsman.actions.report.crossed import crossed

    plan = replace(plan, filters=(*plan.filters, *wanted.filters))
    names = wanted.group_by or plan.grouping(query.spec) or (f"@{bucket_wanted(plan)}",)
    measures = measures_of(query, wanted)
    timed = any(name in TIMES for name in names)
    if len(names) == 2 and (wanted.chart == "stacked" or timed):
        summed = next((measure for measure in measures if measure.aggregate in ADDABLE), None)
        if summed is not None:
            return crossed(source, query, plan, wanted, names, summed)
        if timed:
            raise failure(
                "schema",
                f"“{query.spec.titles.zh}”没有可以相加的指标，不能同时按时间和维度汇总（需要 sum 或 count）。",
                f"“{query.spec.titles.en}” has no measure that adds up, so it cannot go by time and a dimension at once "
                "(valid: sum, count).",
            )
    rank = wanted.rank or (measures[0].name if wanted.top is not None else None)
    found = _table(source, query, plan, names, measures, rank, wanted.top or MAX_ROWS)
    past = {
        compare: (period, _table(source, query, replace(plan, period=period), names, measures, None, MAX_READ))
        for compare in wanted.compare
        if (period := earlier(plan.period, compare, today)) is not None
    }
    if names[0] not in TIMES and wanted.top is None:
        found = _with_gone(found, [table for _, table in past.values()], measures)
    beside = [
        _beside(found, table, names, measures, compare, period, plan) for compare, (period, table) in past.items()
    ]
    section = Section(
        title=section_title(query, wanted, names, measures, plan.language, compared=bool(beside)),
        chart_title=chart_title(query, wanted, names, measures[0], plan.language),
        group_titles=tuple(column_title(query, name, plan.language) for name in names),
        measures=measures,
        rows=tuple(group for _, group in found.rows),
        total=found.total,
        chart="none",
        by_time=names[0] in TIMES,
        others=found.others,
        earlier=tuple(beside),
    )
    return _drawn(wanted, section, plan.language)


class _Found(msgspec.Struct, frozen=True):
    """Rows by what they are in the source (a value of each dimension as text, or the number of the bucket)."""

    rows: tuple[tuple[tuple[str, ...], Group], ...]
    total: tuple[Figure, ...]
    others: tuple[Figure, ...] | None


def _table(
    source: Source,
    query: Query,
    plan: ReportPlan,
    names: Sequence[str],
    measures: Sequence[MeasureSpec],
    rank: str | None,
    limit: int,
) -> _Found:
    every = query.spec.measures
    [row] = source.rows(query.totals(plan))
    whole = tuple(  # of no rows a sum is 0
        0 if figure is None and measure.aggregate in ADDABLE else number_of(figure)
        for measure, figure in zip(every, row[1:], strict=True)
    )
    if names[0] in TIMES:
        bucket = wanted_or_fit(TIMES[names[0]], plan.period)
        course = buckets_of(source, query, plan, bucket)
        if len(course) < 2:
            course = [(0, Group((period_text(plan.period, plan.language),), whole))]
        of = {group: str(number) for number, group in course}
        groups = ranked([group for _, group in course], every, rank)
        found: list[tuple[tuple[str, ...], Group]] = [((of[group],), group) for group in groups]
    else:
        dimensions = [query.dimension(name) for name in names]
        found = []
        for line in source.rows(query.summary(plan, list(names), limit + 1, rank=rank)):
            key = tuple("" if value is None else plain_text(value) for value in line[: len(names)])
            labels = tuple(label_of(value, of, plan.language) for value, of in zip(line, dimensions, strict=False))
            found.append((key, Group(labels, tuple(number_of(value) for value in line[len(names) :]))))
    others = None
    if len(found) > limit:
        found = found[:limit]
        others = _chosen(rest_of(every, whole, [group for _, group in found]), every, measures)
    return _Found(
        tuple((key, Group(group.labels, _chosen(group.figures, every, measures))) for key, group in found),
        _chosen(whole, every, measures),
        others,
    )


def _chosen(
    figures: Sequence[Figure], every: Sequence[MeasureSpec], measures: Sequence[MeasureSpec]
) -> tuple[Figure, ...]:
    """Those of `measures`, out of the figures of every measure."""
    of = dict(zip((measure.name for measure in every), figures, strict=True))
    return tuple(of[measure.name] for measure in measures)


def _with_gone(found: _Found, past: Sequence[_Found], measures: Sequence[MeasureSpec]) -> _Found:
    """With the groups that only earlier periods have: a store that sells no more is part of a comparison."""
    if found.others is not None or any(table.others is not None for table in past):
        return found
    none = tuple(0 if measure.aggregate in ADDABLE else None for measure in measures)
    rows = dict(found.rows)
    for table in past:
        for key, group in table.rows:
            rows.setdefault(key, Group(group.labels, none))
    return replace(found, rows=tuple(rows.items())[:MAX_ROWS])


def _beside(
    found: _Found,
    past: _Found,
    names: Sequence[str],
    measures: Sequence[MeasureSpec],
    compare: Compare,
    period: Period,
    plan: ReportPlan,
) -> Earlier:
    """Rows of the earlier period in the places of those of the present one. A group that the source does not have there
    is 0 if it adds up; a bucket of time that is not in the period has no figure."""
    known = {key: group.figures for key, group in past.rows}
    whole = past.others is None and names[0] not in TIMES
    none = tuple(0 if whole and measure.aggregate in ADDABLE else None for measure in measures)
    return Earlier(
        compare=compare,
        title=word(compare, plan.language),
        span=period_text(period, plan.language),
        rows=tuple(known.get(key, none) for key, _ in found.rows),
        total=past.total,
    )


def _drawn(wanted: SheetSpec, section: Section, language: Tongue) -> Section:
    """With its chart: parts of a whole only where they are few, add up and are not negative."""
    kind = wanted.chart
    if len(section.rows) < 2 or kind == "none":
        return section
    if kind in ("pie", "donut") and not _has_parts(section):
        note = word("no_pie", language, most=MOST_SLICES)
        return replace(section, chart="column" if section.by_time else "bar", note=note)
    match kind:
        case "line" | "column" | "pie" | "donut":
            return replace(section, chart=kind)
        case "bar":
            return replace(section, chart="column" if section.by_time else "bar")
        case "stacked":
            return replace(section, chart="column" if section.by_time else "bar", note=word("no_stack", language))
        case _ if section.by_time:
            return replace(section, chart="line" if len(section.rows) >= LINE_FROM else "column")
        case _:
            return replace(section, chart="bar")


def _has_parts(section: Section) -> bool:
    """Whether the rows are parts of a whole, and few enough to be slices."""
    first = [float(group.figures[0] or 0) for group in section.rows]
    if section.others is not None:
        first.append(float(section.others[0] or 0))
    return (
        len(first) <= MOST_SLICES + 1
        and section.measures[0].aggregate in ADDABLE
        and min(first) >= 0
        and sum(first) > 0
    )


def measures_of(query: Query, wanted: SheetSpec) -> tuple[MeasureSpec, ...]:
    """In the order that they are named in, else that by which rows are ordered first."""
    known = {measure.name: measure for measure in query.spec.measures}
    every = sorted(known, key=lambda name: name != wanted.rank)
    return tuple(known[name] for name in wanted.measures or every)


def column_title(query: Query, name: str, language: Tongue) -> str:
    if name in TIMES:
        return word("date", language)
    return title_of(query.dimension(name), language)


def section_title(
    query: Query,
    wanted: SheetSpec,
    names: Sequence[str],
    measures: Sequence[MeasureSpec],
    language: Tongue,
    *,
    compared: bool = False,
) -> str:
    """What the config calls it, else what it shows."""
    if wanted.titles is not None:
        return in_language(wanted.titles, language)
    if compared:
        return word("comparison", language)
    if len(measures) == 1:
        return chart_title(query, wanted, names, measures[0], language)
    return _by(query, wanted, names, language)


def chart_title(query: Query, wanted: SheetSpec, names: Sequence[str], measure: MeasureSpec, language: Tongue) -> str:
    """What the config calls it, else 销售额（元）：地区."""
    if wanted.titles is not None:
        return in_language(wanted.titles, language)
    joint = "：" if language == "zh" else ": "
    return f"{heading(measure, language)}{joint}{_by(query, wanted, names, language)}"


def _by(query: Query, wanted: SheetSpec, names: Sequence[str], language: Tongue) -> str:
    parts = [
        bucket_name(TIMES[name], language) if name in TIMES else title_of(query.dimension(name), language)
        for name in names
    ]
    shown = " × ".join(parts)
    if wanted.top is not None:
        shown = f"{shown}前 {wanted.top}" if language == "zh" else f"{shown}, top {wanted.top}"
    return shown
