"""Chinese expressions. Text comes folded: half width, lower case, simplified characters."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import re2

from pointsman.periods.calendar_math import DAY, month_of, months_back, week_of
from pointsman.periods.numerals import ZH_NUMBER, number, year_of
from pointsman.periods.point import Point

Date = datetime.date

_WEEKDAYS = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    **{str(n + 1): n for n in range(7)},
}
_BACK = {
    "本": 0,
    "这": 0,
    "这个": 0,
    "这一": 0,
    "当": 0,
    "上": -1,
    "上个": -1,
    "上一": -1,
    "上一个": -1,
    "上上": -2,
    "上上个": -2,
}
_WHICH = r"(?P<which>上上个?|上一?个?|本|这一?个?|当)"
_YEAR = r"(?:(?P<year>[0-9]{4}|[0-9]{2}|[二一][零〇一二三四五六七八九]{3}|[零〇一二三四五六七八九]{2})年?度?|(?P<rel>大前年|前年|去年|上年|上一年|今年|本年|当年))"

_DAYS = {
    "今天": 0,
    "今日": 0,
    "本日": 0,
    "当日": 0,
    "昨天": -1,
    "昨日": -1,
    "昨": -1,
    "前天": -2,
    "前日": -2,
    "大前天": -3,
}
_PATTERNS = {
    "days": r"(?P<word>大前天|今天|今日|本日|当日|昨天|昨日|前天|前日)",
    "week": _WHICH + r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天1-7]|末)?",
    "weekday": r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天1-7]|末)",
    "month": _WHICH + r"月份?(?P<day>" + ZH_NUMBER + r"[日号])?",
    "quarter": _WHICH + r"(?:季度|季|财季)",
    "parts": r"(?:"
    + _YEAR
    + r"的?)?(?:第?(?P<quarter>[一二三四1-4])季度?|q(?P<q>[1-4])|(?P<half>上半年|下半年|h[12])|(?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,3})月份?(?P<day>"
    + ZH_NUMBER
    + r"[日号]?)?)",
    "year": r"(?:(?P<year>[0-9]{4}|[二一][零〇一二三四五六七八九]{3}|[0-9]{2})年(?:度|全年)?|(?P<rel>大前年|前年|去年|上年|上一年|今年|本年|本年度|上年度|上一年度)(?:全年|度|一整年)?)",
    "iso": r"(?P<year>[12][0-9]{3})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})",
    "iso_month": r"(?P<year>20[0-9]{2})[-/](?P<month>0[1-9]|1[0-2])",
    "compact": r"(?P<year>20[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])",
    "recent": r"(?:最近|近|过去|之?前)的?(?:这)?(?P<count>"
    + ZH_NUMBER
    + r"|半|几)(?:个)?(?P<unit>天|日|周|星期|礼拜|月|季度|年)(?:以?来|之?内|间)?",
    "to_date": r"(?P<what>年初|今年|本年|月初|本月|这个月|季初|本季度|周初|本周|这周)(?:以来|至今|到今天|到现在|到目前|截至今天|开始到现在)",
    "day_only": r"(?P<day>[0-9]{1,2})[日号]",
    "month_only": r"(?P<month>[0-9]{1,2})(?:到|至|-|~|–|—)",
}
_COMPILED = {name: re2.compile(pattern) for name, pattern in _PATTERNS.items()}
SINCE = re2.compile(r"^(?:以来|至今|起至今|到今天|到现在|到目前为止|到今日)")
LINK = re2.compile(r"^\s*(?:到|至|~|～|-|—|–|——|－)\s*$")


def points(text: str, today: Date) -> Iterator[Point]:
    """Every expression found, overlapping ones too."""
    for name, pattern in _COMPILED.items():
        for match in pattern.finditer(text):
            start, end = match.span()
            if not _stands_alone(text, start, end, whole=name in ("iso", "parts")):
                continue
            found = {key: value for key, value in match.groupdict().items() if value}
            point = _BUILD[name](found, start, end, today)
            if point is not None:
                yield point


def _stands_alone(text: str, start: int, end: int, *, whole: bool) -> bool:
    """Not a piece of a longer number or word: 15月, iq1, 一周年, 五月天."""
    before, after = text[start - 1 : start], text[end : end + 2]
    first, last = text[start], text[end - 1]
    if first.isdigit() and (before.isdigit() or (before in (".", "-", "/") and not whole)):
        return False
    if first.isascii() and first.isalpha() and before.isascii() and before.isalnum():
        return False
    if last.isdigit() and (
        after[:1].isdigit() or (after[:1] == "." and after[1:].isdigit()) or after[:1] in ("月", "%")
    ):
        return False
    if last == "年" and after[:1].isdigit():
        return False  # a month that there is not; where there is one, the longer expression holds
    if last.isascii() and after[:1].isascii() and after[:1].isalpha():
        return False
    if last in "周月年" and after[:1] in ("年", "刊", "饼", "嫂") and after not in ("年会",):
        return False
    if first in "一二三四五六七八九十" and before and before in "一二三四五六七八九十":
        return False
    if text[start:end] in ("五月", "四月") and after[:1] in ("天", "花"):
        return False
    return not (text[start:end].startswith("季") or (last == "季" and after[:1] in ("节", "风", "后")))


def _days(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    day = today + DAY * _DAYS[g["word"]]
    return Point(start, end, (day, day + DAY, "day"))


def _week(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    monday, following = week_of(today, _BACK[g["which"]])
    weekday = g.get("weekday")
    if weekday == "末":
        return Point(start, end, (monday + DAY * 5, following, "range"))
    if weekday:
        day = monday + DAY * _WEEKDAYS[weekday]
        return Point(start, end, (day, day + DAY, "day"), weekday=_WEEKDAYS[weekday])
    return Point(start, end, (monday, following, "week"))


def _weekday(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    if g["weekday"] == "末":
        monday, following = week_of(today)
        return Point(start, end, (monday + DAY * 5, following, "range"))
    back = (today.weekday() - _WEEKDAYS[g["weekday"]] - 1) % 7 + 1
    day = today - DAY * back
    return Point(start, end, (day, day + DAY, "day"), weekday=_WEEKDAYS[g["weekday"]], loose=True)


def _month(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    first, following = month_of(today.year, today.month + _BACK[g["which"]])
    day = number(g["day"][:-1]) if "day" in g else None
    if day is None:
        return Point(start, end, (first, following, "month"))
    return Point(start, end, year=first.year, month=first.month, day=day) if 1 <= day <= 31 else None


def _quarter(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    first = 3 * ((today.month - 1) // 3) + 1 + 3 * _BACK[g["which"]]
    begin, following = month_of(today.year, first, 3)
    return Point(start, end, (begin, following, "quarter"))


def _relative_year(word: str, today: Date) -> int:
    return today.year - {"今": 0, "本": 0, "当": 0, "去": 1, "上": 1, "前": 2, "大": 3}[word[0]]


def _parts(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    year = year_of(g["year"]) if "year" in g else _relative_year(g["rel"], today) if "rel" in g else None
    if "year" in g and year is None:
        return None
    if "quarter" in g or "q" in g:
        return Point(start, end, year=year, quarter=number(g.get("quarter") or g["q"]))
    if "half" in g:
        return Point(start, end, year=year, half=1 if g["half"] in ("上半年", "h1") else 2)
    month = number(g["month"])
    day = number(g["day"].rstrip("日号")) if "day" in g else None
    if month is None or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    return Point(start, end, year=year, month=month, day=day)


def _year(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    year = year_of(g["year"]) if "year" in g else _relative_year(g["rel"], today)
    return Point(start, end, year=year) if year else None


def _iso(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    year, month = int(g["year"]), int(g["month"])
    day = int(g["day"]) if "day" in g else None
    if not 1970 <= year <= 2099 or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    return Point(start, end, year=year, month=month, day=day)


def _recent(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    unit, count = g["unit"], g["count"]
    if count == "几":
        return None
    tomorrow = today + DAY
    if count == "半":
        months = {"年": 6}.get(unit)
        begin = months_back(today, months) + DAY if months else today - DAY * 14 if unit == "月" else None
        return Point(start, end, (begin, tomorrow, "range")) if begin else None
    n = number(count)
    if not n or n > 3660:
        return None
    if unit in ("天", "日"):
        begin = tomorrow - DAY * n
    elif unit in ("周", "星期", "礼拜"):
        begin = tomorrow - DAY * 7 * n
    else:
        begin = months_back(today, n * {"月": 1, "季度": 3, "年": 12}[unit]) + DAY
    return Point(start, end, (begin, tomorrow, "range"))


def _to_date(g: dict[str, str], start: int, end: int, today: Date) -> Point:
    what = g["what"]
    if what in ("年初", "今年", "本年"):
        begin = Date(today.year, 1, 1)
    elif what in ("月初", "本月", "这个月"):
        begin = today.replace(day=1)
    elif what in ("季初", "本季度"):
        begin = Date(today.year, 3 * ((today.month - 1) // 3) + 1, 1)
    else:
        begin = week_of(today)[0]
    return Point(start, end, (begin, today + DAY, "range"))


def _month_only(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    """The 6 of 6-8月: it counts only where a month follows."""
    month = int(g["month"])
    return Point(start, end - 1, month=month, bare=True) if 1 <= month <= 12 else None


def _day_only(g: dict[str, str], start: int, end: int, today: Date) -> Point | None:
    day = int(g["day"])
    return Point(start, end, day=day) if 1 <= day <= 31 else None


_BUILD = {
    "days": _days,
    "week": _week,
    "weekday": _weekday,
    "month": _month,
    "quarter": _quarter,
    "parts": _parts,
    "year": _year,
    "iso": _iso,
    "iso_month": _iso,
    "compact": _iso,
    "recent": _recent,
    "to_date": _to_date,
    "day_only": _day_only,
    "month_only": _month_only,
}
