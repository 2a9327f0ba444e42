"""English expressions. Text comes folded: half width, lower case; `original` tells May from may."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import re2

from pointsman.periods.calendar_math import DAY, month_of, months_back, week_of
from pointsman.periods.numerals import EN_NUMBER, number, year_of
from pointsman.periods.point import Point

Date = datetime.date

_MONTHS = {name: n + 1 for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
_WEEKDAYS = {name: n for n, name in enumerate("mon tue wed thu fri sat sun".split())}
_MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\.?"
)
_WEEKDAY = (
    r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thu|fri|sat|sun)"
)
_YEAR = r"(?:(?P<year>(?:19|20)[0-9]{2})|(?:the )?(?P<rel>this year|last year|previous year|the year before last|current year))"
_OF_YEAR = r"(?:,? ?(?:of |in )?" + _YEAR + r")?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_WHICH = r"(?P<which>this|current|the current|last|previous|prior|the previous|the last|past)"
_ORDINAL = r"(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th|last)"
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}

_PATTERNS = {
    "days": r"(?P<word>(?:the )?day before yesterday|yesterday|today)",
    "unit": _WHICH + r" (?P<unit>week|month|quarter|year)",
    "before_last": r"(?:the )?(?P<unit>week|month|quarter|year) before last",
    "weekday_of": r"(?:on )?" + _WEEKDAY + r" (?:of )?(?P<which>last|this|the previous|the last) week",
    "weekday": r"(?:(?P<which>last|this|on|since|past|from) )?" + _WEEKDAY,
    "weekend": r"(?:(?P<which>this|last|the past|past|the last|over the) )?weekend",
    "quarter": r"(?:the )?q(?P<q>[1-4])(?:[ -]?(?:fy)?'?(?P<short>[0-9]{2})\b|" + _OF_YEAR + r")",
    "year_quarter": r"(?P<year>(?:19|20)[0-9]{2})[ -]?(?:q(?P<q>[1-4])|h(?P<h>[12]))",
    "quarter_words": r"(?:the )?" + _ORDINAL + r"[ -]quarter" + _OF_YEAR,
    "half": r"(?:h(?P<h>[12])|(?:the )?(?P<word>first|second|1st|2nd) half(?: of(?: the)? year)?)" + _OF_YEAR,
    "month": _MONTH + r"(?:[ ,]+(?:of |in )?(?:" + _YEAR + r"|'(?P<short>[0-9]{2})))?",
    "month_day": _MONTH + r" (?:the )?" + _DAY + r"(?:,? ?" + _YEAR + r")?",
    "day_month": r"(?:the )?" + _DAY + r" (?:of )?" + _MONTH + r"(?:,? ?" + _YEAR + r")?",
    "fiscal": r"(?:fy|fiscal year|fiscal|calendar year|calendar|year) ?(?P<year>(?:19|20)[0-9]{2})",
    "year": r"(?:(?:in|for|of|during|from|since|through|to|throughout|all of|full[- ]year) )(?P<year>(?:19|20)[0-9]{2})",
    "year_of": r"(?P<year>(?:19|20)[0-9]{2})(?:'s)? (?:sales|revenue|report|results|annual|full[- ]year|store|product|regional|data|figures)",
    "recent": r"(?:(?:the )?(?:last|past|previous|recent|trailing)) (?P<count>"
    + EN_NUMBER
    + r") (?P<unit>day|week|month|quarter|year)s?",
    "to_date": r"(?:(?P<what>year|month|quarter|week)[- ]to[- ]date|(?P<short>ytd|mtd|qtd|wtd)|(?P<far>so far this (?:year|month|quarter|week)))",
    "day_only": r"(?:the )?" + _DAY,
    "week_of": r"(?:the )?week (?:of|beginning|starting|commencing)(?: on)? (?:"
    + _MONTH
    + r" "
    + _DAY
    + r"(?:,? ?"
    + _YEAR
    + r")?|(?P<iso>20[0-9]{2}-[0-9]{2}-[0-9]{2}))",
}
_COMPILED = {name: re2.compile(r"\b(?:" + pattern + r")\b") for name, pattern in _PATTERNS.items()}
SINCE = re2.compile(r"(?:\bsince|\bever since)\s*$")
LINK = re2.compile(r"^\s*(?:,? ?(?:to|until|till|through|thru|and|up to|-|–|—|~))\s*$")
BETWEEN = re2.compile(r"\bbetween\s*$")
LINK_WORD = re2.compile(
    r"(?i)^ ?(?:to|until|till|through|thru|and|or|-|–)\s?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)\b"
)
_PREPOSITION = re2.compile(
    r"(?:\b(?:in|for|of|during|since|from|to|through|until|till|by|last|this|and|between|on|over)|[-–~(,])\s*$"
)


def points(text: str, today: Date, original: str) -> Iterator[Point]:
    """Every expression found, overlapping ones too."""
    for name, pattern in _COMPILED.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            after = text[end : end + 2]
            if (after[:1] == "-" and after[1:].isalpha()) or (
                name in ("year", "year_of") and after[:1] == "-" and after[1:].isdigit()
            ):
                continue
            found = {key: value for key, value in match.groupdict().items() if value}
            if "month" in found and not _is_month(found, text, original, start, text.index(found["month"], start)):
                continue
            if name == "year":
                start = text.index(found["year"], start)
            point = _BUILD[name](found, start, end, today)
            if point is not None:
                yield point


def _is_month(found: dict[str, str], text: str, original: str, start: int, at: int) -> bool:
    """`may` and `march` (and mar, sun-like short words) are months where a date says so, a preposition stands before
    them, or they are written with a capital at the end of what is said."""
    if found["month"] not in ("may", "march", "mar", "dec", "sep", "jan", "jun"):
        return True
    if "day" in found or "year" in found or "rel" in found or "short" in found:
        return True
    if not original[at : at + 1].isupper():
        return False
    if _PREPOSITION.search(text[:start]):
        return True
    after = original[at + len(found["month"]) :].lstrip(".")
    if LINK_WORD.search(after):
        return True
    return not after.strip() or after.startswith("'s ") or (after[:1] == " " and not after[1:2].isupper() and start > 0)


def _year(g: dict[str, str], today: Date) -> int | None:
    if "year" in g:
        return year_of(g["year"])
    if "short" in g:
        return year_of(g["short"])
    if "rel" in g:
        word = g["rel"]
        return today.year - (2 if "before last" in word else 0 if word.startswith(("this", "current")) else 1)
    return None


def _back(which: str) -> int:
    return 0 if "this" in which or "current" in which else -1


def _unit_range(unit: str, back: int, today: Date) -> tuple[Date, Date]:
    if unit == "week":
        return week_of(today, back)
    if unit == "month":
        return month_of(today.year, today.month + back)
    if unit == "quarter":
        return month_of(today.year, 3 * ((today.month - 1) // 3) + 1 + 3 * back, 3)
    return month_of(today.year + back, 1, 12)


def _build_days(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    back = {"today": 0, "yesterday": 1}.get(g["word"], 2)
    day = today - DAY * back
    return Point(start, end, (day, day + DAY, "day"))


def _build_unit(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    begin, following = _unit_range(g["unit"], _back(g["which"]), today)
    if g["which"] == "past":
        back = {"week": today - DAY * 6}.get(g["unit"]) or months_back(
            today, {"month": 1, "quarter": 3, "year": 12}[g["unit"]]
        ) + DAY
        return Point(start, end, (back, today + DAY, "range"))
    return Point(start, end, (begin, following, g["unit"]))  # type: ignore[arg-type]


def _build_before_last(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    begin, following = _unit_range(g["unit"], -2, today)
    return Point(start, end, (begin, following, g["unit"]))  # type: ignore[arg-type]


def _build_weekday_of(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    weekday = _WEEKDAYS[g["weekday"][:3]]
    day = week_of(today, _back(g["which"]))[0] + DAY * weekday
    return Point(start, end, (day, day + DAY, "day"), weekday=weekday)


def _build_weekday(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    weekday = _WEEKDAYS[g["weekday"][:3]]
    if len(g["weekday"]) < 4 and "which" not in g:
        return None  # sun, sat, wed are words of their own
    if g.get("which") == "this":
        day = week_of(today)[0] + DAY * weekday
    else:
        day = today - DAY * ((today.weekday() - weekday - 1) % 7 + 1)
    if g.get("which") in ("since", "from"):
        start += len(g["which"]) + 1
    loose = g.get("which") not in ("last", "this", "past")
    return Point(start, end, (day, day + DAY, "day"), weekday=weekday, loose=loose)


def _build_weekend(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    back = -1 if g.get("which", "") in ("last", "the past", "past", "the last") else 0
    monday, following = week_of(today, back)
    return Point(start, end, (monday + DAY * 5, following, "range"))


def _build_quarter(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    if "h" in g:
        return Point(start, end, year=_year(g, today), half=int(g["h"]))
    if "q" in g:
        return Point(start, end, year=_year(g, today), quarter=int(g["q"]))
    if g["quarter"] == "last":
        if "year" not in g and "rel" not in g:
            return None
        return Point(start, end, year=_year(g, today), quarter=4)
    return Point(start, end, year=_year(g, today), quarter=_ORDINALS[g["quarter"]])


def _build_half(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    return Point(start, end, year=_year(g, today), half=int(g["h"]) if "h" in g else _ORDINALS[g["word"]])


def _build_month(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    day = int(g["day"]) if "day" in g else None
    if day is not None and not 1 <= day <= 31:
        return None
    return Point(start, end, year=_year(g, today), month=_MONTHS[g["month"][:3]], day=day)


def _build_day_only(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    day = int(g["day"])
    return Point(start, end, day=day) if 1 <= day <= 31 else None


def _build_year(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    year = year_of(g["year"])
    return Point(start, end, year=year) if year else None


def _build_recent(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    count = number(g["count"])
    if not count or count > 3660:
        return None
    tomorrow = today + DAY
    if g["unit"] in ("day", "week"):
        begin = tomorrow - DAY * count * (7 if g["unit"] == "week" else 1)
    else:
        begin = months_back(today, count * {"month": 1, "quarter": 3, "year": 12}[g["unit"]]) + DAY
    return Point(start, end, (begin, tomorrow, "range"))


def _build_to_date(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    unit = g.get("what") or {"y": "year", "m": "month", "q": "quarter", "w": "week"}.get(g.get("short", " ")[0])
    begin = _unit_range(unit or g["far"].rsplit(" ", 1)[1], 0, today)[0]
    return Point(start, end, (begin, today + DAY, "range"))


def _build_week_of(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    try:
        if "iso" in g:
            day = Date.fromisoformat(g["iso"])
        else:
            month, number_ = _MONTHS[g["month"][:3]], int(g["day"])
            day = Date(_year(g, today) or today.year, month, number_)
            if day > today and not _year(g, today):
                day = Date(today.year - 1, month, number_)
    except ValueError:
        return None
    return Point(start, end, (*week_of(day), "week"))


_BUILD = {
    "days": _build_days,
    "unit": _build_unit,
    "before_last": _build_before_last,
    "weekday_of": _build_weekday_of,
    "weekday": _build_weekday,
    "weekend": _build_weekend,
    "quarter": _build_quarter,
    "year_quarter": _build_quarter,
    "quarter_words": _build_quarter,
    "half": _build_half,
    "month": _build_month,
    "month_day": _build_month,
    "day_month": _build_month,
    "fiscal": _build_year,
    "year": _build_year,
    "year_of": _build_year,
    "recent": _build_recent,
    "day_only": _build_day_only,
    "to_date": _build_to_date,
    "week_of": _build_week_of,
}
