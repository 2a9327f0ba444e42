"""What reports there are, and which one a person asked for."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec

Format = Literal["pdf", "xlsx", "csv"]
Grain = Literal["day", "week", "month", "quarter", "half", "year", "range"]
Aggregate = Literal["sum", "count", "average", "minimum", "maximum"]
Bucket = Literal["day", "week", "month", "quarter", "year"]
BUCKETS: tuple[Bucket, ...] = ("day", "week", "month", "quarter", "year")
TIMES: dict[str, Bucket] = {f"@{bucket}": bucket for bucket in BUCKETS}
"""How buckets stand among the names of dimensions, of which one may be called `month`."""
Compare = Literal["previous", "year"]
"""With the period before (环比), with the same one a year earlier (同比)."""
ChartKind = Literal["auto", "line", "column", "bar", "pie", "donut", "stacked", "none"]


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
    """A figure: `column` aggregated over the rows (count: rows, no column needed). `decimals` for showing it; `words` are
    what people call it besides its titles."""

    name: str
    titles: Titles
    aggregate: Aggregate = "sum"
    column: str | None = None
    decimals: int = 0
    unit: Titles | None = None
    words: tuple[str, ...] = ()


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


class Filter(msgspec.Struct, frozen=True):
    """One dimension narrowed to these values (as the source stores them); `labels` are the words to print."""

    dimension: str
    values: tuple[str, ...]
    labels: tuple[str, ...]


class SheetSpec(msgspec.Struct, frozen=True):
    """A table with its chart: the measures (names; empty: all) by `group_by`, each of which is a dimension or a bucket of
    time (of TIMES; empty: as the summary is grouped); two of them and a stacked chart make a table of rows and columns.
    `filters` narrow the rows beside those of the request. `compare` puts earlier periods beside; `top` shows the largest
    only, the rest as one; `rank` (a measure) says by what they are the largest, and orders them."""

    titles: Titles | None = None
    group_by: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    chart: ChartKind = "auto"
    compare: tuple[Compare, ...] = ()
    top: int | None = None
    rank: str | None = None


class TemplateSpec(msgspec.Struct, frozen=True):
    """How reports look. `file` is a typst file (None: the built-in layout), `logo` a picture, `fonts` font files, all as
    paths that are sure to be inside the folder of the config. Colours are `#rrggbb`. `words` name it in a request.

    It is meant for requests of these `users`, `keys`, `groups` and `roles`, or, as `default`, where no other one is."""

    name: str
    file: str | None = None
    logo: str | None = None
    fonts: tuple[str, ...] = ()
    font: str | None = None
    accent: str | None = None
    ink: str | None = None
    header: Titles | None = None
    footer: Titles | None = None
    words: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    default: bool = False


class ReportSpec(msgspec.Struct, frozen=True):
    """A report over one table or view of one source. `time_column` holds dates or timestamps. Rows of the summary are
    grouped by `group_by` (dimension names); `detail_columns` are those of the row-by-row export (empty: all).
    A `default` report is meant where the words fit no report more than another (把昨天的数据做成Excel). `sheets` are more
    tables: sheets of the workbook, sections of the PDF. `charts` stand in the summary, instead of those that are chosen
    by what there is. `templates` are all that requests may name, `template` that of requests for whom none is meant."""

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
    sheets: tuple[SheetSpec, ...] = ()
    charts: tuple[SheetSpec, ...] = ()
    templates: tuple[TemplateSpec, ...] = ()


class ReportPlan(msgspec.Struct, frozen=True):
    """Everything that was understood of a request for a report. `language` is that of the document.

    `bucket`: by month, …; `compare`: beside earlier periods; `top`: the largest groups only; `rank`: a measure that groups
    are ordered by, from the largest; `chart`: how the groups are drawn ("auto": as suits them; None: as the config says).
    `template` None: that of the report."""

    report: str
    format: Format
    period: Period
    filters: tuple[Filter, ...] = ()
    group_by: tuple[str, ...] = ()
    language: Literal["zh", "en"] = "en"
    bucket: Bucket | None = None
    compare: tuple[Compare, ...] = ()
    top: int | None = None
    rank: str | None = None
    chart: ChartKind | None = None
    template: str | None = None

    def grouping(self, spec: ReportSpec) -> tuple[str, ...]:
        """The dimensions of the summary; none: it goes by time."""
        return self.group_by or (() if self.bucket else spec.group_by)


class ReportFile(msgspec.Struct, frozen=True):
    """A finished report. `path` is the file's name below the files folder; `rows` are the rows of the source that it
    covers; `totals` the measures over all of them; `notice` what the reader must know (capped, …)."""

    path: str
    format: Format
    bytes: int
    rows: int
    totals: dict[str, float]
    notice: str | None = None
