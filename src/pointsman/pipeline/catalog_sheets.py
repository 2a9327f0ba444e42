"""`sheets` and `charts` of a report in the config → what the engine reads, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pointsman.config.report_schema import Chart, Report, Sheet
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.report import BUCKETS, Filter, SheetSpec, Titles
from pointsman.domain.said import Said, said

_ADDABLE = ("sum", "count")


def sheet_of(sheet: Sheet, titles: Titles | None, report: Report) -> SheetSpec:
    return SheetSpec(
        titles=titles,
        group_by=_named(sheet.group_by, report),
        measures=tuple(sheet.measures),
        filters=_filters(sheet.filters),
        chart=sheet.chart,
        compare=tuple(dict.fromkeys(sheet.compare)),
        top=sheet.top,
        rank=sheet.rank,
    )


def chart_of(chart: Chart, titles: Titles | None, report: Report) -> SheetSpec:
    return SheetSpec(
        titles=titles,
        group_by=_named(chart.group_by, report),
        measures=(chart.measure,) if chart.measure else (),
        filters=_filters(chart.filters),
        chart=chart.kind,
        compare=tuple(dict.fromkeys(chart.compare)),
        top=chart.top,
    )


def wrong_sheet(path: str, sheet: Sheet, report: Report) -> Iterator[Problem]:
    yield from _wrong_names(f"{path}.measures", sheet.measures, list(report.measures), Said("measure", "指标"))
    if sheet.rank is not None:
        yield from _wrong_name(f"{path}.rank", sheet.rank, list(report.measures), Said("measure", "指标"))
    yield from _wrong_form(path, "chart", sheet.chart, sheet.group_by, sheet.measures, sheet, report)


def wrong_chart(path: str, chart: Chart, report: Report) -> Iterator[Problem]:
    measures = [chart.measure] if chart.measure is not None else []
    for name in measures:
        yield from _wrong_name(f"{path}.measure", name, list(report.measures), Said("measure", "指标"))
    yield from _wrong_form(
        path, "kind", chart.kind, chart.group_by, measures or list(report.measures)[:1], chart, report
    )


def _wrong_form(
    path: str,
    key: str,
    kind: str,
    group_by: Sequence[str],
    measures: Sequence[str],
    asked: Sheet | Chart,
    report: Report,
) -> Iterator[Problem]:
    """What does not go together."""
    yield from _wrong_names(
        f"{path}.group_by",
        group_by,
        [*report.dimensions, *BUCKETS],
        Said("dimension or unit of time", "维度或时间单位"),
    )
    yield from _wrong_filters(f"{path}.filters", asked.filters, report)
    names = group_by or report.group_by
    times = [name for name in names if name in BUCKETS and name not in report.dimensions]
    if len(times) > 1 or (times and len(names) > 2):
        message = said(
            "a unit of time stands alone or beside one dimension", "时间单位只能单独使用，或与一个维度一起用"
        )
        yield Problem(f"{path}.group_by", message, valid=said("[month], [month, region]", "[month]、[month, region]"))
        return
    crossed = len(names) == 2 and (kind == "stacked" or bool(times))
    if kind == "stacked" and not crossed:
        message = said("a stacked chart needs two of group_by", "stacked 图需要 group_by 里有两项")
        valid = said("two dimensions, or a unit of time and a dimension", "两个维度，或一个时间单位加一个维度")
        yield Problem(f"{path}.group_by", message, valid=valid)
    if crossed and asked.compare:
        message = said(
            "a table of rows and columns is not compared with earlier periods", "行列交叉的表不能与之前的期间对比"
        )
        yield Problem(f"{path}.compare", message, valid=said("a group_by of one", "只有一项的 group_by"))
    known = [report.measures[name] for name in measures or report.measures if name in report.measures]
    adds = [measure.aggregate in _ADDABLE for measure in known]
    if known and ((crossed and not any(adds)) or (kind in ("pie", "donut") and not adds[0])):
        message = said("{kind} needs a measure that adds up", "{kind} 需要可以相加的指标", kind=kind)
        valid = said("measures with aggregate sum or count", "aggregate 为 sum 或 count 的指标")
        yield Problem(f"{path}.{key}", message, valid=valid)


def _wrong_filters(path: str, filters: Mapping[str, list[str]], report: Report) -> Iterator[Problem]:
    for name, values in filters.items():
        if name not in report.dimensions:
            yield from _wrong_name(f"{path}.{name}", name, list(report.dimensions), Said("dimension", "维度"))
            continue
        if not values:
            yield Problem(f"{path}.{name}", said("names no value", "没有写任何取值"))
        listed = report.dimensions[name].values
        if isinstance(listed, list) and listed:
            known = [value.value for value in listed]
            yield from _wrong_names(f"{path}.{name}", values, known, Said("value", "取值"))


def _wrong_names(path: str, names: Sequence[str], valid: list[str], kind: Said) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Problem(f"{path}[{index}]", said("{name!r} stands there twice", "{name!r} 写了两次", name=name))
        yield from _wrong_name(f"{path}[{index}]", name, valid, kind)


def _wrong_name(path: str, name: str, valid: list[str], kind: Said) -> Iterator[Problem]:
    if name not in valid:
        hint = did_you_mean(name, valid)
        message = said(
            "there is no {kind} {name!r}{hint}", "没有{kind} {name!r}{hint}", kind=kind, name=name, hint=hint
        )
        yield Problem(path, message, valid=", ".join(valid) or Said("none", "无"))


def _named(group_by: Sequence[str], report: Report) -> tuple[str, ...]:
    """Buckets of time as the engine calls them, unless a dimension has that name."""
    return tuple(f"@{name}" if name in BUCKETS and name not in report.dimensions else name for name in group_by)


def _filters(filters: Mapping[str, list[str]]) -> tuple[Filter, ...]:
    return tuple(Filter(name, tuple(values), tuple(values)) for name, values in filters.items())
