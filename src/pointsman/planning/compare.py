"""同比, 与上月对比, compared with last year: the earlier periods that figures stand beside."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import msgspec
import re2

from pointsman.domain.report import Compare, Period
from pointsman.periods.earlier import earlier
from pointsman.planning.words import Remaining

_WITH = r"(?:包含|包括|含有?|带上?|附上?|附带|加上?|看|并)?"
_OF = r"(?:的)?(?:增长率|增长|增幅|增速|变化率|变化|变动|数据|情况|对比|比较)?"
_SHOWN = r"(?:(?:including|incl\.?|plus|add|adding|showing|show|with|and)\s+)?(?:(?:a|the)\s+)?"
_GROWTH = r"(?:\s+(?:growth|changes?|comparisons?|figures|rates?))?"
_WORDS: tuple[tuple[str, tuple[Compare, ...]], ...] = (
    (rf"{_WITH}(?:同环比|环同比){_OF}", ("year", "previous")),
    (rf"{_WITH}同比{_OF}", ("year",)),
    (rf"{_WITH}环比{_OF}", ("previous",)),
    (rf"\b{_SHOWN}(?:year[- ](?:over|on)[- ]year|yoy|y-o-y){_GROWTH}\b", ("year",)),
    (rf"\b{_SHOWN}period[- ](?:over|on)[- ]period{_GROWTH}\b", ("previous",)),
)
_COMPILED = tuple((re2.compile(pattern), compare) for pattern, compare in _WORDS)

_ENDS = r"(?:的)?(?:数据|情况)?(?:进行|做个?|作)?(?:对比|相比|比较)"
_YEAR = r"(?:去年|上年|上一年)(?:的)?(?:同期|同一时期)"
_BEFORE = r"(?:上期|上一期|上个周期|上一周期|前一期)"
_STRONG = r"(?:对比|相比于?|相较于?|比较|较)"
_SAYS: tuple[tuple[str, tuple[Compare, ...]], ...] = (
    (rf"(?:[与和跟同]|{_STRONG}){_YEAR}{_ENDS}", ("year",)),
    (rf"{_STRONG}{_YEAR}", ("year",)),
    (rf"(?:[与和跟同]|{_STRONG}){_BEFORE}{_ENDS}", ("previous",)),
    (rf"{_STRONG}{_BEFORE}", ("previous",)),
    (
        r"\b(?:compared?|comparing|comparison|versus|vs\.?|against|relative)\s+(?:(?:with|to|against)\s+)?(?:the\s+)?"
        r"(?:same\s+(?:period|time|day|week|month|quarter)\s+(?:of\s+|in\s+)?(?:the\s+)?(?:last|previous|prior)\s+year"
        r"|(?:a|one)\s+year\s+(?:ago|earlier|before)|year\s+before)\b",
        ("year",),
    ),
    (
        r"\b(?:compared?|comparing|comparison|versus|vs\.?|against|relative)\s+(?:(?:with|to|against)\s+)?(?:the\s+)?"
        r"(?:(?:previous|prior|preceding|last)\s+period|period\s+before(?:\s+(?:it|that))?)\b",
        ("previous",),
    ),
)
_SAID = tuple((re2.compile(pattern), compare) for pattern, compare in _SAYS)

_UNIT = re2.compile(
    r"\b(?:compared?|comparing|comparison|versus|vs\.?|against|relative)\s+(?:(?:with|to|against)\s+)?(?:the\s+)?"
    r"(?:previous|prior|preceding)\s+(day|week|month|quarter|year)\b"
)
_DAYS = {"day": (1, 1), "week": (7, 7), "month": (28, 31), "quarter": (90, 92), "year": (365, 366)}
_LEAD_STRONG = re2.compile(
    r"(?:对比|相比于?|相较于?|比较|较|同比|环比|"
    r"\b(?:compared?|comparing|comparison|versus|vs\.?|against|relative)(?:\s+(?:with|to|against))?(?:\s+the)?)\s*$"
)
_LEAD_WEAK = re2.compile(r"[与和跟同]\s*$")
_ENDING = re2.compile(r"^(?:的)?(数据|情况|业绩|销售额?)?((?:进行|做个?|作)?(?:对比|相比|比较))")


class Compared(msgspec.Struct, frozen=True):
    """What figures are compared with. `periods` are those that the report itself is of; `unclear`: an earlier period was
    named that is neither the one before nor the one a year earlier, or there is none that it could be earlier than."""

    compare: tuple[Compare, ...]
    periods: tuple[Period, ...]
    unclear: bool = False


def take_compare(remaining: Remaining, periods: Sequence[Period], today: datetime.date) -> Compared:
    """Strikes the words of comparisons, the periods in them too."""
    found: dict[Compare, None] = {}
    kept = list(periods)
    for pattern, compare in _SAID:
        for match in pattern.finditer(remaining.left):
            remaining.strike(*match.span())
            found.update(dict.fromkeys(compare))
            kept = [period for period in kept if not _overlap(period.span, match.span())]
    against: list[Period] = []
    if len(kept) > 1:
        against = [period for period in kept if _take_against(remaining, period)]
        kept = [period for period in kept if period not in against]
    for pattern, compare in _COMPILED:
        for match in pattern.finditer(remaining.left):
            remaining.strike(*match.span())
            found.update(dict.fromkeys(compare))
    unclear = False
    for match in _UNIT.finditer(remaining.left):
        remaining.strike(*match.span())
        unit = _of_unit(kept[0], match[1]) if len(kept) == 1 else None
        if unit is None:
            unclear = True
        else:
            found[unit] = None
    for period in against:
        meant = _which(kept[0], period) if len(kept) == 1 else None
        if meant is None:
            unclear = True
        else:
            found[meant] = None
    return Compared(tuple(found), tuple(kept), unclear)


def _take_against(remaining: Remaining, period: Period) -> bool:
    """Whether the period is one that the words around it compare with; then these are struck."""
    start, end = period.span
    lead = _LEAD_STRONG.search(remaining.left[:start])
    after = _ENDING.search(remaining.left[end:])
    if lead is None:
        lead = _LEAD_WEAK.search(remaining.left[:start]) if after else None
    if lead is None:
        return False
    remaining.strike(lead.start(), end)
    if after is not None:
        remaining.strike(end + after.start(2), end + after.end())
    return True


def _of_unit(period: Period, unit: str) -> Compare | None:
    """The previous quarter of a quarter; the previous year of what is shorter is a year earlier."""
    days = (period.end - period.start).days
    fewest, most = _DAYS[unit]
    if fewest <= days <= most:
        return "previous"
    return "year" if unit == "year" and days < fewest else None


def _which(period: Period, other: Period) -> Compare | None:
    """What `other` is to `period`, both whole."""
    kinds: tuple[Compare, ...] = ("previous", "year")
    for compare in kinds:
        found = earlier(period, compare, period.end)
        if found is not None and (found.start, found.end) == (other.start, other.end):
            return compare
    year = period.start.year
    whole = (datetime.date(year - 1, 1, 1), datetime.date(year, 1, 1)) if year > 1 else None
    if (other.start, other.end) == whole and (period.end - datetime.timedelta(days=1)).year == year:
        return "year"  # last month compared with last year
    return None


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
