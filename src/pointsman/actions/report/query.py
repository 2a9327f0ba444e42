"""The statements of a report: SQLAlchemy Core over bound parameters; no text of a person becomes SQL."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from pointsman.actions.report.failure import failure, missing
from pointsman.actions.report.source import Circumstances, Kind, Source
from pointsman.domain.report import DimensionSpec, Filter, MeasureSpec, Period, ReportPlan, ReportSpec, ValuesFrom

MAX_VALUES = 5000


class Query:
    """Builds every statement of one report. Raises ActionFailed for a table, column or dimension that is not there,
    each with the names that are."""

    def __init__(self, source: Source, spec: ReportSpec, about: Circumstances) -> None:
        self._source = source
        self._family = source.family
        self.about = about
        self.spec = spec
        self.columns = self._columns_of(spec.table)
        self._dimensions = {dimension.name: dimension for dimension in spec.dimensions}
        self._check()
        self._table = source.relation(spec.table, list(self.columns))

    def of(self, measures: tuple[MeasureSpec, ...]) -> Query:
        """The same with these measures only."""
        return Query(self._source, msgspec.structs.replace(self.spec, measures=measures), self.about)

    def dimension(self, name: str) -> DimensionSpec:
        if name not in self._dimensions:
            titles = self.spec.titles
            raise missing("维度", "dimension", name, list(self._dimensions), f"{titles.zh}里", f"{titles.en}: ")
        return self._dimensions[name]

    def totals(self, plan: ReportPlan) -> sa.Select[Any]:
        """One row: the number of rows, then the measures."""
        measures = [_aggregate(measure, self._column(measure), self._family) for measure in self.spec.measures]
        return sa.select(sa.func.count(), *measures).select_from(self._table).where(*self._conditions(plan))

    def summary(
        self, plan: ReportPlan, group_by: Sequence[str], limit: int, *, rank: str | None = None
    ) -> sa.Select[Any]:
        """A row a group: its dimensions, then the measures. Ordered by the dimensions but the last, then by the first
        measure from the top; with `rank` by that measure before all, groups without it at the end."""
        dimensions = [self._table.c[self.dimension(name).column] for name in group_by]
        measures = [_aggregate(measure, self._column(measure), self._family) for measure in self.spec.measures]
        order: list[sa.ColumnElement[Any]] = [*dimensions[:-1], *(of.desc() for of in measures[:1]), dimensions[-1]]
        if rank is not None:
            [first] = [of for of, spec in zip(measures, self.spec.measures, strict=True) if spec.name == rank]
            order = [sa.case((first.is_(None), 1), else_=0), first.desc(), *dimensions]
        return (
            sa.select(*dimensions, *measures)
            .where(*self._conditions(plan))
            .group_by(*dimensions)
            .order_by(*order)
            .limit(limit)
        )

    def days(self, plan: ReportPlan, measures: Sequence[MeasureSpec], group_by: Sequence[str] = ()) -> sa.Select[Any]:
        """A row a day (and group of `group_by`) that has rows: the day (a date, or ISO text), the dimensions, then of each
        measure the sum or number, and the number of values (what an average is put together from), ordered by nothing."""
        figures: list[sa.ColumnElement[Any]] = []
        for measure in measures:
            column = self._column(measure)
            if measure.aggregate == "average":
                figures += [sa.func.sum(column), sa.func.count(column)]
            else:
                figures += [_aggregate(measure, column, self._family), sa.func.count(column)]
        keys = [self._day(), *(self._table.c[self.dimension(name).column] for name in group_by)]
        return sa.select(*keys, *figures).select_from(self._table).where(*self._conditions(plan)).group_by(*keys)

    def details(self, plan: ReportPlan, limit: int) -> sa.Select[Any]:
        """The rows themselves, by time."""
        shown = [self._shown(name) for name in self.detail_columns]
        time = self._table.c[self.spec.time_column]
        return sa.select(*shown).where(*self._conditions(plan)).order_by(time).limit(limit)

    @property
    def detail_columns(self) -> tuple[str, ...]:
        return self.spec.detail_columns or tuple(self.columns)

    def values(self, asked: ValuesFrom) -> sa.Select[Any]:
        """The distinct rows of a value and its synonyms that are there, MAX_VALUES at most. The table may be another
        than the report's; that it and its columns are there is looked at here."""
        names = list(dict.fromkeys((asked.column, *asked.words)))
        self._demand(asked.table, self._columns_of(asked.table), names)
        table = self._source.relation(asked.table, names)
        columns = [table.c[name] for name in names]
        return sa.select(*columns).where(columns[0].is_not(None)).distinct().order_by(*columns).limit(MAX_VALUES)

    def _columns_of(self, table: str) -> dict[str, Kind]:
        columns = self._source.columns(table)
        if columns is None:
            name = self.about.name
            raise missing("表", "table", table, self._source.tables(), f"数据源“{name}”里", f"{name}: ")
        return columns

    def _demand(self, table: str, columns: dict[str, Kind], names: Sequence[str]) -> None:
        for name in names:
            if name not in columns:
                raise missing("列", "column", name, list(columns), f"表“{table}”里", f"{table}: ")

    def _check(self) -> None:
        spec = self.spec
        wanted = [spec.time_column, *(dimension.column for dimension in spec.dimensions), *spec.detail_columns]
        wanted += [measure.column for measure in spec.measures if measure.column is not None]
        self._demand(spec.table, self.columns, wanted)
        if self.columns[spec.time_column] in ("number", "boolean"):
            raise failure(
                "schema",
                f"表“{spec.table}”的列“{spec.time_column}”不是日期，不能作为时间列。",
                f'The column "{spec.time_column}" of "{spec.table}" holds no dates, so it cannot be the time column '
                "(valid: a date, a timestamp, or text such as 2024-05-31).",
            )
        for measure in spec.measures:
            if measure.column is None and measure.aggregate != "count":
                raise failure(
                    "schema",
                    f"指标“{measure.name}”没有指定列（只有 count 可以不指定）。",
                    f'The measure "{measure.name}" names no column (only count may).',
                )
            kind = self.columns[measure.column] if measure.column else "number"
            if measure.aggregate != "count" and kind not in ("number", "other"):
                raise failure(
                    "schema",
                    f"表“{spec.table}”的列“{measure.column}”不是数字，不能计算指标“{measure.name}”。",
                    f'The column "{measure.column}" of "{spec.table}" holds no numbers, so the measure '
                    f'"{measure.name}" cannot be computed.',
                )

    def _column(self, measure: MeasureSpec) -> sa.ColumnElement[Any] | None:
        return self._table.c[measure.column] if measure.column else None

    def _conditions(self, plan: ReportPlan) -> list[sa.ColumnElement[bool]]:
        return [*self._within(plan.period), *(self._among(chosen) for chosen in plan.filters)]

    def _within(self, period: Period) -> list[sa.ColumnElement[bool]]:
        """Half-open. ISO text is compared as text: a day sorts before all its times."""
        column = self._table.c[self.spec.time_column]
        kind = self.columns[self.spec.time_column]
        bounds: list[Any] = [period.start, period.end]
        if kind == "text" or self._family == "sqlite":
            bounds = [sa.literal(day.isoformat(), sa.String()) for day in bounds]
        elif kind in ("moment", "zoned"):
            zone = self.about.zone if kind == "zoned" else None
            moments = [datetime.datetime.combine(day, datetime.time(), zone) for day in bounds]
            bounds = [sa.literal(moment, sa.DateTime(timezone=kind == "zoned")) for moment in moments]
        else:
            bounds = [sa.literal(day, sa.Date()) for day in bounds]
        return [column >= bounds[0], column < bounds[1]]

    def _among(self, chosen: Filter) -> sa.ColumnElement[bool]:
        name = self.dimension(chosen.dimension).column
        column: sa.ColumnElement[Any] = self._table.c[name]
        kind = self.columns[name]
        try:
            values = [_value(value, kind, self._family) for value in chosen.values]
        except (ValueError, KeyError, decimal.InvalidOperation):
            return sa.false()  # a word where the column holds numbers: no row has it
        if kind == "other":
            column = sa.cast(column, sa.String())
        return column.in_(values)

    def _day(self) -> sa.ColumnElement[Any]:
        column: sa.ColumnElement[Any] = self._table.c[self.spec.time_column]
        kind = self.columns[self.spec.time_column]
        if kind == "text" or self._family == "sqlite":
            return sa.func.substr(column, sa.literal_column("1"), sa.literal_column("10"))
        if kind == "date":
            return column
        return sa.cast(self._local(column, kind), sa.Date())

    def _shown(self, name: str) -> sa.ColumnElement[Any]:
        return self._local(self._table.c[name], self.columns[name]).label(name)

    def _local(self, column: sa.ColumnElement[Any], kind: Kind) -> sa.ColumnElement[Any]:
        """A timestamp with a zone as the clock of the wall shows it. Where the database cannot, the reader does."""
        zone = self.about.zone_name
        if kind == "zoned" and zone and self._family in ("postgresql", "duckdb"):
            return sa.func.timezone(sa.literal_column(_quoted(zone)), column)
        return column


def _quoted(zone: str) -> str:
    """A zone's name as a literal, so that the expression is the same in SELECT and GROUP BY. ZoneInfo knows it, so it
    has neither quotes nor percent signs; seen again here."""
    if not zone.replace("/", "").replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise ValueError(f"not the name of a zone: {zone}")
    return f"'{zone}'"


def _aggregate(measure: MeasureSpec, column: sa.ColumnElement[Any] | None, family: str) -> sa.ColumnElement[Any]:
    match measure.aggregate:
        case "sum":
            return sa.func.sum(column)
        case "count":
            return sa.func.count(column) if column is not None else sa.func.count()
        case "average":
            # SQL Server's average of whole numbers is a whole number
            return sa.func.avg(sa.cast(column, sa.Float()) if family == "mssql" else column)
        case "minimum":
            return sa.func.min(column)
        case "maximum":
            return sa.func.max(column)


def _value(text: str, kind: Kind, family: str) -> Any:
    """A filter's value as the column's own type. Raises ValueError, KeyError, decimal.InvalidOperation."""
    if family == "sqlite" and kind not in ("number", "boolean"):
        return text  # dates are text there
    match kind:
        case "number" if text.lstrip("+-").isdigit():
            return int(text)
        case "number":
            return float(text) if family == "sqlite" else decimal.Decimal(text)
        case "boolean":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        case "date":
            return datetime.date.fromisoformat(text)
        case "moment" | "zoned":
            return datetime.datetime.fromisoformat(text)
        case _:
            return text
