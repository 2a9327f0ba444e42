"""The figures of a report, read from its source: totals, groups and the course of time."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.actions.report.buckets import bucket_label, bucket_of, bucket_wanted, buckets_in, period_text
from pointsman.actions.report.failure import failure
from pointsman.actions.report.numbers import Number, number_of
from pointsman.actions.report.query import Query
from pointsman.actions.report.source import Source
from pointsman.domain.report import Bucket, DimensionSpec, MeasureSpec, ReportPlan, ReportSpec
from pointsman.domain.wording import Tongue

Figure = Number | None


class Group(msgspec.Struct, frozen=True):
    """A row of the summary: a label for each grouping column, a figure for each measure."""

    labels: tuple[str, ...]
    figures: tuple[Figure, ...]


class Figures(msgspec.Struct, frozen=True):
    """`rows` of the source are covered by `totals` (in the order of the spec's measures). `group_titles` head the
    labels of `groups`. Where there were more groups than wanted, `others` is the rest of them, `hidden` groups if that
    is known. `course` is every bucket of the range with its figures, empty where the range is a single one."""

    rows: int
    totals: tuple[Figure, ...]
    group_titles: tuple[str, ...]
    groups: tuple[Group, ...]
    bucket: Bucket
    course: tuple[Group, ...]
    by_time: bool
    others: tuple[Figure, ...] | None = None


def read_totals(source: Source, query: Query, plan: ReportPlan) -> tuple[int, tuple[Figure, ...]]:
    """The number of rows, and each measure over all of them. Raises ActionFailed, of kind "empty" where no row
    matches."""
    first = next(iter(source.rows(query.totals(plan))))
    rows, totals = int(first[0] or 0), tuple(number_of(value) for value in first[1:])
    if not rows:
        raise nothing_found(query, plan)
    return rows, totals


def read_figures(source: Source, query: Query, plan: ReportPlan, max_groups: int) -> Figures:
    """Runs the totals, the groups (`max_groups` at most) and the days. Raises ActionFailed as `read_totals` does."""
    spec = query.spec
    group_by = [query.dimension(name) for name in plan.grouping(spec)]
    rows, totals = read_totals(source, query, plan)
    bucket = bucket_wanted(plan)
    course = course_of(source, query, plan, bucket)
    groups: list[Group] = []
    others = None
    rank = plan.rank or (spec.measures[0].name if plan.top is not None else None)
    max_groups = min(max_groups, plan.top or max_groups)
    if group_by:
        names = [dimension.name for dimension in group_by]
        for row in source.rows(query.summary(plan, names, max_groups + 1, rank=rank)):
            labels = [label_of(value, of, plan.language) for value, of in zip(row, group_by, strict=False)]
            groups.append(Group(tuple(labels), tuple(number_of(value) for value in row[len(group_by) :])))
        titles = tuple(title_of(dimension, plan.language) for dimension in group_by)
    else:
        groups = ranked(course, spec.measures, rank) or [Group((period_text(plan.period, plan.language),), totals)]
        titles = ("日期" if plan.language == "zh" else "Date",)
    if len(groups) > max_groups:
        groups = groups[:max_groups]
        others = rest_of(spec.measures, totals, groups)
    return Figures(
        rows=rows,
        totals=totals,
        group_titles=titles,
        groups=tuple(groups),
        bucket=bucket,
        course=course,
        by_time=not group_by and rank is None,
        others=others,
    )


def ranked(groups: Sequence[Group], measures: Sequence[MeasureSpec], rank: str | None) -> list[Group]:
    """From the largest of that measure; in their order where there is none."""
    if rank is None:
        return list(groups)
    place = next(place for place, measure in enumerate(measures) if measure.name == rank)
    known = [group for group in groups if group.figures[place] is not None]
    return [
        *sorted(known, key=lambda group: -float(group.figures[place] or 0)),
        *(group for group in groups if group.figures[place] is None),
    ]


def shown_measure(spec: ReportSpec, plan: ReportPlan) -> MeasureSpec:
    """The one in charts and shares: what groups are ordered by, else the first."""
    return next((measure for measure in spec.measures if measure.name == plan.rank), spec.measures[0])


def nothing_found(query: Query, plan: ReportPlan) -> Exception:
    """The failure that says which range and filters no row matches."""
    spec = query.spec
    filters = [(query.dimension(chosen.dimension).titles, chosen.labels or chosen.values) for chosen in plan.filters]
    zh = "，".join(f"{titles.zh}：{'、'.join(labels)}" for titles, labels in filters) or "无筛选条件"
    en = "; ".join(f"{titles.en}: {', '.join(labels)}" for titles, labels in filters) or "no filters"
    return failure(
        "empty",
        f"“{spec.titles.zh}”在 {period_text(plan.period, 'zh')} 没有数据（{zh}），因此没有生成文件。",
        f"“{spec.titles.en}” has no data for {period_text(plan.period, 'en')} ({en}), so no file was made.",
    )


def title_of(dimension: DimensionSpec, language: Tongue) -> str:
    return dimension.titles.zh if language == "zh" else dimension.titles.en


def label_of(value: Any, dimension: DimensionSpec, language: Tongue) -> str:
    """A value as the reader's language calls it: the stored one if it is in that language, else the first of its words
    that is."""
    if value is None or value == "":
        return "（空）" if language == "zh" else "(blank)"
    stored = plain_text(value)
    words = next((known.words for known in dimension.values if known.value == stored), ())
    return next((word for word in (stored, *words) if _is_in(word, language)), stored)


def plain_text(value: Any) -> str:
    """A cell as text: bytes as hexadecimal, dates as ISO, numbers without an exponent where that is short."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        raw = bytes(value)
        return f"0x{raw[:32].hex()}{'…' if len(raw) > 32 else ''}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "seconds") if not value.microsecond else value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    return str(value)


def _is_in(word: str, language: Tongue) -> bool:
    chinese = any("\u3400" <= character <= "\u9fff" for character in word)
    return chinese if language == "zh" else not chinese and any(character.isalpha() for character in word)


def course_of(source: Source, query: Query, plan: ReportPlan, bucket: Bucket) -> tuple[Group, ...]:
    """Every bucket of the range; empty where it is a single one."""
    if len(buckets_in(plan.period, bucket)) < 2:
        return ()
    return tuple(group for _, group in buckets_of(source, query, plan, bucket))


def buckets_of(source: Source, query: Query, plan: ReportPlan, bucket: Bucket) -> list[tuple[int, Group]]:
    """The measures by bucket, put together from days: sums and numbers are added, averages weighted. Each has the number
    of its bucket in the range, from 0."""
    measures = query.spec.measures
    found: dict[datetime.date, list[list[tuple[Figure, int]]]] = {}
    wanted = list(enumerate(buckets_in(plan.period, bucket)))
    for row in source.rows(query.days(plan, measures)):
        day = day_of(row[0])
        if day is None:
            continue
        parts = found.setdefault(bucket_of(day, bucket), [[] for _ in measures])
        for place in range(len(measures)):
            parts[place].append((number_of(row[1 + 2 * place]), int(row[2 + 2 * place] or 0)))
    if bucket == "year" and found:  # a range of all time is shown as far as there are rows
        wanted = [(number, start) for number, start in wanted if min(found) <= start <= max(found)]
    empty: list[list[tuple[Figure, int]]] = [[] for _ in measures]
    return [
        (
            number,
            Group(
                (bucket_label(start, bucket, plan.language, plan.period),),
                tuple(put_together(of, parts) for of, parts in zip(measures, found.get(start, empty), strict=True)),
            ),
        )
        for number, start in wanted
    ]


def put_together(measure: MeasureSpec, parts: Sequence[tuple[Figure, int]]) -> Figure:
    figures = [figure for figure, _ in parts if figure is not None]
    if measure.aggregate in ("sum", "count"):
        return added_up(figures)
    if not figures:
        return None
    if measure.aggregate == "average":
        count = sum(number for _, number in parts)
        return added_up(figures) / count if count else None
    return min(figures) if measure.aggregate == "minimum" else max(figures)


def added_up(figures: Sequence[Number]) -> Number:
    """Of one kind of number, or of floats where they are mixed."""
    if any(isinstance(figure, float) for figure in figures):
        return float(sum(float(figure) for figure in figures))
    return sum((figure for figure in figures), 0)


def rest_of(measures: Sequence[MeasureSpec], totals: Sequence[Figure], groups: Sequence[Group]) -> tuple[Figure, ...]:
    """What the groups that are not shown come to. Only of sums and numbers can that be said."""
    rest: list[Figure] = []
    for place, (measure, total) in enumerate(zip(measures, totals, strict=True)):
        if measure.aggregate not in ("sum", "count") or total is None:
            rest.append(None)
            continue
        rest.append(added_up([total, *(-figure for group in groups if (figure := group.figures[place]) is not None)]))
    return tuple(rest)


def day_of(value: Any) -> datetime.date | None:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
