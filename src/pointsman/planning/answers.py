"""What a person answers to a question about a report: a number, words, all of them, never mind, or something else."""

from __future__ import annotations

import datetime
from enum import Enum

import re2
from msgspec.structs import replace

from pointsman.asking.answers import LONGEST, in_words, is_cancel, is_vague
from pointsman.domain.policy import LOOKING_BACK, PeriodReading
from pointsman.domain.report import Filter, ReportSpec
from pointsman.periods.fold import fold
from pointsman.planning.clarify import Asked
from pointsman.planning.draft import Draft, draft_of

_ALL = re2.compile(
    r"^(?:全部|全都|所有|都要|全要|全部都要|每个|不限|all|all of them|everything|any|every one)(?:的|都|要|吧|区|地区|please)*[\s,.!。，！]*$"
)


class Reply(Enum):
    """Answers that complete nothing: `AGAIN` is one to this question that does not settle it, `CANCEL` ends it, `OTHER`
    is about another subject."""

    AGAIN = "again"
    CANCEL = "cancel"
    OTHER = "other"


def complete(
    draft: Draft,
    asked: Asked,
    answer: str,
    catalog: tuple[ReportSpec, ...],
    today: datetime.date,
    reading: PeriodReading = LOOKING_BACK,
) -> Draft | Reply:
    """The draft with the answer in its slot, or what else it was."""
    folded = fold(answer).strip()
    if len(folded) > LONGEST or not folded:
        return Reply.OTHER
    if is_cancel(folded):
        return Reply.CANCEL
    if is_vague(folded):
        return Reply.AGAIN
    if _ALL.search(folded):
        return replace(draft, unknown=None) if asked.slot == "value" else Reply.AGAIN
    words = in_words(asked.choices, folded, several=asked.slot == "value")
    if words is None:
        return Reply.AGAIN
    said = draft_of(words, catalog, today, reading, answer=asked.slot == "value")
    if said.strange or (said.unknown and asked.slot != "value"):
        return Reply.OTHER
    draft = _with_more(draft, said)
    return _filled(draft, said, asked, words, catalog)


def _with_more(draft: Draft, said: Draft) -> Draft:
    """What an answer may say besides: format, grouping, comparison, ranking, chart, template."""
    regrouped = bool(said.grouped or said.bucket) and not said.filters
    plain = said.formats == ("csv",)  # no chart, no looks
    return replace(
        draft,
        formats=said.formats or draft.formats,
        details=draft.details and not said.formats,
        grouped=said.grouped if regrouped else draft.grouped,
        bucket=said.bucket if regrouped else draft.bucket,
        compare=said.compare or draft.compare,
        top=said.top or draft.top,
        ordered=said.ordered or draft.ordered,
        rank=said.rank or draft.rank,
        chart=None if plain else said.chart or draft.chart,
        template=None if plain else said.template or draft.template,
    )


def _filled(draft: Draft, said: Draft, asked: Asked, words: str, catalog: tuple[ReportSpec, ...]) -> Draft | Reply:
    beside = draft if said.formats else Reply.OTHER  # only the format was told: the question stays open
    if asked.slot == "format":
        return draft if len(said.formats) == 1 else Reply.OTHER
    if asked.slot == "report":
        titles = {title.lower(): spec.name for spec in catalog for title in (spec.titles.zh, spec.titles.en)}
        name = titles.get(words.strip().lower()) or (said.reports[0] if said.named and len(said.reports) == 1 else None)
        return replace(draft, reports=(name,)) if name else beside
    if asked.slot == "period":
        if not said.periods:
            return beside
        return replace(draft, periods=said.periods, filters=_merged(draft.filters, said.filters))
    if said.unknown:
        return replace(draft, unknown=said.unknown)
    if not said.filters:
        return beside
    periods = said.periods or draft.periods
    filters = _merged(draft.filters, tuple(_joined(draft.filters, new) for new in said.filters))
    return replace(draft, unknown=None, filters=filters, periods=periods)


def _joined(old: tuple[Filter, ...], new: Filter) -> Filter:
    """华东和华西区, and 华南 for the latter: 华东 stays."""
    for known in old:
        if known.dimension == new.dimension:
            values, labels = (*known.values, *new.values), (*known.labels, *new.labels)
            new = Filter(new.dimension, tuple(dict.fromkeys(values)), tuple(dict.fromkeys(labels)))
    return new


def _merged(old: tuple[Filter, ...], new: tuple[Filter, ...]) -> tuple[Filter, ...]:
    named = {f.dimension for f in new}
    return (*(f for f in old if f.dimension not in named), *new)
