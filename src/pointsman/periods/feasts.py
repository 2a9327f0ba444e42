"""Holidays, lunar days and the working days beside them: 国庆假期, 去年春节, 农历八月十五, 春节后第一个工作日, last Christmas."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from pointsman.periods.calendar_math import DAY
from pointsman.periods.calendars import days_off, lunar_day, lunar_month, workday
from pointsman.periods.en_words import REL_YEAR, year_in
from pointsman.periods.en_words import YEAR as EN_YEAR
from pointsman.periods.feast_names import EN, OFF_ONLY_EN, OFF_ONLY_ZH, ZH
from pointsman.periods.frame import Frame
from pointsman.periods.numerals import EN_ORDINAL, count_of, number, ordinal
from pointsman.periods.point import Named, Point, Range, UnknownCalendar, nearest, years
from pointsman.periods.zh_named import YEAR, said_year
from pointsman.periods.zh_near import Groups


def _any(words: object) -> str:
    return "|".join(sorted(map(str, words), key=len, reverse=True))  # type: ignore[call-overload]


_OFF = r"(?:法定)?(?:小?长假|假期|放假期间|放假|假日)"
_LUNAR_MONTH = r"(?P<leap>闰)?(?P<month>[正一二三四五六七八九十冬腊]|十[一二]|[0-9]{1,2})月"
_LUNAR_DAY = (
    r"(?P<day>初[一二三四五六七八九十]|[一二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|[0-9]{1,2})[日号]?"
)
_ZH_YEAR = r"(?:" + YEAR + r"的? ?)?"
_EN_NAME = (
    r"(?:the )?(?:(?P<which>last|next|this|this coming|previous) |(?P<before>(?:19|20)[0-9]{2})(?:'s)? |(?P<owner>"
    + REL_YEAR
    + r")'s )?"
)
_IN_YEAR = r"(?:,? ?(?:of |in )?" + EN_YEAR + r")?"
_WORKDAY = r"(?:working|business|work) ?day"

_PATTERNS = {
    "named": _ZH_YEAR + r"(?P<name>" + _any(ZH) + r")(?:当天|当日|那天|这天|这一天)?",
    "off": _ZH_YEAR + r"(?P<name>" + _any([*ZH, *OFF_ONLY_ZH]) + r")(?:节)?的?" + _OFF,
    "beside": _ZH_YEAR
    + r"(?P<name>"
    + _any([*ZH, *OFF_ONLY_ZH])
    + r")(?:节)?(?:的?"
    + _OFF
    + r")?(?P<side>之?前|之?后|以前|以后|结束后)的?(?P<nth>首|最后一?|(?:倒数)?第[一二三四五六七八九十0-9]{1,2}|一)?个工作日",
    "lunar": _ZH_YEAR + r"(?:的)?(?:农历|阴历|旧历|夏历)的?" + _LUNAR_MONTH + r"(?:份|" + _LUNAR_DAY + r")?",
    "lunar_year": r"(?:农历|阴历|旧历|夏历)" + YEAR + r"的?" + _LUNAR_MONTH + r"(?:份|" + _LUNAR_DAY + r")?",
    "lunar_words": _ZH_YEAR + r"(?P<leap>闰)?(?P<month>[正腊])月(?:" + _LUNAR_DAY + r")?",
    "lunar_first": _ZH_YEAR + r"大年(?P<day>初[二三四五六七八九十])",
    "en": _EN_NAME
    + r"(?P<name>"
    + _any(EN)
    + r")(?P<off> (?:public )?(?:holidays?|break|vacation))?(?:'s)?"
    + _IN_YEAR,
    "en_off": _EN_NAME
    + r"(?P<name>"
    + _any(OFF_ONLY_EN)
    + r") (?P<off>(?:public )?(?:holidays?|break|vacation))"
    + _IN_YEAR,
    "en_beside": r"(?:the )?(?P<nth>last|"
    + EN_ORDINAL
    + r") "
    + _WORKDAY
    + r" (?P<side>before|after|following) (?:the )?(?:(?P<before>(?:19|20)[0-9]{2}) )?(?P<name>"
    + _any([*EN, *OFF_ONLY_EN])
    + r")(?: (?:public )?(?:holidays?|break|vacation))?"
    + _IN_YEAR,
    "en_lunar": r"(?:the )?(?P<nth>"
    + EN_ORDINAL
    + r") day of the (?:(?P<month>"
    + EN_ORDINAL
    + r") lunar month|(?P<month2>"
    + EN_ORDINAL
    + r") month of the lunar (?:calendar|year))"
    + _IN_YEAR,
    "en_lunar_month": r"(?:the )?(?P<month>" + EN_ORDINAL + r") lunar month" + _IN_YEAR,
}
_COMPILED = {
    name: re2.compile(rf"\b(?:{pattern})\b" if name.startswith("en") else pattern)
    for name, pattern in _PATTERNS.items()
}
_ALIASES = {**OFF_ONLY_ZH, **OFF_ONLY_EN}
_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万几0123456789")
_ODD_MONTHS = {"正": 1, "冬": 11, "腊": 12}


def points(text: str, frame: Frame, *, chinese: bool, english: bool) -> Iterator[Point]:
    """Every expression found, overlapping ones too."""
    for kind, pattern in _COMPILED.items():
        if not (english if kind.startswith("en") else chinese):
            continue
        for match in pattern.finditer(text):
            start, end = match.span()
            found = {key: value for key, value in match.groupdict().items() if value}
            if text[start : start + 1] in _NUMERALS and text[start - 1 : start] in _NUMERALS and start:
                continue
            point = _point(kind, found, start, end, frame)
            yield point or Point(start, end, void=True)  # 2030年国庆假期: nobody knows, nor is 2030年 meant


def _point(kind: str, g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    if "lunar" in kind:
        return _lunar(kind, g, start, end, frame)
    if kind.startswith("en"):
        year = year_in(g, frame)
    else:
        year = said_year(g, frame)
        if "year" in g and year is None:
            return None
    name = _ALIASES.get(g["name"], g["name"])
    named = ZH.get(name) or EN[name]
    if "side" in g:
        at = _beside(named, g)
        return Point(start, end, at=(_begun(at, frame, frame.future), "day"), year=year) if at else None
    if kind == "off" or "off" in g:
        return _holiday(named, g, start, end, frame, year)
    if g.get("which"):
        return _relative(named, g["which"], start, end, frame)
    return Point(start, end, at=(named, "day"), year=year)


def _relative(named: Named, which: str, start: int, end: int, frame: Frame) -> Point | None:
    """last Christmas, next Spring Festival; this one is that of the year."""
    try:
        if which == "this":
            found = named(frame.today.year)
        else:
            later = which in ("next", "this coming")
            found = nearest(
                map(_begun(named, frame, later), years(frame, future=later)), frame, "next" if later else "last"
            )
    except UnknownCalendar:
        return None
    return Point(start, end, (*found, "day")) if found else None


def _holiday(named: Named, g: Groups, start: int, end: int, frame: Frame, year: int | None) -> Point | None:
    def at(year: int) -> Range | None:
        day = named(year)
        return days_off(day[0]) if day else None

    which = g.get("which")
    try:
        if year is not None or which == "this":
            found = at(year or frame.today.year)
        elif which:
            later = which in ("next", "this coming")
            found = nearest(
                map(_begun(at, frame, later), years(frame, future=later)), frame, "next" if later else "last"
            )
        else:
            found = nearest(map(_begun(at, frame, frame.future), years(frame)), frame)
    except UnknownCalendar:
        return None
    if found is None:
        return None
    return Point(start, end, (*found, "day" if found[1] - found[0] == DAY else "range"))


def _begun(at: Named, frame: Frame, later: bool) -> Named:
    """Looking back, next year's days off need not be published: they have not begun."""

    def named(year: int) -> Range | None:
        try:
            return at(year)
        except UnknownCalendar:
            if later or year <= frame.today.year:
                raise
            return None

    return named


def _beside(named: Named, g: Groups) -> Named | None:
    before = "前" in g["side"] or g["side"] == "before"
    nth = _nth(g.get("nth", ""), before)
    if nth is None:
        return None

    def at(year: int) -> Range | None:
        day = named(year)
        if day is None:
            return None
        off = days_off(day[0]) or day
        found = workday(off[0], -nth) if before else workday(off[1] - DAY, nth)
        return found, found + DAY

    return at


def _nth(word: str, before: bool) -> int | None:
    """最后一个工作日 stands before a holiday, the first one after it; 国庆后最后一个工作日 says nothing."""
    if word.startswith(("最后", "last", "倒数")):
        return (number(word[3:]) if word.startswith("倒数") else 1) if before else None
    if word in ("", "一"):
        return 1
    if word in ("首", "first") or word in ("第一", "第1"):
        return None if before else 1
    if before:
        return None
    return count_of(word[1:]) if word.startswith("第") else ordinal(word)


def _lunar(kind: str, g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    if kind.startswith("en"):
        year = year_in(g, frame)
        month = ordinal(g.get("month") or g["month2"])
        day = ordinal(g["nth"]) if "nth" in g else None
    else:
        year = said_year(g, frame)
        month = 1 if kind == "lunar_first" else _ODD_MONTHS.get(g["month"]) or number(g["month"])
        day = _day(g["day"]) if "day" in g else None
    if (
        month is None
        or not 1 <= month <= 12
        or (day is not None and not 1 <= day <= 30)
        or ("day" in g and day is None)
    ):
        return None
    leap = "leap" in g

    def at(year: int) -> Range | None:
        if day is None:
            return lunar_month(year, month, leap=leap)
        first = lunar_day(year, month, day, leap=leap)
        return (first, first + DAY) if first else None

    return Point(start, end, at=(at, "month" if day is None else "day"), year=year)


def _day(text: str) -> int | None:
    """初一, 十五, 廿三, 三十."""
    if text.startswith("廿"):
        return 20 + (number(text[1:]) or 0) if len(text) > 1 else 20
    return number(text.removeprefix("初"))
