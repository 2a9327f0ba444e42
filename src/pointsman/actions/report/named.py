"""A plan that a client names itself, instead of asking for a report in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec

from pointsman.config.others_words import all_of
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.report import BUCKETS, ChartKind, Compare, Format, Grain, ReportPlan, ReportSpec
from pointsman.domain.said import Said, said

MOST_TOP = 1000
_CHOICES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("format", get_args(Format)),
    ("language", ("zh", "en")),
    ("bucket", BUCKETS),
    ("chart", get_args(ChartKind)),
)


def named_plan(parameters: Mapping[str, Any], specs: Mapping[str, ReportSpec]) -> ReportPlan:
    """Raises PointsmanError (400) that names the field and lists what is valid."""
    for name in parameters:
        if name != "plan":
            raise _wrong(
                f"parameters.{name}",
                said('report takes only "plan", not "{name}"', "report 只接受“plan”，不接受“{name}”", name=name[:100]),
            )
    if "plan" not in parameters:
        raise _wrong("parameters.plan", _A_PLAN)
    for name, valid in _CHOICES:
        _one_of(f"parameters.plan.{name}", parameters["plan"], name, valid)
    if isinstance(parameters["plan"], dict):
        _one_of("parameters.plan.period.grain", parameters["plan"].get("period"), "grain", get_args(Grain))
        compare = parameters["plan"].get("compare")
        for each in compare if isinstance(compare, list) else ():
            _one_of("parameters.plan.compare", {"compare": each}, "compare", get_args(Compare))
    try:
        plan = msgspec.convert(parameters["plan"], ReportPlan)
    except msgspec.ValidationError as error:
        raise _wrong("parameters.plan", said("plan: {why}", "plan：{why}", why=all_of(error))) from None
    spec = specs.get(plan.report)
    if spec is None:
        raise _unknown("parameters.plan.report", Said("report", "报表"), plan.report, list(specs))
    dimensions = [dimension.name for dimension in spec.dimensions]
    for name in (*(narrowed.dimension for narrowed in plan.filters), *plan.group_by):
        if name not in dimensions:
            raise _unknown("parameters.plan", Said("dimension", "维度"), name, dimensions)
    _names(plan.rank, "rank", [measure.name for measure in spec.measures], Said("measure", "指标"))
    _names(plan.template, "template", [template.name for template in spec.templates], Said("template", "模板"))
    if plan.top is not None and not 1 <= plan.top <= MOST_TOP:
        message = said("top is a number from 1 to {most}", "top 是 1 到 {most} 之间的数", most=MOST_TOP)
        raise _wrong("parameters.plan.top", message)
    if plan.bucket is not None and len(plan.group_by) > 1:
        message = Said("beside a bucket there is one dimension at most", "有 bucket 时最多一个维度")
        raise _wrong("parameters.plan.group_by", message)
    if plan.period.start >= plan.period.end:
        raise _wrong("parameters.plan.period", Said("the period ends before it begins", "时间段的结束早于开始"))
    return plan


def _names(name: str | None, field: str, valid: list[str], kind: Said) -> None:
    if name is not None and name not in valid:
        raise _unknown(f"parameters.plan.{field}", kind, name, valid)


def _one_of(param: str, mapping: Any, name: str, valid: Sequence[str]) -> None:
    """Where it is there and a text; all else is for the conversion to say."""
    value = mapping.get(name) if isinstance(mapping, dict) else None
    if isinstance(value, str) and value not in valid:
        raise _unknown(param, Said(name, name), value, list(valid))


def _unknown(param: str, kind: Said, name: str, valid: list[str]) -> PointsmanError:
    return _wrong(
        param,
        said(
            'there is no {kind} "{name}"{hint}; valid: {valid}',
            "没有{kind}“{name}”{hint}（可用的有：{valid}）",
            kind=kind,
            name=name[:100],
            hint=did_you_mean(name[:100], valid),
            valid=", ".join(valid) or Said("none", "无"),
        ),
    )


def _wrong(param: str, message: str) -> PointsmanError:
    return PointsmanError(message, code="bad_parameters", param=param[:100])


_A_PLAN = Said(
    'report needs "plan": {"report", "format": pdf, xlsx or csv, "period": {"start", "end" (not included), "grain"}}',
    "report 需要“plan”：{“report”、“format”（pdf、xlsx 或 csv）、“period”：{“start”、“end”（不含）、“grain”}}",
)
