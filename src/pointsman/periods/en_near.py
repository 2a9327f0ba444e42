"""English expressions that count from today: yesterday, last Friday, 3 days ago, past two weeks, next quarter, YTD."""

from __future__ import annotations

import datetime

from pointsman.periods.calendar_math import DAY, month_of, week_of
from pointsman.periods.en_words import DAY_WORD, WEEKDAY, WEEKDAYS, offset_of
from pointsman.periods.frame import Frame
from pointsman.periods.numerals import EN_NUMBER, EN_WORD_NUMBER, number
from pointsman.periods.point import Point, day_point
from pointsman.periods.zh_near import ago, begin_of, loose_weekday, previous, quarter_of, rolling, working_day

Date = datetime.date
Groups = dict[str, str]

_WHICH = (
    r"(?P<which>this|the current|current|the last|last|the previous|previous|prior|the past|past|the next|next|"
    r"the coming|coming|the upcoming|upcoming)"
)
_UNIT = r"(?P<unit>week|month|quarter|year)"
_COUNTED = r"(?P<unit>(?:working|business|work) day|weekday|day|week|fortnight|month|quarter|year)s?"
_ONE = r"(?:[0-9]{1,4}|a|an|" + EN_WORD_NUMBER + r")"
PATTERNS = {
    "days": r"(?P<word>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|today|tomorrow)",
    "unit": _WHICH + r" " + _UNIT,
    "before_last": r"(?:the )?" + _UNIT + r" (?P<which>before last|after next)",
    "before_that": r"(?P<or>or|and) the (?P<unit>week|month|quarter|year) (?P<way>before|after)",
    "weekday_of": r"(?:on )?(?:the )?"
    + WEEKDAY
    + r",? (?:of |in )?(?:(?:the )?(?P<which>last|this|next|previous|coming) week|(?:the )?week (?P<far>before last|after next))",
    "weekday_owned": r"(?P<which>last|this|next) week(?:'s|,)? (?:on )?" + WEEKDAY,
    "weekday": r"(?:(?P<which>last|this|next|this coming|coming|on|since|past|from) )?" + WEEKDAY,
    "weekend_far": r"(?:the )?weekend (?P<which>before last|after next)",
    "half_ago": r"half a year (?P<way>ago|from now)",
    "weekend": r"(?:(?P<which>last|this|next|the past|past|the last|the next|this past|this coming|the coming) )?(?:the )?weekend",
    "ago": r"(?P<count>" + _ONE + r") " + _COUNTED + r" (?P<way>ago|from now|from today|hence)",
    "in": r"in (?P<count>" + _ONE + r") " + _COUNTED + r"(?:'? time)?",
    "recent": r"(?:the )?(?P<which>last|past|recent|trailing|next|coming|upcoming) (?P<count>"
    + EN_NUMBER
    + r") "
    + _COUNTED,
    "previous": r"(?:the )?(?:previous|prior|preceding) (?P<count>" + EN_NUMBER + r") " + _COUNTED,
    "to_date": r"(?:(?P<what>year|month|quarter|week)[- ]to[- ]date|(?P<short>ytd|mtd|qtd|wtd)|"
    r"(?P<far>so far this (?:year|month|quarter|week))|(?P<now>this (?:year|month|quarter|week)) so far)",
    "working_day": r"(?:the )?(?P<which>last|previous|next|prior|most recent|following|coming) (?:working|business|work) ?day",
    "day_of_month": r"(?:the )?"
    + DAY_WORD
    + r" of (?P<which>this|last|next|the current|the previous|the coming) month",
}


def _kind(unit: str) -> str:
    if " " in unit:
        return "工"
    return {"d": "天", "w": "周", "m": "月", "q": "季", "y": "年"}.get(unit[0], "")


def _count(g: Groups) -> int | None:
    """How many of the unit; None for what is none, or too many to be meant."""
    count = number(g["count"])
    if count is None or g["unit"] in ("weekday", "fortnight"):
        return None
    return count if count <= {"d": 3660, "w": 520, "m": 240, "q": 80, "y": 100, "b": 250}.get(g["unit"][0], 0) else None


def _days(g: Groups, start: int, end: int, frame: Frame) -> Point:
    word = g["word"]
    offset = {"today": 0, "yesterday": -1, "tomorrow": 1}.get(word, -2 if "before" in word else 2)
    return day_point(start, end, frame.today + DAY * offset)


def _range_of(unit: str, offset: int, frame: Frame) -> tuple[Date, Date]:
    today = frame.today
    if unit == "week":
        return week_of(today, offset)
    if unit == "month":
        return month_of(today.year, today.month + offset)
    return quarter_of(frame, offset) if unit == "quarter" else month_of(today.year + offset, 1, 12)


def _unit(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    if g["which"].endswith(("past", "coming")) and not g["which"].endswith("upcoming"):
        return rolling(start, end, frame, _kind(g["unit"]), 1, -1 if "past" in g["which"] else 1)
    return Point(start, end, (*_range_of(g["unit"], offset_of(g["which"]), frame), g["unit"]))  # type: ignore[arg-type]


def _before_that(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    """Last week or the week before; next month and the month after."""
    offset = -2 if g["way"] == "before" else 2
    return Point(start + len(g["or"]) + 1, end, (*_range_of(g["unit"], offset, frame), g["unit"]))  # type: ignore[arg-type]


def _of_week(g: Groups, start: int, end: int, frame: Frame) -> Point:
    weekday = WEEKDAYS[g["weekday"][:3]]
    day = week_of(frame.today, offset_of(g.get("which") or g["far"]))[0] + DAY * weekday
    return Point(start, end, (day, day + DAY, "day"), weekday=weekday)


def _weekday(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    which, today = g.get("which", ""), frame.today
    weekday = WEEKDAYS[g["weekday"][:3]]
    if len(g["weekday"]) < 4 and not which:
        return None  # sun, sat, wed are words of their own
    if which in ("since", "from"):
        start += len(which) + 1
    if which == "this":
        day = week_of(today)[0] + DAY * weekday
    elif which in ("last", "past"):
        day = today - DAY * ((today.weekday() - weekday - 1) % 7 + 1)
    elif "coming" in which or which == "next":
        day = today + DAY * ((weekday - today.weekday() - 1) % 7 + 1)
    else:
        return loose_weekday(start, end, weekday, frame)
    return Point(start, end, (day, day + DAY, "day"), weekday=weekday)


def _weekend(g: Groups, start: int, end: int, frame: Frame) -> Point:
    which = g.get("which", "this")
    offset = 0 if which == "this" else -1 if "past" in which or "last" in which else 0 if which == "this coming" else 1
    monday, following = week_of(frame.today, offset)
    return Point(start, end, (monday + DAY * 5, following, "range"))


def _weekend_far(g: Groups, start: int, end: int, frame: Frame) -> Point:
    monday, following = week_of(frame.today, offset_of(g["which"]))
    return Point(start, end, (monday + DAY * 5, following, "range"))


def _half_ago(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    return ago(start, end, frame, "月", 6, -1 if g["way"] == "ago" else 1)


def _ago(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    return ago(start, end, frame, _kind(g["unit"]), _count(g), -1 if g["way"] == "ago" else 1)


def _in(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    return ago(start, end, frame, _kind(g["unit"]), _count(g), 1)


def _recent(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    later = g["which"] in ("next", "coming", "upcoming")
    return rolling(start, end, frame, _kind(g["unit"]), _count(g), 1 if later else -1)


def _previous(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    kind = _kind(g["unit"])
    if kind == "工":
        return rolling(start, end, frame, kind, _count(g), -1)
    return previous(start, end, frame, kind, _count(g))


def _to_date(g: Groups, start: int, end: int, frame: Frame) -> Point:
    unit = g.get("what") or {"y": "year", "m": "month", "q": "quarter", "w": "week"}.get(g.get("short", " ")[0])
    unit = unit or (g.get("far") or g["now"]).rsplit(" ", 1)[1]
    return Point(start, end, (begin_of(unit, frame.today), frame.today + DAY, "range"))


def _working_day(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    return working_day(start, end, frame, 1 if g["which"] in ("next", "following", "coming") else -1)


def _day_of_month(g: Groups, start: int, end: int, frame: Frame) -> Point | None:
    first = month_of(frame.today.year, frame.today.month + offset_of(g["which"]))[0]
    return Point(start, end, year=first.year, month=first.month, day=int(g["day"]))


BUILD = {
    "days": _days,
    "unit": _unit,
    "before_last": _unit,
    "before_that": _before_that,
    "weekday_of": _of_week,
    "weekday_owned": _of_week,
    "weekday": _weekday,
    "weekend": _weekend,
    "weekend_far": _weekend_far,
    "half_ago": _half_ago,
    "ago": _ago,
    "in": _in,
    "recent": _recent,
    "previous": _previous,
    "to_date": _to_date,
    "working_day": _working_day,
    "day_of_month": _day_of_month,
}
