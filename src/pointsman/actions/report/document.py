"""What is printed on a report besides its figures, in the reader's language."""

from __future__ import annotations

import datetime

import msgspec

from pointsman.actions.report.buckets import period_text
from pointsman.actions.report.figures import title_of
from pointsman.domain.report import Bucket, MeasureSpec, ReportPlan, ReportSpec, Titles
from pointsman.domain.report_words import bucket_name, shape_of
from pointsman.domain.wording import Tongue

_WORDS: dict[str, Titles] = {
    "range": Titles("时间范围", "Range"),
    "filters": Titles("筛选条件", "Filters"),
    "no_filters": Titles("无（全部数据）", "None (all data)"),
    "grouped": Titles("汇总方式", "Grouped by"),
    "covers": Titles("覆盖数据", "Rows covered"),
    "rows": Titles("{rows} 行", "{rows}"),
    "generated": Titles("生成时间", "Generated"),
    "source": Titles("数据源", "Source"),
    "total": Titles("合计", "Total"),
    "others": Titles("其他", "Others"),
    "share": Titles("占比", "Share"),
    "page": Titles("第 {page} 页，共 {pages} 页", "Page {page} of {pages}"),
    "summary": Titles("汇总", "Summary"),
    "details": Titles("明细", "Details"),
    "trend": Titles("趋势", "Trend"),
    "previous": Titles("上期", "Previous period"),
    "year": Titles("上年同期", "A year earlier"),
    "now": Titles("本期", "This period"),
    "difference_previous": Titles("环比增减", "Change"),
    "difference_year": Titles("同比增减", "Change on the year"),
    "percent_previous": Titles("环比", "Change %"),
    "percent_year": Titles("同比", "On the year %"),
    "from_zero": Titles("基数为 0", "from 0"),
    "comparison": Titles("对比", "Comparison"),
    "compared": Titles("对比时间", "Compared with"),
    "shape": Titles("呈现方式", "Form"),
    "charts": Titles("图表", "Charts"),
    "notes": Titles("说明", "Notes"),
    "report": Titles("报表", "Report"),
    "empty": Titles("没有数据", "no data"),
    "sum": Titles("“{column}”的合计", 'sum of "{column}"'),
    "count": Titles("行数", "number of rows"),
    "count_of": Titles("“{column}”有值的行数", 'number of rows with a value in "{column}"'),
    "average": Titles("“{column}”的平均值", 'average of "{column}"'),
    "minimum": Titles("“{column}”的最小值", 'smallest value of "{column}"'),
    "maximum": Titles("“{column}”的最大值", 'largest value of "{column}"'),
    "growth": Titles(
        "增减 = 本期 − 对比期；百分比 = 增减 ÷ 对比期的绝对值。对比期为 0 时写“基数为 0”，对比期没有数值时写“–”。"
        "本期尚未结束时，只与对比期的同样长度相比。",
        "The change is now − before, and its percentage that ÷ the size of before: “from 0” where that is 0, “–” where "
        "there was no figure. A period that is not over yet is compared with as much of the other as has passed of it.",
    ),
    "no_pie": Titles(
        "饼图只用于不超过 {most} 项、可以相加且没有负数的数据，这里改用柱形。",
        "A pie needs at most {most} parts that add up and are not negative, so bars are drawn here.",
    ),
    "no_stack": Titles(
        "堆叠图需要时间和一个维度（或两个维度），以及可以相加且没有负数的指标，这里没有堆叠。",
        "A stacked chart needs time and a dimension (or two dimensions), and figures that add up and are not negative, so "
        "nothing is stacked here.",
    ),
    "date": Titles("日期", "Date"),
    "notice": Titles("说明", "Note"),
    "groups_hidden": Titles(
        "汇总表只列出前 {shown} 行，其余合并为“其他”；合计包含全部数据。",
        "The summary lists the first {shown} rows; the rest is put together as “Others”. The totals cover all data.",
    ),
    "rows_hidden": Titles(
        "明细只包含前 {shown} 行，共 {rows} 行；合计包含全部数据。请缩小时间范围以导出完整明细。",
        "The details hold the first {shown} of {rows} rows; the totals cover all of them. Choose a shorter range to "
        "export every row.",
    ),
    "rows_hidden_csv": Titles(
        "文件只包含前 {shown} 行，共 {rows} 行。请缩小时间范围以导出完整数据。",
        "The file holds the first {shown} of {rows} rows. Choose a shorter range to export every row.",
    ),
}


def word(name: str, language: Tongue, **values: object) -> str:
    """A fixed text of the document."""
    titles = _WORDS[name]
    return (titles.zh if language == "zh" else titles.en).format(**values)


class Fact(msgspec.Struct, frozen=True):
    """A line of what was understood: 时间范围 and the range."""

    label: str
    value: str


def in_language(titles: Titles, language: Tongue) -> str:
    return titles.zh if language == "zh" else titles.en


def heading(measure: MeasureSpec, language: Tongue) -> str:
    """销售额（元）, Sales (CNY)."""
    title = in_language(measure.titles, language)
    if measure.unit is None:
        return title
    unit = in_language(measure.unit, language)
    return f"{title}（{unit}）" if language == "zh" else f"{title} ({unit})"


def facts(spec: ReportSpec, plan: ReportPlan, rows: int, bucket: Bucket, now: datetime.datetime) -> list[Fact]:
    """What was understood and what the figures cover."""
    language = plan.language
    dimensions = {dimension.name: dimension for dimension in spec.dimensions}
    comma, colon, between = ("、", "：", "；") if language == "zh" else (", ", ": ", "; ")
    filters = between.join(
        f"{title_of(dimensions[chosen.dimension], language)}{colon}{comma.join(chosen.labels or chosen.values)}"
        for chosen in plan.filters
    )
    names = plan.grouping(spec)
    grouped = (" × " if len(names) > 1 else "").join(title_of(dimensions[name], language) for name in names)
    shape = (", " if language == "en" else "、").join(
        shape_of(msgspec.structs.replace(plan, template=None), spec, language)
    )
    return [
        Fact(word("range", language), period_text(plan.period, language)),
        Fact(word("filters", language), filters or word("no_filters", language)),
        Fact(word("grouped", language), grouped or bucket_name(bucket, language)),
        *([Fact(word("shape", language), shape)] if shape else []),
        Fact(word("covers", language), word("rows", language, rows=f"{rows:,}")),
        Fact(word("generated", language), generated(now)),
    ]


def generated(now: datetime.datetime) -> str:
    """2026-11-29 15:42 (UTC+08:00)."""
    zone = now.strftime("%z")
    offset = f" (UTC{zone[:3]}:{zone[3:5]})" if zone else ""
    return f"{now:%Y-%m-%d %H:%M}{offset}"
