"""A draft → a plan, or the question that is still open."""

from __future__ import annotations

import datetime

from pointsman.asking.choices import MOST_CHOICES
from pointsman.domain.report import Period, ReportPlan, ReportSpec
from pointsman.domain.wording import Tongue
from pointsman.planning.clarify import Clarification, no_such_date
from pointsman.planning.draft import Draft, words_of_measure

_PERIODS: dict[Tongue, tuple[str, ...]] = {
    "zh": ("上周", "本月", "上月", "上季度", "今年"),
    "en": ("last week", "this month", "last month", "last quarter", "this year"),
}
_FORMATS = {"pdf": "PDF", "xlsx": "Excel", "csv": "CSV"}


def plan_of(
    draft: Draft, catalog: tuple[ReportSpec, ...], tongue: Tongue, today: datetime.date
) -> ReportPlan | Clarification:
    """What is unknown, missing or has two readings is asked, one thing at a time; nothing is filled in by guessing."""
    specs = {spec.name: spec for spec in catalog}
    if len(draft.reports) != 1:
        titles = tuple(_title(specs[name], tongue) for name in draft.reports)
        return Clarification("report", tongue, "", titles)
    spec = specs[draft.reports[0]]
    if draft.unknown is not None:
        return Clarification("value", tongue, _title(spec, tongue), _offers(spec, draft.unknown, tongue), draft.unknown)
    if len(draft.periods) != 1:
        offered = tuple(_day_range(period) for period in draft.periods) or _PERIODS[tongue]
        lead = no_such_date(draft.no_date, tongue) if draft.no_date else ""
        return Clarification("period", tongue, _title(spec, tongue), offered, lead=lead)
    drawn = draft.chart not in (None, "none") or draft.template is not None
    if draft.details and draft.formats == ("pdf",):  # a PDF holds the summary only
        return Clarification("format", tongue, _title(spec, tongue), ("Excel", "CSV", "PDF"))
    if drawn and draft.formats == ("csv",):  # a CSV holds no chart and has no looks
        return Clarification("format", tongue, _title(spec, tongue), ("Excel", "PDF", "CSV"))
    if len(draft.formats) > 1:
        return Clarification("format", tongue, _title(spec, tongue), tuple(_FORMATS[form] for form in draft.formats))
    return ReportPlan(
        report=spec.name,
        format=draft.formats[0] if draft.formats else "xlsx",
        period=draft.periods[0],
        filters=tuple(f for f in draft.filters if any(d.name == f.dimension for d in spec.dimensions)),
        group_by=_grouped(draft, spec),
        language=tongue,
        bucket=draft.bucket,
        compare=draft.compare,
        top=draft.top,
        rank=_rank(draft, spec),
        chart=draft.chart,
        template=draft.template if any(draft.template == known.name for known in spec.templates) else None,
    )


def _grouped(draft: Draft, spec: ReportSpec) -> tuple[str, ...]:
    """What the request names, else as the report goes: by time where that was asked for."""
    named = tuple(name for name in draft.grouped if any(d.name == name for d in spec.dimensions))
    return named or (() if draft.bucket else spec.group_by)


def _rank(draft: Draft, spec: ReportSpec) -> str | None:
    """The measure that groups are ordered by: the named one, else the first."""
    if draft.rank is None:
        return spec.measures[0].name if draft.ordered else None
    named = (measure.name for measure in spec.measures if draft.rank in words_of_measure(measure))
    return next(named, spec.measures[0].name)


def ask_period(title: str, lead: str, tongue: Tongue) -> str:
    """The question for another period, after `lead` (there are no rows in this one)."""
    return Clarification("period", tongue, title, _PERIODS[tongue], lead=lead).text


def _title(spec: ReportSpec, tongue: Tongue) -> str:
    return spec.titles.zh if tongue == "zh" else spec.titles.en


def _offers(spec: ReportSpec, unknown: str, tongue: Tongue) -> tuple[str, ...]:
    """The values of the dimension that the unknown word seems to belong to (its last character is one of the dimension's
    own: 店, 区), else of the first that has any; in the asker's language where the config has a word in it."""
    known = [dimension for dimension in spec.dimensions if dimension.values]
    akin = [
        d for d in known if any(word.endswith(unknown[-1]) for word in (*d.words, d.titles.zh) if not unknown.isascii())
    ]
    for dimension in (*akin, *known):
        return tuple(_shown(value.value, value.words, tongue) for value in dimension.values[:MOST_CHOICES])
    return ()


def _shown(value: str, words: tuple[str, ...], tongue: Tongue) -> str:
    word = next((word for word in (value, *words) if word.isascii() == (tongue == "en")), value)
    return " ".join(word.split())  # a choice is one line


def _day_range(period: Period) -> str:
    last = period.end - datetime.timedelta(days=1)
    return str(period.start) if last == period.start else f"{period.start} – {last}"
