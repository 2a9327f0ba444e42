"""Reports of the config → the catalog that planning reads."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.config.report_schema import Dimension, Measure, Report
from pointsman.config.report_schema import ValuesFrom as Asked
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.report import DimensionSpec, DimensionValue, MeasureSpec, ReportSpec, Titles, ValuesFrom
from pointsman.domain.said import said


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
            _check_title(f"{path}.measures.{key}.title", measure.title, problems)
            _check_title(f"{path}.measures.{key}.unit", measure.unit, problems)
        for key, shown in report.dimensions.items():
            _check_title(f"{path}.dimensions.{key}.title", shown.title, problems)
        _check_title(f"{path}.title", report.title, problems)
        specs.append(
            ReportSpec(
                name=name,
                titles=_titles(report.title, name),
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
            )
        )
    return tuple(specs), problems


def _measure(name: str, measure: Measure) -> MeasureSpec:
    return MeasureSpec(
        name=name,
        titles=_titles(measure.title, name),
        aggregate=measure.aggregate,
        column=measure.column or (None if measure.aggregate == "count" else name),
        decimals=measure.decimals,
        unit=_titles(measure.unit, "") if measure.unit else None,
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
        titles=_titles(dimension.title, name),
        column=column,
        words=tuple(dimension.words),
        values=listed,
        values_from=query,
    )


def _titles(title: str | dict[str, str] | None, name: str) -> Titles:
    if isinstance(title, dict):
        return Titles(title.get("zh") or title.get("en") or name, title.get("en") or title.get("zh") or name)
    return Titles(title or name, title or name)


def _check_title(path: str, title: str | dict[str, str] | None, problems: list[Problem]) -> None:
    if isinstance(title, dict):
        for key in title:
            if key not in ("zh", "en"):
                message = said("unknown language {key!r}", "不认识的语言 {key!r}", key=key)
                problems.append(Problem(f"{path}.{key}", message, valid="zh, en"))
        if not title:
            valid = said("a text, or {{zh: …, en: …}}", "一段文本，或 {{zh: …, en: …}}")
            problems.append(Problem(path, said("is empty", "是空的"), valid=valid))
