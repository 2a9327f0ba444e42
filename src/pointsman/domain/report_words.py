"""What was understood of the form of a report, in words: by month, top 10 by profit, with the year before, a pie chart."""

from __future__ import annotations

from pointsman.domain.report import Bucket, ChartKind, Compare, ReportPlan, ReportSpec, Titles
from pointsman.domain.wording import Tongue

_BUCKETS: dict[Bucket, Titles] = {
    "day": Titles("按日", "by day"),
    "week": Titles("按周", "by week"),
    "month": Titles("按月", "by month"),
    "quarter": Titles("按季度", "by quarter"),
    "year": Titles("按年", "by year"),
}
_COMPARE: dict[Compare, Titles] = {
    "previous": Titles("环比", "compared with the period before"),
    "year": Titles("同比", "compared with a year earlier"),
}
_CHARTS: dict[ChartKind, Titles] = {
    "auto": Titles("带图表", "with a chart"),
    "line": Titles("折线图", "line chart"),
    "column": Titles("柱状图", "column chart"),
    "bar": Titles("条形图", "bar chart"),
    "pie": Titles("饼图", "pie chart"),
    "donut": Titles("环形图", "donut chart"),
    "stacked": Titles("堆叠图", "stacked chart"),
    "none": Titles("不带图表", "without charts"),
}


def bucket_name(bucket: Bucket, tongue: Tongue) -> str:
    """按日, by day."""
    return _in(_BUCKETS[bucket], tongue)


def shape_of(plan: ReportPlan, spec: ReportSpec, tongue: Tongue) -> list[str]:
    """One text for each thing that the request said of the report's form; empty where it said nothing. A template counts
    too, unless it is the one that is meant for everyone, or the file has no looks."""
    said: list[str] = []
    if plan.bucket is not None:
        said.append(bucket_name(plan.bucket, tongue))
    measure = next((_in(measure.titles, tongue) for measure in spec.measures if measure.name == plan.rank), None)
    if plan.top is not None:
        by = f"（按{measure}）" if measure and tongue == "zh" else f" by {measure}" if measure else ""
        said.append(f"前 {plan.top} 名{by}" if tongue == "zh" else f"top {plan.top}{by}")
    elif measure is not None:
        said.append(f"按{measure}从高到低" if tongue == "zh" else f"ordered by {measure}")
    said += [_in(_COMPARE[compare], tongue) for compare in plan.compare]
    if plan.chart is not None:
        said.append(_in(_CHARTS[plan.chart], tongue))
    default = next((template.name for template in spec.templates if template.default), None)
    if plan.template not in (None, spec.template or default) and plan.format != "csv":
        said.append(f"模板 {plan.template}" if tongue == "zh" else f"template {plan.template}")
    return said


def _in(titles: Titles, tongue: Tongue) -> str:
    return titles.zh if tongue == "zh" else titles.en
