"""What a text says of the report it asks for, as far as it says it."""

from __future__ import annotations

import datetime

import msgspec
import re2

from pointsman.domain.policy import LOOKING_BACK, PeriodReading
from pointsman.domain.report import (
    Bucket,
    ChartKind,
    Compare,
    DimensionSpec,
    Filter,
    Format,
    MeasureSpec,
    Period,
    ReportSpec,
)
from pointsman.periods import find_periods
from pointsman.periods.fold import fold
from pointsman.planning.charting import take_chart
from pointsman.planning.compare import take_compare
from pointsman.planning.grouping import parted, take_adjective, take_grouping
from pointsman.planning.lexicon import DETAILS, FORMATS, NOUNS
from pointsman.planning.ranking import take_ranking
from pointsman.planning.rest import take_no_date, unknown_and_strange
from pointsman.planning.templates import take_template
from pointsman.planning.values import Pair, take_values
from pointsman.planning.words import FORMAT, NAME, PERIOD, REPORT, Remaining

Date = datetime.date

_RECIPIENT = re2.compile(
    r"(?:发给|发送给|转给|传给|给)[^,，。;；]{0,8}?(?:同事|领导|老板|经理|团队|客户|总监|负责人|主管|财务部?|老师|同学|伙伴)"
)
LONGEST = 300  # characters; a request for a report is a sentence or two


class Draft(msgspec.Struct, frozen=True):
    """`reports` are the names that fit: one is sure, several are to choose from. `periods` and `formats` likewise;
    `no_date` is a date that the calendar does not have (2月30日): then no period is sure. `unknown` is a word that stands
    where a value of a dimension would (华西区), `strange` what is left that nobody understood: such a text asks for
    something else. `details`: the rows themselves are wanted (明细). `grouped` are dimensions after 按 or "by", `bucket`
    what stands there of time; `named` says that words of a report occur, `noun` that one for reports as such does
    (门店排名 is one). `rank` is the word of a measure, folded; `ordered`: from the largest. The others are as in a plan."""

    reports: tuple[str, ...]
    periods: tuple[Period, ...] = ()
    filters: tuple[Filter, ...] = ()
    grouped: tuple[str, ...] = ()
    formats: tuple[Format, ...] = ()
    no_date: str | None = None
    unknown: str | None = None
    strange: tuple[str, ...] = ()
    named: bool = False
    noun: bool = False
    details: bool = False
    bucket: Bucket | None = None
    compare: tuple[Compare, ...] = ()
    top: int | None = None
    ordered: bool = False
    rank: str | None = None
    chart: ChartKind | None = None
    template: str | None = None

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


def draft_of(
    text: str,
    catalog: tuple[ReportSpec, ...],
    today: Date,
    reading: PeriodReading = LOOKING_BACK,
    *,
    answer: bool = False,
) -> Draft:
    """Pure. Reads report, period, values, grouping, comparison, ranking, chart, template and format out of the text; what is
    left must be filler. In an `answer` to the question for a value, values go before all else."""
    if len(text) > LONGEST:
        return Draft((), strange=("too long",))
    folded = fold(text)
    remaining = Remaining(folded)
    reports = _reports(catalog, folded)
    specs = [spec for spec in catalog if spec.name in reports]
    dimensions = [dimension for spec in specs for dimension in spec.dimensions]
    names = {word: dimension.name for dimension in dimensions for word in _names(dimension)}
    measures = frozenset(word for spec in specs for word in _measure_words(spec))
    filters: dict[str, list[Pair]] = {}

    def take_filters() -> None:
        for dimension in dimensions:
            if pairs := take_values(remaining, dimension, names, measures, answer=answer):
                filters.setdefault(dimension.name, []).extend(pairs)

    if answer:
        take_filters()
    template, two = take_template(remaining, specs[0].templates if specs else ())
    for recipient in _RECIPIENT.finditer(folded):
        remaining.strike(*recipient.span())
    found = find_periods(text, today, prefer=reading.prefer, fiscal_start=reading.fiscal_start)
    for period in found:
        remaining.strike(*period.span, PERIOD)
    # Beside a period that has begun, one to come is when the report is wanted: 导出上周报表，明天要.
    periods = tuple(period for period in found if period.start <= today) or found
    compared = take_compare(remaining, periods, today)
    periods = compared.periods
    no_date = take_no_date(remaining)
    chart = take_chart(remaining)
    ranking = take_ranking(remaining, measures)
    formats = remaining.take(FORMATS, FORMAT)
    named = remaining.take((word for spec in specs for word in _report_words(spec)), REPORT)
    grouped = take_grouping(remaining, names, measures)
    take_filters()
    bare = tuple(names[word] for word, _, _ in remaining.take(names, NAME))  # 门店销售报表: by store
    grouped, buckets = parted(tuple(dict.fromkeys((*grouped, *bare))))
    bucket = buckets[0] if buckets else take_adjective(remaining, periods)
    remaining.take(measures, REPORT)
    unknown, strange = unknown_and_strange(remaining)
    if compared.unclear or two or len(buckets) > 1 or (len(grouped) > 1 and (bucket or ranking.ordered)):
        strange = (*strange, "more than a report can show")  # the best stores of each region, too
    if ranking.by is not None:  # only of the reports that have that figure
        reports = tuple(spec.name for spec in specs if ranking.by in _measure_words(spec))
    if unknown is not None and not any(dimension.values for dimension in dimensions):
        strange, unknown = (unknown, *strange), None  # there is nothing to choose from
    return Draft(
        reports=reports,
        periods=() if no_date else periods,
        filters=tuple(_filter(name, pairs) for name, pairs in filters.items()),
        grouped=grouped,
        formats=tuple(dict.fromkeys(FORMATS[word] for word, _, _ in formats)),
        no_date=no_date,
        unknown=unknown,
        strange=strange,
        named=bool(named),
        noun=any(Remaining(folded).find(noun) for noun in NOUNS) or bool(grouped and (ranking.top or ranking.ordered)),
        details=any(Remaining(folded).find(word) for word in DETAILS),
        bucket=bucket,
        compare=compared.compare,
        top=ranking.top,
        ordered=ranking.ordered,
        rank=ranking.by,
        chart=chart,
        template=template,
    )


def _filter(name: str, pairs: list[Pair]) -> Filter:
    values, labels = zip(*pairs, strict=True)
    return Filter(name, tuple(dict.fromkeys(values)), tuple(dict.fromkeys(labels)))


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
    return [word for measure in spec.measures for word in words_of_measure(measure)]


def words_of_measure(measure: MeasureSpec) -> list[str]:
    """Folded."""
    return [fold(word) for word in (measure.titles.zh, measure.titles.en, *measure.words)]


def _names(dimension: DimensionSpec) -> list[str]:
    words = [fold(word) for word in (*dimension.words, dimension.titles.zh, dimension.titles.en)]
    return [*words, *(plural for word in words if (plural := _plural(word)))]


def _plural(word: str) -> str | None:
    """stores, categories: of an English word of letters."""
    if not (word.isascii() and word.replace(" ", "").isalpha()) or word.endswith("s"):
        return None
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"
