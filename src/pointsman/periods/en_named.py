"""English expressions that name a piece of the calendar: May 3rd, Q3 2025, first half of 2024, week 35, fiscal 2025."""

from __future__ import annotations

import datetime

from msgspec.structs import replace

from pointsman.periods.calendar_math import fiscal_year_of, week_of
from pointsman.periods.en_words import (
    DAY_WORD,
    MONTH,
    MONTHS,
    OF_YEAR,
    POSSESSIVE_YEAR,
    YEAR,
    offset_of,
    year_in,
)
from pointsman.periods.frame import Frame
from pointsman.periods.numerals import EN_NUMBER, number, year_of
from pointsman.periods.point import Point, nearest, resolve, years
from pointsman.periods.zh_named import first_months, fiscal_point, week_point
from pointsman.periods.zh_near import quarter_of

Date = datetime.date
Groups = dict[str, str]

_NTH = r"(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th|last|final)"
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "final": 4,
    "last": 4,
}
_SALES = "sales|revenue|report|results|annual|full[- ]year|store|product|regional|data|figures|orders|numbers"
_FISCAL_YEAR = (
    r"(?:fy ?'?(?P<fy>[0-9]{4}|[0-9]{2})|(?:fiscal year|fiscal|financial year) (?P<year>(?:19|20)[0-9]{2})|"
    r"(?:the )?(?P<which>last|this|next|previous|current|coming)(?: fiscal| financial) year)"
)
_Q = r"(?:q(?P<q>[1-4])|" + _NTH + r"[ -]quarter|h(?P<h>[12])|(?P<nth>first|second) half)"
PATTERNS = {
    "quarter": r"(?:the )?" + POSSESSIVE_YEAR + r"?q(?P<q>[1-4])(?:[ -]?'?(?P<short>[0-9]{2})\b|" + OF_YEAR + r")",
    "year_quarter": r"(?P<year>(?:19|20)[0-9]{2})[ -]?(?:q(?P<q>[1-4])|h(?P<h>[12]))",
    "quarter_words": r"(?:the )?" + POSSESSIVE_YEAR + r"?" + _NTH + r"[ -]quarter" + OF_YEAR,
    "half": r"(?:the )?"
    + POSSESSIVE_YEAR
    + r"?(?:h(?P<h>[12])|(?:the )?(?P<word>first|second|1st|2nd) half(?: of(?: the)? year)?)"
    + OF_YEAR,
    "month": r"(?:(?P<side>last|next|this) )?"
    + MONTH
    + r"(?:[ ,]+(?:of |in )?(?:"
    + YEAR
    + r"|'(?P<short>[0-9]{2})))?",
    "month_owned": POSSESSIVE_YEAR + MONTH,
    "month_day": MONTH + r" (?:the )?" + DAY_WORD + r"(?:,? ?(?:of |in )?" + YEAR + r")?",
    "day_month": r"(?:the )?" + DAY_WORD + r" (?:of )?" + MONTH + r"(?:,? ?(?:of |in )?" + YEAR + r")?",
    "calendar_year": r"(?:calendar year|calendar|year) (?P<year>(?:19|20)[0-9]{2})",
    "fiscal": _FISCAL_YEAR + r"(?:'s)?(?:,? ?(?:the )?" + _Q + r")?",
    "fiscal_part": r"(?:the )?" + _Q + r",? ?(?:of |in )?(?:the )?" + _FISCAL_YEAR,
    "fiscal_quarter": r"(?:the )?(?P<fiscal>fiscal|financial) "
    + _Q
    + r"(?:,? ?(?:of )?(?:fy ?)?(?P<year>(?:19|20)[0-9]{2}))?",
    "fiscal_now": r"(?:the )?(?P<which>last|this|next|previous|current|coming) (?:fiscal|financial) (?P<unit>quarter)",
    "year": r"(?:in|for|of|during|from|since|through|to|throughout|all of|full[- ]year|between|and) (?:the year )?(?P<year>(?:19|20)[0-9]{2})",
    "year_of": r"(?P<year>(?:19|20)[0-9]{2})(?:'s)? (?:" + _SALES + r")",
    "day_only": r"(?:the )?(?P<day>[0-9]{1,2})(?P<nth>st|nd|rd|th)?",
    "week": r"(?:(?:the )?(?:iso |calendar )?week|wk) ?(?:no\.? ?|number |#)?(?P<week>[0-9]{1,2})(?:,? ?(?:of |in )?"
    + YEAR
    + r")?",
    "week_of": r"(?:the )?week (?:of|beginning|starting|commencing)(?: on)? (?:"
    + MONTH
    + r" "
    + DAY_WORD
    + r"(?:,? ?"
    + YEAR
    + r")?|(?P<iso>20[0-9]{2}-[0-9]{2}-[0-9]{2}))",
    "first_of": r"(?:the )?first (?P<count>"
    + EN_NUMBER
    + r") (?P<unit>quarter|month)s"
    + r"(?:(?P<whole> of the year)|"
    + OF_YEAR
    + r")",
}


def _quarter(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    year = year_in(g, frame)
    if "h" in g or "word" in g:
        return Point(start, end, year=year, half=int(g["h"]) if "h" in g else _ORDINALS[g["word"]])
    if "q" in g:
        return Point(start, end, year=year, quarter=int(g["q"]))
    if g["quarter"] in ("last", "final") and year is None:
        return None  # last quarter
    return Point(start, end, year=year, quarter=_ORDINALS[g["quarter"]])


def _month(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    day = int(g["day"]) if "day" in g else None
    if day is not None and not 1 <= day <= 31:
        return None
    point = Point(start, end, year=year_in(g, frame), month=MONTHS[g["month"][:3]], day=day)
    if "side" not in g:
        return point
    if point.year is not None:
        return replace(point, start=start + len(g["side"]) + 1)
    if g["side"] == "this":
        return replace(point, year=frame.today.year)
    later = g["side"] == "next"
    found = nearest(map(point.range, years(frame, future=later)), frame, g["side"])
    return Point(start, end, (*found, "month")) if found else None


def _day_only(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    day = int(g["day"])
    return Point(start, end, day=day, bare=True, numeric="nth" not in g) if 1 <= day <= 31 else None


def _year(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    year = year_of(g["year"])
    return Point(start, end, year=year) if year else None


def _fiscal(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    year: int | None = None
    if "fy" in g or "year" in g:
        year = year_of(g.get("fy") or g["year"])
        if year is None:
            return None
    elif "which" in g:
        year = fiscal_year_of(frame.today, frame.fiscal_start) + offset_of(g["which"])
    quarter = int(g["q"]) if "q" in g else _ORDINALS[g["quarter"]] if "quarter" in g else None
    half = int(g["h"]) if "h" in g else _ORDINALS[g["nth"]] if "nth" in g else None
    if g.get("quarter") in ("last", "final") and year is None:
        return None
    return fiscal_point(start, end, frame, year, quarter, half)


def _fiscal_now(g: Groups, start: int, end: int, frame: Frame) -> Point:
    return Point(start, end, (*quarter_of(frame, offset_of(g["which"]), fiscal=True), "quarter"))


def _week(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    return week_point(start, end, int(g["week"]), year_in(g, frame))


def _week_of(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    try:
        if "iso" in g:
            day = Date.fromisoformat(g["iso"])
        else:
            point = Point(start, end, year=year_in(g, frame), month=MONTHS[g["month"][:3]], day=int(g["day"]))
            found = resolve(point, frame, "")
            if not found:
                return None
            day = found[0].start
    except ValueError:
        return None
    return Point(start, end, (*week_of(day), "week"))


def _first_of(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    count, year = number(g["count"]), frame.today.year if "whole" in g else year_in(g, frame)
    if not count or (g["unit"] == "month" and year is None):
        return None
    return first_months(start, end, frame, year, count * (3 if g["unit"] == "quarter" else 1))


BUILD = {
    "quarter": _quarter,
    "year_quarter": _quarter,
    "quarter_words": _quarter,
    "half": _quarter,
    "month": _month,
    "month_owned": _month,
    "month_day": _month,
    "day_month": _month,
    "calendar_year": _year,
    "fiscal": _fiscal,
    "fiscal_part": _fiscal,
    "fiscal_quarter": _fiscal,
    "fiscal_now": _fiscal_now,
    "year": _year,
    "year_of": _year,
    "day_only": _day_only,
    "week": _week,
    "week_of": _week_of,
    "first_of": _first_of,
}
