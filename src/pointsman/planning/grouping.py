"""按地区和门店, by region and month: what the rows of a report are put together by."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence

import re2

from pointsman.domain.report import BUCKETS, TIMES, Bucket, Period
from pointsman.planning.lexicon import FILLER_ZH
from pointsman.planning.words import REPORT, Remaining

_LEADS = ("按照", "按", "分", "各", "每个", "逐", "每", "grouped by", "group by", "by", "per", "each")
_OFTEN = ("每", "每个", "each")
_LINKS = ("以及", "和", "与", "及", "、", ",", "，", "and", "&")
_WORDS: dict[str, str] = {
    **dict.fromkeys(("每天", "每日", "天", "日", "day"), "@day"),
    **dict.fromkeys(("每周", "星期", "周", "week"), "@week"),
    **dict.fromkeys(("每月", "每个月", "个月", "月份", "月度", "月", "month"), "@month"),
    **dict.fromkeys(("每季度", "季度", "季", "quarter"), "@quarter"),
    **dict.fromkeys(("每年", "年份", "年度", "年", "year"), "@year"),
}
_ADJECTIVES = re2.compile(
    r"(?P<day>日[度报]|\bdaily\b)|(?P<week>周[度报]|\bweekly\b)|(?P<month>月[度报]|\bmonthly\b)|"
    r"(?P<quarter>季度|季报|\bquarterly\b)|(?P<year>年[度报]|\b(?:yearly|annual)\b)"
)
_DAYS: dict[Bucket, tuple[int, int]] = {
    "day": (1, 1),
    "week": (7, 7),
    "month": (28, 31),
    "quarter": (90, 92),
    "year": (365, 366),
}
"""The fewest and the most days of each."""


def take_grouping(remaining: Remaining, words: Mapping[str, str], measures: Collection[str] = ()) -> tuple[str, ...]:
    """Strikes every lead with the dimensions and buckets of time after it. `words` are those of the dimensions, folded, and
    whose they are; `measures` are words for measures. Returns the dimensions and buckets (`TIMES`) in the order of the
    text. 每月 is a bucket only right before what is counted (每月销售额): else it says how often a report is wanted."""
    found: list[str] = []
    for lead in _LEADS:
        for _, start, end in remaining.places(lead):
            at = end
            while (next_one := _group_at(remaining, _skip(remaining.left, at, first=at == end), words)) is not None:
                if lead in _OFTEN and next_one[0] in TIMES and not _counts(remaining, next_one[1], measures):
                    break
                name, at = next_one
                if name not in found:
                    found.append(name)
            if at > end:
                remaining.strike(start, at)
    return tuple(found)


def parted(grouped: Sequence[str]) -> tuple[tuple[str, ...], tuple[Bucket, ...]]:
    """The dimensions, and the buckets of time."""
    return tuple(name for name in grouped if name not in TIMES), tuple(TIMES[name] for name in grouped if name in TIMES)


def take_adjective(remaining: Remaining, periods: Sequence[Period]) -> Bucket | None:
    """月度销售报表, monthly report: of a longer period a bucket, of one month its name. Only where that is clear words are
    struck: not of a period that is shorter, nor of days that are no whole bucket."""
    found = {(match.lastgroup, match.span()) for match in _ADJECTIVES.finditer(remaining.left)}
    if len(found) != 1 or len(periods) > 1:
        return None
    [(name, span)] = found
    bucket = next(bucket for bucket in BUCKETS if bucket == name)
    if periods:
        days = (periods[0].end - periods[0].start) // datetime.timedelta(days=1)
        fewest, most = _DAYS[bucket]
        if days < fewest:
            return None
        remaining.strike(*span)
        return bucket if days > most else None
    remaining.strike(*span)
    return None


def _group_at(remaining: Remaining, at: int, words: Mapping[str, str]) -> tuple[str, int] | None:
    for word in sorted(words, key=len, reverse=True):
        if word and remaining.stands_at(word, at):
            return words[word], at + len(word)
    for word in sorted(_WORDS, key=len, reverse=True):
        if remaining.stands_at(word, at) and _whole(remaining, at + len(word)):
            return _WORDS[word], at + len(word)
    return None


def _whole(remaining: Remaining, end: int) -> bool:
    """Whether a Chinese word for time ends there: 按日 but not 按日本, 按年 but not 按年龄."""
    after = remaining.left[end:]
    if not after or not "\u4e00" <= after[0] <= "\u9fff":
        return True
    return after.startswith((*FILLER_ZH, *_LINKS, "展示", "展开", "列", "显示", "对比", "统计"))


def _counts(remaining: Remaining, end: int, measures: Collection[str]) -> bool:
    """Whether a report or a measure stands there."""
    after = remaining.left[end:].lstrip(" ").removeprefix("的").lstrip(" ")
    return after.startswith((REPORT, *measures))


def _skip(text: str, at: int, *, first: bool) -> int:
    """Past spaces, and between two dimensions past what joins them."""
    at += len(text[at:]) - len(text[at:].lstrip(" "))
    if first:
        return at
    link = next((link for link in _LINKS if text.startswith(link, at)), "")
    at += len(link)
    return at + len(text[at:]) - len(text[at:].lstrip(" "))
