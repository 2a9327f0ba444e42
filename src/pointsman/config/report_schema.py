"""The part of the schema that describes reports: where rows come from, and what is made of them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pointsman.config.section import Section, Size, Span

Memory = Annotated[
    str,
    Meta(pattern=r"^[0-9]+ ?(MB|GB)$", description="a size: 512MB, 1GB", extra={"zh": "合法的容量（如 512MB、1GB）"}),
]
Title = Annotated[
    str | dict[str, str], Meta(description="one text, or {zh: …, en: …}", extra={"zh": "一段文本，或 {zh: …, en: …}"})
]


class Source(Section, frozen=True):
    """Where rows come from: a database (`url`), a folder of files (`folder` and `format`), or the generated demo."""

    url: Annotated[str, Meta(min_length=1, description="an SQLAlchemy URL; secrets as ${ENV}")] | None = None
    folder: Annotated[str, Meta(min_length=1, description="a folder of files, each a table")] | None = None
    format: Annotated[Literal["csv", "parquet"], Meta(description="of the files in folder")] | None = None
    demo: Annotated[bool, Meta(description="a generated year of sales")] = False


class Measure(Section, frozen=True):
    """A figure of a report."""

    title: Title | None = None
    aggregate: Annotated[
        Literal["sum", "count", "average", "minimum", "maximum"], Meta(description="count needs no column")
    ] = "sum"
    column: (
        Annotated[str, Meta(min_length=1, description="column that is aggregated; default: the measure's name")] | None
    ) = None
    decimals: Annotated[int, Meta(ge=0, le=6, description="digits after the point")] = 0
    unit: Title | None = None
    words: Annotated[list[str], Meta(description="more words for it: 利润, profit")] = []


class Value(Section, frozen=True):
    """A value of a dimension, and the words that people use for it."""

    value: Annotated[str, Meta(description="as the source stores it")]
    words: Annotated[list[str], Meta(description="synonyms: 华东区, East China")] = []


class ValuesFrom(Section, frozen=True):
    """A query for the values of a dimension and their synonyms, made at every start and reload."""

    table: (
        Annotated[str, Meta(min_length=1, description="table or view of the source; default: the report's")] | None
    ) = None
    column: (
        Annotated[str, Meta(min_length=1, description="what holds the values; default: the dimension's column")] | None
    ) = None
    words: Annotated[
        list[Annotated[str, Meta(min_length=1)]],
        Meta(description="columns of synonyms; a cell may hold several, parted by 、 , ; or a bar"),
    ] = []


class Dimension(Section, frozen=True):
    """A column to filter and group by."""

    title: Title | None = None
    column: Annotated[str, Meta(min_length=1, description="default: the dimension's name")] | None = None
    words: Annotated[list[str], Meta(description="words for the dimension itself: 地区, region")] = []
    values: Annotated[
        list[Value] | ValuesFrom | Literal["from_source"],
        Meta(
            description="a list, a query {table, column, words}, or from_source: a query with its defaults",
            extra={"zh": "列表、查询 {table, column, words}，或 from_source（全用默认值的查询）"},
        ),
    ] = msgspec.field(default_factory=list)


Colour = Annotated[
    str, Meta(pattern=r"^#[0-9a-fA-F]{6}$", description="a colour, such as #0a7d4f", extra={"zh": "颜色，如 #0a7d4f"})
]


class Sheet(Section, frozen=True):
    """A table of its own: a sheet of the workbook, a section of the PDF."""

    title: Title | None = None
    group_by: Annotated[
        list[str],
        Meta(max_length=3, description="dimensions, or day, week, month, quarter, year; default: the summary's"),
    ] = []
    measures: Annotated[list[str], Meta(description="names under measures, the first is drawn; default: all")] = []
    filters: Annotated[
        dict[str, list[str]], Meta(description="dimension → values as the source stores them, beside the request's")
    ] = {}
    compare: Annotated[
        list[Literal["previous", "year"]],
        Meta(description="the period before (环比), the same one a year earlier (同比)"),
    ] = []
    top: Annotated[int, Meta(ge=1, le=1000, description="the largest so many; the rest is one row")] | None = None
    rank: Annotated[str, Meta(description="measure that says which are the largest; default: the first")] | None = None
    chart: Annotated[
        Literal["auto", "line", "column", "bar", "pie", "donut", "stacked", "none"],
        Meta(description="stacked: two of group_by, as rows and columns"),
    ] = "auto"


class Chart(Section, frozen=True):
    """A chart of the summary."""

    kind: Annotated[
        Literal["line", "column", "bar", "pie", "donut", "stacked"],
        Meta(description="pie and donut: up to 8 parts that add up, else bars; stacked: two of group_by"),
    ]
    title: Title | None = None
    group_by: Annotated[
        list[str],
        Meta(max_length=2, description="a dimension, or day, week, month, quarter, year; default: the summary's"),
    ] = []
    measure: Annotated[str, Meta(description="a name under measures; default: the first")] | None = None
    filters: Annotated[dict[str, list[str]], Meta(description="dimension → values as the source stores them")] = {}
    compare: Annotated[
        list[Literal["previous", "year"]], Meta(description="the period before, the same one a year earlier")
    ] = []
    top: Annotated[int, Meta(ge=1, le=1000, description="the largest so many")] | None = None


class Template(Section, frozen=True):
    """How reports look. Who it is meant for gets it unless the request names another."""

    file: (
        Annotated[
            str,
            Meta(min_length=1, description="a typst file for the PDF, beside the config; default: the built-in one"),
        ]
        | None
    ) = None
    logo: Annotated[str, Meta(min_length=1, description="a PNG, JPEG or SVG file beside the config")] | None = None
    accent: Annotated[Colour, Meta(description="of the first series, totals and marks")] | None = None
    ink: Annotated[Colour, Meta(description="colour of text and of table heads: dark")] | None = None
    font: (
        Annotated[str, Meta(min_length=1, description="family of the text; in PDFs from fonts, in Excel by name")]
        | None
    ) = None
    fonts: Annotated[list[str], Meta(description="font files (.ttf, .otf) beside the config")] = []
    header: Title | None = None
    footer: Title | None = None
    words: Annotated[list[str], Meta(description="what people call it: 用董事会模板, in the board template")] = []
    users: Annotated[list[str], Meta(description="meant for these users")] = []
    keys: Annotated[list[str], Meta(description="meant for these keys: names under auth.keys")] = []
    groups: Annotated[list[str], Meta(description="meant for these groups of keys")] = []
    roles: Annotated[list[str], Meta(description="meant for these roles of keys")] = []
    default: Annotated[bool, Meta(description="meant for everyone else")] = False


class Report(Section, frozen=True):
    """A report over one table or view."""

    source: Annotated[str, Meta(description="a name under sources")]
    table: Annotated[str, Meta(min_length=1, description="table or view")]
    time: Annotated[str, Meta(min_length=1, description="column of dates or timestamps")]
    measures: Annotated[dict[str, Measure], Meta(min_length=1, description="figures, in the order of the columns")]
    title: Title | None = None
    dimensions: Annotated[dict[str, Dimension], Meta(description="columns to filter and group by")] = {}
    group_by: Annotated[list[str], Meta(description="dimensions of the summary, where the request names none")] = []
    words: Annotated[list[str], Meta(description="words that mean this report: 销售, sales")] = []
    details: Annotated[list[str], Meta(description="columns of the row-by-row export; default: all")] = []
    template: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="a name under templates, or a typst file beside the config; default: the default one",
            ),
        ]
        | None
    ) = None
    default: Annotated[bool, Meta(description="meant where no report's words occur")] = False
    sheets: Annotated[
        list[Sheet], Meta(max_length=20, description="more tables: sheets of the workbook, sections of the PDF")
    ] = []
    charts: Annotated[
        list[Chart], Meta(max_length=8, description="charts of the summary; default: its course and largest groups")
    ] = []


class Files(Section, frozen=True):
    """How reports are made and handed out, and where all files lie that outlive a request."""

    store: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="s3://bucket/prefix?endpoint=http://…&region=…&path_style=true; default: the data folder",
            ),
        ]
        | None
    ) = None
    s3_key: (
        Annotated[
            str, Meta(min_length=1, description="access key of the store; use ${ENV}; default: AWS_ACCESS_KEY_ID")
        ]
        | None
    ) = None
    s3_secret: (
        Annotated[str, Meta(min_length=1, description="its secret; use ${ENV}; default: AWS_SECRET_ACCESS_KEY")] | None
    ) = None
    link_key: (
        Annotated[
            str,
            Meta(
                min_length=16,
                description="what links are signed with, the same on all machines; use ${ENV}; "
                "default: links.key in the data folder",
            ),
        ]
        | None
    ) = None
    keep: Annotated[Span, Meta(description="how long a file and its link live")] = "7d"
    timeout: Annotated[float, Meta(gt=0, le=3600, description="seconds for one report")] = 60.0
    memory: Annotated[Memory, Meta(description="memory of the process that makes one")] = "1GB"
    concurrency: Annotated[int, Meta(ge=1, le=64, description="reports made at a time")] = 1
    max_upload: Annotated[Size, Meta(description="largest file that POST /v1/files takes")] = "200MB"
    keep_uploads: Annotated[
        Span, Meta(description="how long uploads and the output of batches are kept, unless they say otherwise")
    ] = "30d"
