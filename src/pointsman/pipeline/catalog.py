"""Reports of the config → the catalog that planning reads."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.config.report_schema import Dimension, Measure, Report
from pointsman.config.report_schema import ValuesFrom as Asked
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.report import DimensionSpec, DimensionValue, MeasureSpec, ReportSpec, Titles, ValuesFrom
from pointsman.domain.said import said
from pointsman.pipeline.catalog_sheets import chart_of, sheet_of, wrong_chart, wrong_sheet


def catalog_of(
    reports: Mapping[str, Report], sources: Mapping[str, object] | None
) -> tuple[tuple[ReportSpec, ...], list[Problem]]:
    """Specs in the order of the config, and what is wrong with them; `sources` None: it is not known which there are."""
    problems: list[Problem] = []
    specs = []
    for name, report in reports.items():
        path = f"reports.{name}"
        if sources is not None and report.source not in sources:
            hint = did_you_mean(report.source, list(sources))
            valid = ", ".join(sources) or said("none: sources is empty", "没有：sources 是空的")
            message = said(
                "there is no source {name!r}{hint}", "没有数据源 {name!r}{hint}", name=report.source, hint=hint
            )
            problems.append(Problem(f"{path}.source", message, valid=valid))
        for index, grouped in enumerate(report.group_by):
            if grouped not in report.dimensions:
                hint = did_you_mean(grouped, list(report.dimensions))
                valid = ", ".join(report.dimensions)
                message = said("no dimension {name!r}{hint}", "没有维度 {name!r}{hint}", name=grouped, hint=hint)
                problems.append(Problem(f"{path}.group_by[{index}]", message, valid=valid))
        for key, measure in report.measures.items():
            check_title(f"{path}.measures.{key}.title", measure.title, problems)
            check_title(f"{path}.measures.{key}.unit", measure.unit, problems)
        for key, shown in report.dimensions.items():
            check_title(f"{path}.dimensions.{key}.title", shown.title, problems)
        check_title(f"{path}.title", report.title, problems)
        for index, sheet in enumerate(report.sheets):
            check_title(f"{path}.sheets[{index}].title", sheet.title, problems)
            problems += wrong_sheet(f"{path}.sheets[{index}]", sheet, report)
        for index, chart in enumerate(report.charts):
            check_title(f"{path}.charts[{index}].title", chart.title, problems)
            problems += wrong_chart(f"{path}.charts[{index}]", chart, report)
        specs.append(
            ReportSpec(
                name=name,
                titles=titles_of(report.title, name),
                source=report.source,
                table=report.table,
                time_column=report.time,
                measures=tuple(_measure(key, measure) for key, measure in report.measures.items()),
                dimensions=tuple(_dimension(key, shown, report.table) for key, shown in report.dimensions.items()),
                group_by=tuple(report.group_by),
                words=tuple(report.words),
                detail_columns=tuple(report.details),
                template=report.template,
                default=report.default,
                sheets=tuple(sheet_of(sheet, _named(sheet.title), report) for sheet in report.sheets),
                charts=tuple(chart_of(chart, _named(chart.title), report) for chart in report.charts),
            )
        )
    return tuple(specs), problems


def _measure(name: str, measure: Measure) -> MeasureSpec:
    return MeasureSpec(
        name=name,
        titles=titles_of(measure.title, name),
        aggregate=measure.aggregate,
        column=measure.column or (None if measure.aggregate == "count" else name),
        decimals=measure.decimals,
        unit=titles_of(measure.unit, "") if measure.unit else None,
        words=tuple(measure.words),
    )


def _dimension(name: str, dimension: Dimension, table: str) -> DimensionSpec:
    column = dimension.column or name
    listed: tuple[DimensionValue, ...] = ()
    query = None
    if isinstance(dimension.values, list):
        listed = tuple(DimensionValue(value.value, tuple(value.words)) for value in dimension.values)
    else:
        asked = dimension.values if isinstance(dimension.values, Asked) else Asked()
        query = ValuesFrom(asked.table or table, asked.column or column, tuple(asked.words))
    return DimensionSpec(
        name=name,
        titles=titles_of(dimension.title, name),
        column=column,
        words=tuple(dimension.words),
        values=listed,
        values_from=query,
    )


def titles_of(title: str | dict[str, str] | None, name: str) -> Titles:
    """In both languages; a missing one is the other, none at all `name`."""
    if isinstance(title, dict):
        return Titles(title.get("zh") or title.get("en") or name, title.get("en") or title.get("zh") or name)
    return Titles(title or name, title or name)


def _named(title: str | dict[str, str] | None) -> Titles | None:
    return titles_of(title, "") if title else None


def check_title(path: str, title: str | dict[str, str] | None, problems: list[Problem]) -> None:
    """Adds what is wrong with it."""
    if isinstance(title, dict):
        for key in title:
            if key not in ("zh", "en"):
                message = said("unknown language {key!r}", "不认识的语言 {key!r}", key=key)
                problems.append(Problem(f"{path}.{key}", message, valid="zh, en"))
        if not title:
            valid = said("a text, or {{zh: …, en: …}}", "一段文本，或 {{zh: …, en: …}}")
            problems.append(Problem(path, said("is empty", "是空的"), valid=valid))
