"""Chinese expressions that count from today: 昨天, 上周五, 三个月前, 最近7天, 下季度, 今年以来."""

from __future__ import annotations

import datetime

from pointsman.domain.report import Grain
from pointsman.periods.calendar_math import DAY, fiscal_months, fiscal_year_of, month_of, months_back, week_of
from pointsman.periods.calendars import workday
from pointsman.periods.frame import Frame
from pointsman.periods.numerals import ZH_NUMBER, count_of, number
from pointsman.periods.point import Point, UnknownCalendar, day_point

Date = datetime.date
Groups = dict[str, str]

WEEK = r"(?:周|星期|礼拜)"
WHICH = r"(?P<which>上上一?个?|上一?个?|本|这一?个?|当|下下一?个?|下一?个?)"
_DAYS = {
    **dict.fromkeys(("今天", "今日", "今儿", "本日", "当日"), 0),
    **dict.fromkeys(("昨天", "昨日", "昨儿"), -1),
    **dict.fromkeys(("前天", "前日", "前儿"), -2),
    "大前天": -3,
    **dict.fromkeys(("明天", "明日", "明儿"), 1),
    "后天": 2,
    "大后天": 3,
}
_WEEKDAYS = {**{c: n for n, c in enumerate("一二三四五六日")}, "天": 6, **{str(n + 1): n for n in range(7)}}
_COUNT = r"(?P<count>" + ZH_NUMBER + r"|半)"
_UNIT = r"(?:个)?(?P<unit>工作日|天|日|周|星期|礼拜|月|季度|年)"
PATTERNS = {
    "days": r"(?P<word>" + "|".join(sorted(_DAYS, key=len, reverse=True)) + r")",
    "week": WHICH + WEEK + r"(?:(?:的?" + WEEK + r")?(?P<weekday>六日|[一二三四五六日天1-7]|末))?",
    "weekday": WEEK + r"(?P<weekday>六日|[一二三四五六日天1-7]|末)",
    "month": WHICH + r"月份?(?:的?(?P<day>" + ZH_NUMBER + r")(?:[日号]|(?P<tail>[-~—到至][0-9]{1,2}[日号])))?",
    "quarter": WHICH + r"(?P<fiscal>财)?(?:季度|季)",
    "ago": _COUNT + r"(?P<unit>个工作日|天|个?周|个?星期|个?礼拜|个月|个季度|年)(?:之|以)?(?P<way>前|后)",
    "recent": r"(?:最近|近|过去)的?这?" + _COUNT + _UNIT + r"(?:以?来|之?内|里|间)?",
    "coming": r"(?:未来|接下来|今后|往后)的?这?" + _COUNT + _UNIT + r"(?:之?内|里|间)?",
    "previous": r"前(?P<count>" + ZH_NUMBER + r")(?P<unit>天|周|个星期|个礼拜|个月|年)",
    "to_date": r"(?P<what>年初|今年|本年度?|月初|本月|这个月|季初|本季度?|这个季度|周初|本周|这周|这个星期)"
    r"(?:以来|至今|到今天|到今日|到现在|到目前为止|到目前|截至今天|截至目前|开始到现在)",
    "working_day": r"(?P<which>上一?个?|前一个?|下一?个?)?工作日",
}
_LONGEST = {"天": 3660, "周": 520, "月": 240, "季": 80, "年": 100, "工": 250}
# Behind 周一 these make another word of it (本周一共), behind 周日 too (本周日均), behind a digit they are what is counted.
_OTHER_ONE = "共直样般些切定旦下次份张个整度致向"
_COUNTED = "0123456789个天件单款家名人份次月号元万千百%.:点时小折"


def offset_of(which: str) -> int:
    """上上个: -2; 本: 0; 下: 1."""
    return which.count("下") - which.count("上")


def _days(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point:
    return day_point(start, end, frame.today + DAY * _DAYS[g["word"]])


def _week(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point:
    monday, following = week_of(frame.today, offset_of(g["which"]))
    weekday = g.get("weekday")
    if weekday in ("末", "六日"):
        return Point(start, end, (monday + DAY * 5, following, "range"))
    if weekday and not _is_other(weekday, after):
        day = monday + DAY * _WEEKDAYS[weekday]
        return Point(start, end, (day, day + DAY, "day"), weekday=_WEEKDAYS[weekday])
    return Point(start, end - len(weekday or ""), (monday, following, "week"))


def _is_other(weekday: str, after: str) -> bool:
    if not after:
        return False
    if weekday in "一1":
        return after[:1] in _OTHER_ONE if weekday == "一" else after[:1] in _COUNTED
    return (weekday == "日" and after[:1] in "均常") or (weekday.isdigit() and after[:1] in _COUNTED)


def _weekday(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    today, weekday = frame.today, g["weekday"]
    if weekday in ("末", "六日"):
        monday, following = week_of(today)
        return Point(start, end, (monday + DAY * 5, following, "range"))
    if _is_other(weekday, after):
        return None
    return loose_weekday(start, end, _WEEKDAYS[weekday], frame)


def loose_weekday(start: int, end: int, weekday: int, frame: Frame) -> Point:
    """The latest one before or on today; with `future` the first from today on."""
    today = frame.today
    day = today + DAY * ((weekday - today.weekday()) % 7 if frame.future else -((today.weekday() - weekday) % 7))
    return Point(start, end, (day, day + DAY, "day"), weekday=weekday, loose=True)


def _month(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    first, following = month_of(frame.today.year, frame.today.month + offset_of(g["which"]))
    if "day" not in g:
        return Point(start, end, (first, following, "month"))
    day, end = number(g["day"]), end - len(g.get("tail", ""))  # 上月5-10号
    return Point(start, end, year=first.year, month=first.month, day=day) if day and 1 <= day <= 31 else None


def _quarter(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point:
    return Point(start, end, (*quarter_of(frame, offset_of(g["which"]), fiscal="fiscal" in g), "quarter"))


def quarter_of(frame: Frame, offset: int, *, fiscal: bool = False) -> tuple[Date, Date]:
    """The quarter that holds today, moved; those of the fiscal year count from its first month."""
    if fiscal:
        gone = (frame.today.month - frame.fiscal_start) % 12 // 3 + offset
        year = fiscal_year_of(frame.today, frame.fiscal_start) + gone // 4
        return fiscal_months(year, frame.fiscal_start, gone % 4 * 3, 3)
    return month_of(frame.today.year, 3 * ((frame.today.month - 1) // 3) + 1 + 3 * offset, 3)


def _count(g: Groups) -> int | None:
    """How many days, weeks, months, …; None for what is no such number."""
    if g["count"] == "半":
        return None
    n = count_of(g["count"])
    return n if n and n <= _LONGEST[_kind(g["unit"])] else None


def _kind(unit: str) -> str:
    kind = unit.removeprefix("个")[0]
    return {"日": "天", "星": "周", "礼": "周"}.get(kind, kind)


def _ago(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    return ago(start, end, frame, _kind(g["unit"]), _count(g) or _half(g), 1 if g["way"] == "后" else -1)


def ago(start: int, end: int, frame: Frame, kind: str, count: float | None, way: int) -> Point | None:
    """One day: so many days, weeks, months, years or working days before (`way` -1) or after (1) today."""
    if not count:
        return None
    try:
        if kind == "工":
            return day_point(start, end, workday(frame.today, way * int(count)))
        if kind in "天周":
            return day_point(start, end, frame.today + DAY * int(way * count * (7 if kind == "周" else 1)))
        return day_point(start, end, months_back(frame.today, int(-way * count * {"月": 1, "季": 3, "年": 12}[kind])))
    except (UnknownCalendar, ValueError, OverflowError):
        return None


def _half(g: Groups) -> float | None:
    return 0.5 if g["count"] == "半" and g["unit"] == "年" else None


def _recent(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    if after[:1] == "半":
        return Point(start, end + 1, void=True)  # 过去一年半
    if g["count"] == "半" and g["unit"] == "月":
        return rolling(start, end, frame, "天", 15, -1)
    return rolling(start, end, frame, _kind(g["unit"]), _count(g) or _half(g), -1)


def _coming(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    return rolling(start, end, frame, _kind(g["unit"]), _count(g) or _half(g), 1)


def rolling(start: int, end: int, frame: Frame, kind: str, count: float | None, way: int) -> Point | None:
    """The days up to and with today, or those from tomorrow on."""
    today, tomorrow = frame.today, frame.today + DAY
    if not count:
        return None
    try:
        if kind == "工":
            far = workday(tomorrow if way < 0 else today, way * int(count))
        elif kind in "天周":
            far = today + DAY * int(way * count * (7 if kind == "周" else 1)) + (DAY if way < 0 else DAY * 0)
        else:
            far = months_back(today, int(-way * count * {"月": 1, "季": 3, "年": 12}[kind])) + (
                DAY if way < 0 else DAY * 0
            )
    except (UnknownCalendar, ValueError, OverflowError):
        return None
    return Point(start, end, (far, tomorrow, "range") if way < 0 else (tomorrow, far + DAY, "range"))


def _previous(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    return previous(start, end, frame, _kind(g["unit"]), _count(g))


def previous(start: int, end: int, frame: Frame, kind: str, count: int | None) -> Point | None:
    """So many whole days, weeks, months or years before this one."""
    today = frame.today
    if not count or (count == 1 and kind == "天"):
        return None  # 前一天 is the day before something else
    try:
        if kind == "天":
            begin, following = today - DAY * count, today
        elif kind == "周":
            begin, following = week_of(today, -count)[0], week_of(today)[0]
        elif kind == "月":
            begin, following = month_of(today.year, today.month - count, count)
        elif kind == "季":
            begin, following = quarter_of(frame, -count)[0], quarter_of(frame, 0)[0]
        else:
            begin, following = month_of(today.year - count, 1, 12 * count)
    except (ValueError, OverflowError):
        return None
    grain: Grain = _GRAINS[kind] if count == 1 else "range"
    return Point(start, end, (begin, following, grain))


_GRAINS: dict[str, Grain] = {"周": "week", "月": "month", "季": "quarter", "年": "year"}


def _to_date(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point:
    unit = next((unit for word, unit in _UNITS if word in g["what"]), "week")
    return Point(start, end, (begin_of(unit, frame.today), frame.today + DAY, "range"))


_UNITS = (("季", "quarter"), ("月", "month"), ("年", "year"))


def begin_of(unit: str, today: Date) -> Date:
    """The first day of this week, month, quarter or year."""
    if unit == "week":
        return week_of(today)[0]
    if unit == "quarter":
        return month_of(today.year, 3 * ((today.month - 1) // 3) + 1)[0]
    return today.replace(day=1) if unit == "month" else Date(today.year, 1, 1)


def _working_day(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    later = "下" in g["which"] if "which" in g else frame.future
    return working_day(start, end, frame, 1 if later else -1)


def working_day(start: int, end: int, frame: Frame, way: int) -> Point | None:
    """The latest before today, or the first after it."""
    return ago(start, end, frame, "工", 1, way)


BUILD = {
    "days": _days,
    "week": _week,
    "weekday": _weekday,
    "month": _month,
    "quarter": _quarter,
    "ago": _ago,
    "recent": _recent,
    "coming": _coming,
    "previous": _previous,
    "to_date": _to_date,
    "working_day": _working_day,
}
