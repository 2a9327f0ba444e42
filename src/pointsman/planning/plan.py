"""A draft → a plan, or the question that is still open."""

from __future__ import annotations

import datetime

from msgspec.structs import replace

from pointsman.domain.report import Filter, Period, ReportPlan, ReportSpec
from pointsman.domain.wording import Tongue
from pointsman.planning.clarify import MOST_CHOICES, Asked, Clarification, picked
from pointsman.planning.draft import Draft, draft_of

_PERIODS: dict[Tongue, tuple[str, ...]] = {
    "zh": ("上周", "本月", "上月", "上季度", "今年"),
    "en": ("last week", "this month", "last month", "last quarter", "this year"),
}
_FORMATS = {"pdf": "PDF", "xlsx": "Excel", "csv": "CSV"}
_LONGEST_ANSWER = 60


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
        return Clarification("period", tongue, _title(spec, tongue), offered)
    if len(draft.formats) > 1:
        return Clarification("format", tongue, _title(spec, tongue), tuple(_FORMATS[form] for form in draft.formats))
    return ReportPlan(
        report=spec.name,
        format=draft.formats[0] if draft.formats else "xlsx",
        period=draft.periods[0],
        filters=tuple(f for f in draft.filters if any(d.name == f.dimension for d in spec.dimensions)),
        group_by=tuple(name for name in draft.grouped if any(d.name == name for d in spec.dimensions)) or spec.group_by,
        language=tongue,
    )


def ask_period(title: str, lead: str, tongue: Tongue) -> str:
    """The question for another period, after `lead` (there are no rows in this one)."""
    return Clarification("period", tongue, title, _PERIODS[tongue], lead=lead).text


def complete(
    draft: Draft, asked: Asked, answer: str, catalog: tuple[ReportSpec, ...], today: datetime.date
) -> Draft | None:
    """The draft with the answer in its slot; None where the text is no answer to the question (another subject)."""
    if len(answer) > _LONGEST_ANSWER:
        return None
    words = picked(asked, answer)
    if asked.slot == "report":
        chosen = [s.name for s in catalog if words.strip().lower() in (s.titles.zh.lower(), s.titles.en.lower())]
        said = draft_of(words, catalog, today)
        if (
            not chosen
            and len(said.reports) == 1
            and not said.strange
            and not said.unknown
            and _names_a_report(words, said, catalog)
        ):
            chosen = list(said.reports)
        return replace(draft, reports=(chosen[0],)) if chosen else None
    said = draft_of(words, catalog, today)
    if said.strange or (said.unknown and asked.slot != "value"):
        return None
    if asked.slot == "format":
        return replace(draft, formats=said.formats) if len(said.formats) == 1 else None
    if asked.slot == "period":
        if not said.periods:
            return None
        return replace(
            draft,
            periods=said.periods,
            filters=_merged(draft.filters, said.filters),
            formats=said.formats or draft.formats,
        )
    if said.unknown:
        return replace(draft, unknown=said.unknown)
    if not said.filters:
        return None
    return replace(
        draft, unknown=None, filters=_merged(draft.filters, said.filters), periods=said.periods or draft.periods
    )


def _names_a_report(words: str, said: Draft, catalog: tuple[ReportSpec, ...]) -> bool:
    lowered = words.lower()
    spec = next(spec for spec in catalog if spec.name == said.reports[0])
    return any(word.lower() in lowered for word in spec.words)


def _merged(old: tuple[Filter, ...], new: tuple[Filter, ...]) -> tuple[Filter, ...]:
    named = {f.dimension for f in new}
    return (*(f for f in old if f.dimension not in named), *new)


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
    for word in (value, *words):
        if word.isascii() == (tongue == "en"):
            return word
    return value


def _day_range(period: Period) -> str:
    last = period.end - datetime.timedelta(days=1)
    return str(period.start) if last == period.start else f"{period.start} – {last}"
