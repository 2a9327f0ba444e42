"""What a text says of the report it asks for, as far as it says it."""

from __future__ import annotations

import datetime

import msgspec
import re2

from pointsman.domain.report import DimensionSpec, Filter, Format, Period, ReportSpec
from pointsman.periods import find_periods
from pointsman.periods.fold import fold
from pointsman.planning.grouping import take_grouping
from pointsman.planning.lexicon import DETAILS, FILLER_EN, FILLER_ZH, FORMATS, NOUNS
from pointsman.planning.words import Remaining

Date = datetime.date

_UNKNOWN_ZH = re2.compile(
    r"^(?:[\p{Han}]{1,6}?)(大区|地区|区域|区|省|市|分店|门店|店|分公司|部门|部|产品|系列|渠道|客户)$"
)
_UNKNOWN_EN = re2.compile(r"\b(?:for|in|from|of|at)\s+(?:the\s+)?([a-z][a-z0-9'-]*(?:\s+[a-z][a-z0-9'-]*){0,2})")


_RECIPIENT = re2.compile(
    r"(?:发给|发送给|转给|传给|给)[^,，。;；]{0,8}?(?:同事|领导|老板|经理|团队|客户|总监|负责人|主管|财务部?|老师|同学|伙伴)"
)
LONGEST = 300  # characters; a request for a report is a sentence or two


class Draft(msgspec.Struct, frozen=True):
    """`reports` are the names that fit: one is sure, several are to choose from. `periods` and `formats` likewise.
    `unknown` is a word that stands where a value of a dimension would (华西区), `strange` what is left that nobody
    understood: such a text asks for something else. `details`: the rows themselves are wanted (明细). `grouped` are
    dimensions after 按 or "by"; `named` says that words of a report occur, `noun` that one for reports as such does."""

    reports: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    filters: tuple[Filter, ...] = ()
    grouped: tuple[str, ...] = ()
    formats: tuple[Format, ...] = ()
    unknown: str | None = None
    strange: tuple[str, ...] = ()
    named: bool = False
    noun: bool = False
    details: bool = False

    @property
    def is_request(self) -> bool:
        """Whether the whole text is understood as a request for a report. A report has to be named, if only as one (报表,
        data): else a format, or a word in the place of a value, is what some other text is about (a PDF of this agenda)."""
        return (
            not self.strange
            and bool(self.reports)
            and (self.named or self.noun)
            and (self.unknown is None or self.named)
        )


def draft_of(text: str, catalog: tuple[ReportSpec, ...], today: Date) -> Draft:
    """Pure. Reads report, period, values, grouping and format out of the text; what is left must be filler."""
    if len(text) > LONGEST:
        return Draft((), strange=("too long",))
    folded = fold(text)
    remaining = Remaining(folded)
    for recipient in _RECIPIENT.finditer(folded):
        remaining.strike(*recipient.span())
    periods = find_periods(text, today)
    for period in periods:
        remaining.strike(*period.span)
    formats = remaining.take(FORMATS)
    filters: dict[str, list[tuple[str, str]]] = {}
    reports = _reports(catalog, folded)
    named = remaining.take(word for spec in catalog if spec.name in reports for word in _report_words(spec))
    names = {
        word: dimension.name
        for spec in catalog
        if spec.name in reports
        for dimension in spec.dimensions
        for word in _names(dimension)
    }
    grouped = take_grouping(remaining, names)
    for spec in [spec for spec in catalog if spec.name in reports]:
        for dimension in spec.dimensions:
            _values(remaining, dimension, names, filters)
    bare = tuple(names[word] for word, _, _ in remaining.take(names))  # 门店销售报表: by store
    grouped = tuple(dict.fromkeys((*grouped, *bare)))
    remaining.take(word for spec in catalog if spec.name in reports for word in _measure_words(spec))
    unknown, strange = _rest(remaining, folded)
    return Draft(
        reports=reports,
        periods=periods,
        filters=tuple(
            Filter(
                name,
                tuple(dict.fromkeys(value for value, _ in pairs)),
                tuple(dict.fromkeys(label for _, label in pairs)),
            )
            for name, pairs in filters.items()
        ),
        grouped=grouped,
        formats=tuple(dict.fromkeys(FORMATS[word] for word, _, _ in formats)),
        unknown=unknown,
        strange=strange,
        named=bool(named),
        noun=any(Remaining(folded).find(noun) for noun in NOUNS),
        details=any(Remaining(folded).find(word) for word in DETAILS),
    )


def _reports(catalog: tuple[ReportSpec, ...], folded: str) -> tuple[str, ...]:
    """The reports that own all the report words of the text; where no single one does, all that own any (two were
    named); without any word the default ones, else all."""
    owners: dict[str, set[str]] = {}
    for spec in catalog:
        for word in _report_words(spec):
            owners.setdefault(word, set()).add(spec.name)
    said = [owners[word] for word, _, _ in Remaining(folded).take(owners)]
    wanted = set.intersection(*said) or set.union(*said) if said else {spec.name for spec in catalog}
    fit = tuple(spec.name for spec in catalog if spec.name in wanted)
    if said and not set.intersection(*said):
        return fit
    return tuple(spec.name for spec in catalog if spec.default and spec.name in wanted) or fit


def _report_words(spec: ReportSpec) -> list[str]:
    return [fold(word) for word in (*spec.words, spec.titles.zh, spec.titles.en)]


def _measure_words(spec: ReportSpec) -> list[str]:
    return [fold(word) for measure in spec.measures for word in (measure.titles.zh, measure.titles.en)]


def _names(dimension: DimensionSpec) -> list[str]:
    return [fold(word) for word in (*dimension.words, dimension.titles.zh, dimension.titles.en)]


def _values(
    remaining: Remaining, dimension: DimensionSpec, names: dict[str, str], filters: dict[str, list[tuple[str, str]]]
) -> None:
    """A word that also names a dimension (门店: the stores, or the channel of that name) never narrows the rows."""
    owner: dict[str, tuple[str, str]] = {}
    for value in dimension.values:
        for word in (value.value, *value.words):
            if fold(word) not in names:
                owner.setdefault(fold(word), (value.value, word))
    for word, _, _ in remaining.take(owner):
        filters.setdefault(dimension.name, []).append(owner[word])


def _rest(remaining: Remaining, folded: str) -> tuple[str | None, tuple[str, ...]]:
    strange: list[str] = []
    unknown = None
    for piece in remaining.pieces():
        if piece.isascii():
            if piece not in FILLER_EN and not (piece.endswith("'s") and piece[:-2] in FILLER_EN):
                strange.append(piece)
            continue
        left = piece
        for word in sorted(FILLER_ZH, key=len, reverse=True):
            left = left.replace(word, " ")
        for part in left.split():
            found = _UNKNOWN_ZH.search(part)
            if found:
                unknown = unknown or part
            else:
                strange.append(part)
    if strange and unknown is None:
        found = next((m[1] for m in _UNKNOWN_EN.finditer(folded) if set(m[1].split()) & set(strange)), None)
        if found and set(strange) <= set(found.split()):
            unknown, strange = " ".join(w for w in found.split() if w in strange), []
    return unknown, tuple(strange)
