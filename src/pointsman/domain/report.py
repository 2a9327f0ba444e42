"""What reports there are, and which one a person asked for."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec

Format = Literal["pdf", "xlsx", "csv"]
Grain = Literal["day", "week", "month", "quarter", "half", "year", "range"]
Aggregate = Literal["sum", "count", "average", "minimum", "maximum"]


class Titles(msgspec.Struct, frozen=True):
    """A name in both languages."""

    zh: str
    en: str


class Period(msgspec.Struct, frozen=True):
    """A half-open range of days, `start` included and `end` not, in the clock's zone. `text` is what was read; `span` its
    character offsets in the original text."""

    start: datetime.date
    end: datetime.date
    grain: Grain
    text: str = ""
    span: tuple[int, int] = (0, 0)


class MeasureSpec(msgspec.Struct, frozen=True):
    """A figure: `column` aggregated over the rows (count: rows, no column needed). `decimals` for showing it."""

    name: str
    titles: Titles
    aggregate: Aggregate = "sum"
    column: str | None = None
    decimals: int = 0
    unit: Titles | None = None


class DimensionValue(msgspec.Struct, frozen=True):
    """A value as the source stores it, and every word that people use for it."""

    value: str
    words: tuple[str, ...] = ()


class ValuesFrom(msgspec.Struct, frozen=True):
    """Where the values of a dimension are read: the distinct rows of `column`, and of the columns that hold synonyms
    (`words`), in a table or view of the report's source."""

    table: str
    column: str
    words: tuple[str, ...] = ()


class DimensionSpec(msgspec.Struct, frozen=True, cache_hash=True):
    """A column to filter and group by. `values` are listed in the config, or read from the source (`values_from`);
    `words` name the dimension itself (地区, region)."""

    name: str
    titles: Titles
    column: str
    words: tuple[str, ...] = ()
    values: tuple[DimensionValue, ...] = ()
    values_from: ValuesFrom | None = None


class ReportSpec(msgspec.Struct, frozen=True):
    """A report over one table or view of one source. `time_column` holds dates or timestamps. Rows of the summary are
    grouped by `group_by` (dimension names); `detail_columns` are those of the row-by-row export (empty: all).
    A `default` report is meant where the words fit no report more than another (把昨天的数据做成Excel)."""

    name: str
    titles: Titles
    source: str
    table: str
    time_column: str
    measures: tuple[MeasureSpec, ...]
    dimensions: tuple[DimensionSpec, ...] = ()
    group_by: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    detail_columns: tuple[str, ...] = ()
    template: str | None = None
    default: bool = False


class Filter(msgspec.Struct, frozen=True):
    """One dimension narrowed to these values (as the source stores them); `labels` are the words to print."""

    dimension: str
    values: tuple[str, ...]
    labels: tuple[str, ...]


class ReportPlan(msgspec.Struct, frozen=True):
    """Everything that was understood of a request for a report. `language` is that of the document."""

    report: str
    format: Format
    period: Period
    filters: tuple[Filter, ...] = ()
    group_by: tuple[str, ...] = ()
    language: Literal["zh", "en"] = "en"


class ReportFile(msgspec.Struct, frozen=True):
    """A finished report. `path` is the file's name below the files folder; `rows` are the rows of the source that it
    covers; `totals` the measures over all of them; `notice` what the reader must know (capped, …)."""

    path: str
    format: Format
    bytes: int
    rows: int
    totals: dict[str, float]
    notice: str | None = None
