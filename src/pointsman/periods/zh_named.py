"""Chinese expressions that name a piece of the calendar: 5月3日, 2025年第三季度, 上旬, 第35周, 本财年, 2024-05-03."""

from __future__ import annotations

import datetime

from pointsman.periods.calendar_math import DAY, fiscal_months, fiscal_year_of, iso_week, month_of
from pointsman.periods.frame import Frame
from pointsman.periods.numerals import ZH_NUMBER, count_of, number, year_of
from pointsman.periods.point import Point, Range, nearest
from pointsman.periods.zh_near import WEEK, WHICH, Groups, offset_of

Date = datetime.date

REL_YEAR = r"(?P<rel>大前年|前年|去年|上一?年|今年|本年|当年|明年|后年|下一?年)"
_DIGITS = r"[0-9]{4}|[二一][零〇一二三四五六七八九]{3}|[0-9]{2}|[零〇一二三四五六七八九]{2}"
YEAR = r"(?:(?P<year>" + _DIGITS + r")年度?|" + REL_YEAR + r"度?)"
_MONTH = r"(?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,3})月份?"
_Q = r"q(?P<q>[1-4])"
_QUARTER = r"第?(?P<quarter>[一二三四1-4])个?季度"
_HALF = r"(?P<half>上半年|下半年|h[12])"
_FISCAL_PART = r"(?:的?(?:" + _Q + r"|第?(?P<quarter>[一二三四1-4])财?季度?|" + _HALF + r"))?"
_FISCAL = (
    r"(?:\bfy ?'?(?P<fy>[0-9]{4}|[0-9]{2})|(?P<year>[0-9]{4}|[0-9]{2})年?(?:财年|财政年度?)|"
    r"(?P<which>上一?个?|下一?个?|本|这一?个?|当前)?(?:财年|财政年度)) ?"
)
PATTERNS = {
    "parts": r"(?:"
    + YEAR
    + r" ?的? ?)?(?:"
    + r"|".join((_QUARTER, _Q, _HALF, _MONTH + r"(?:的?(?P<day>" + ZH_NUMBER + r")(?P<unit>[日号])?)?"))
    + r")",
    "short": r"\b(?:(?P<year>20[0-9]{2}) ?-? ?|(?P<short>[0-9]{2})-?)(?:" + _Q + r"|(?P<half>h[12]))",
    "year_part": r"\b(?P<year>20[0-9]{2}) ?(?:" + _QUARTER + r"|(?P<half>[上下]半年))",
    "half_last": _HALF + r"[/,， ]?(?P<year>20[0-9]{2})年?",
    "year": YEAR + r"(?:全年|一?整年|全)?",
    "iso": r"\b(?P<year>[12][0-9]{3})(?:-(?P<month>[0-9]{1,2})-|/(?P<month2>[0-9]{1,2})/|\.(?P<month3>[0-9]{1,2})\.)(?P<day>[0-9]{1,2})",
    "iso_month": r"\b(?P<year>20[0-9]{2})(?:-(?P<month>0[1-9]|1[0-2])|/(?P<month2>0?[1-9]|1[0-2]))",
    "compact": r"\b(?P<year>20[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])",
    "day_only": r"(?P<day>[0-9]{1,2})日",
    "day_number": r"(?P<day>" + ZH_NUMBER + r")号",
    "month_only": r"(?:"
    + YEAR
    + r"的?)?(?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,2})(?P<tail>(?:到|至|-|~|–|—)(?:[0-9]{1,2}|[一二三四五六七八九十]{1,2})月)",
    "quarter_only": r"(?:"
    + YEAR
    + r"的?)?第?(?P<quarter>[一二三四1-4])(?P<tail>(?:到|至|-|~|–|—)第?[一二三四1-4]季度)",
    "year_only": r"\b(?P<year>20[0-9]{2})(?:到|至|-|~|–|—)20[0-9]{2}年",
    "tens": r"(?:(?:"
    + YEAR
    + r"的?)?"
    + _MONTH
    + r"|"
    + WHICH
    + r"月份?)?的?(?P<tens>[上中下])旬(?:(?:到|至|-|~|—)(?P<last>[中下])旬)?",
    "week_number": r"(?:" + YEAR + r"的?)?(?P<nth>第)?(?P<week>[0-9]{1,2}|[一二三四五六七八九十]{1,3})个?" + WEEK,
    "iso_week": r"\b(?:(?P<year>20[0-9]{2})[- ]?)?w(?P<week>[0-9]{1,2})\b",
    "fiscal": _FISCAL + _FISCAL_PART,
    "first_of": r"(?:" + YEAR + r"的?)?前(?P<count>[一二两三四1-4])个?季度",
    "first_months": YEAR + r"的?前(?P<count>" + ZH_NUMBER + r")个月",
}
_COUNTED = "个天元块件人家次万千百亿%.:点倍台单只条辆款笔周年"


def relative_year(word: str, today: Date) -> int:
    word = word.rstrip("度")
    if word.startswith("大前"):
        return today.year - 3
    return today.year + {"前": -2, "去": -1, "上": -1, "明": 1, "下": 1, "后": 2}.get(word[0], 0)


def said_year(g: Groups, frame: Frame) -> int | None:
    if "year" in g or "short" in g:
        return year_of(g.get("year") or g["short"])
    return relative_year(g["rel"], frame.today) if "rel" in g else None


def _parts(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    year = said_year(g, frame)
    if year is None and ("year" in g or "short" in g):
        return None
    if "quarter" in g or "q" in g:
        return Point(start, end, year=year, quarter=number(g.get("quarter") or g["q"]))
    if "half" in g:
        return Point(start, end, year=year, half=1 if g["half"] in ("上半年", "h1") else 2)
    month = number(g["month"])
    day = number(g["day"]) if "day" in g else None
    if day is not None and "unit" not in g and after[:1] and after[0] in _COUNTED:
        day, end = None, end - len(g["day"])  # 5月30个订单
    if month is None or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return Point(start, end, void=True)  # 2024年13月: nor is its 2024年 meant
    return Point(start, end, year=year, month=month, day=day)


def _year(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    year = said_year(g, frame)
    if year is None or ("year" in g and len(g["year"]) == 2 and number(g["year"]) in (10, 20, 30, 40, 50)):
        return None  # 20年 is rather twenty years
    return Point(start, end, year=year)


def _iso(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    year, month = int(g["year"]), int(g.get("month") or g.get("month2") or g["month3"])
    day = int(g["day"]) if "day" in g else None
    if not 1970 <= year <= 2099 or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return Point(start, end, void=True)
    return Point(start, end, year=year, month=month, day=day, numeric=True)


def _month_only(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    """The 6 of 6-8月: it counts only where a month follows."""
    month = number(g["month"])
    if not month or month > 12:
        return None
    return Point(start, end - len(g["tail"]), year=said_year(g, frame), month=month, bare=True)


def _quarter_only(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point:
    """The 一 of 一到三季度."""
    return Point(start, end - len(g["tail"]), year=said_year(g, frame), quarter=number(g["quarter"]), bare=True)


def _year_only(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point:
    """The 2024 of 2024-2025年."""
    return Point(start, start + 4, year=int(g["year"]), bare=True)


def _day_only(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    day = number(g["day"])
    return Point(start, end, day=day, bare=True) if day and 1 <= day <= 31 else None


def _day_number(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    day = count_of(g["day"])
    return Point(start, end, day=day) if day and 1 <= day <= 31 else None


def _tens(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    first, last = 1 + 10 * "上中下".index(g["tens"]), 1 + 10 * "上中下".index(g.get("last") or g["tens"])
    if last < first:
        return None

    def of(begin: Date, following: Date) -> Range:
        return begin + DAY * (first - 1), following if last == 21 else begin + DAY * (last + 9)

    if "month" not in g:
        month = frame.today.month + offset_of(g.get("which", ""))
        return Point(start, end, (*of(*month_of(frame.today.year, month)), "range"))
    number_ = number(g["month"])
    if number_ is None or not 1 <= number_ <= 12:
        return None
    return Point(start, end, at=(lambda year: of(*month_of(year, number_)), "range"), year=said_year(g, frame))


def _week_number(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    week, year = count_of(g["week"]), said_year(g, frame)
    if week is None or not 1 <= week <= 53 or ("nth" not in g and "year" not in g and "w" not in g):
        return None
    if after[:1] in tuple("年期岁末一二三四五六日天"):
        return None
    return week_point(start, end, week, year)


def _iso_week(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    return week_point(start, end, int(g["week"]), year_of(g["year"]) if "year" in g else None)


def week_point(start: int, end: int, week: int, year: int | None) -> Point | None:
    if not 1 <= week <= 53:
        return None
    return Point(start, end, at=(lambda year: iso_week(year, week), "week"), year=year)


def _fiscal(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    year: int | None = None
    if "fy" in g or "year" in g:
        year = year_of(g.get("fy") or g["year"])
        if year is None:
            return None
    elif "which" in g:
        year = fiscal_year_of(frame.today, frame.fiscal_start) + offset_of(g["which"])
    quarter = number(g.get("quarter") or g["q"]) if "quarter" in g or "q" in g else None
    half = (1 if g["half"] in ("上半年", "h1") else 2) if "half" in g else None
    return fiscal_point(start, end, frame, year, quarter, half)


def fiscal_point(
    start: int, end: int, frame: Frame, year: int | None, quarter: int | None, half: int | None
) -> Point | None:
    """A fiscal year, or its quarter or half; without a year the latest quarter or half of that number. None where nothing
    but 财年 was said."""
    begin = frame.fiscal_start
    if quarter is not None:
        first, count = 3 * quarter - 3, 3
    elif half is not None:
        first, count = 6 * half - 6, 6
    else:
        first, count = 0, 12
    grain = {3: "quarter", 6: "half", 12: "year"}[count]
    if year is not None:
        return Point(start, end, (*fiscal_months(year, begin, first, count), grain))  # type: ignore[arg-type]
    if count == 12:
        return None
    tried = sorted((y for y in range(frame.today.year - 3, frame.today.year + 4)), reverse=not frame.future)
    found = nearest((fiscal_months(y, begin, first, count) for y in tried), frame)
    return Point(start, end, (*found, grain)) if found else None  # type: ignore[arg-type]


def _first_of(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    count, year = number(g["count"]), said_year(g, frame)
    if "year" in g and year is None:
        return None
    return first_months(start, end, frame, year, 3 * count) if count else None


def _first_months(g: Groups, start: int, end: int, frame: Frame, after: str) -> Point | None:
    count, year = count_of(g["count"]), said_year(g, frame)
    return first_months(start, end, frame, year, count) if count and year else None


def first_months(start: int, end: int, frame: Frame, year: int | None, count: int) -> Point | None:
    """The first months of a year; this one's where none is said."""
    if not 1 <= count <= 12:
        return None
    return Point(start, end, (*month_of(year or frame.today.year, 1, count), "range"))


def slashed(start: int, end: int, a: int, b: int, year: int) -> Point | None:
    """03/04/2024 is March 4 or 3 April."""
    pair = (_day(year, a, b), _day(year, b, a))
    plain = pair[0] or pair[1]
    if plain is None:
        return None
    return Point(start, end, (*plain, "day"), pair=pair, numeric=True)


def _day(year: int, month: int, day: int) -> Range | None:
    try:
        date = Date(year, month, day)
    except ValueError:
        return None
    return date, date + DAY


BUILD = {
    "parts": _parts,
    "short": _parts,
    "year_part": _parts,
    "half_last": _parts,
    "year": _year,
    "iso": _iso,
    "iso_month": _iso,
    "compact": _iso,
    "day_only": _day_only,
    "day_number": _day_number,
    "month_only": _month_only,
    "quarter_only": _quarter_only,
    "year_only": _year_only,
    "tens": _tens,
    "week_number": _week_number,
    "iso_week": _iso_week,
    "fiscal": _fiscal,
    "first_of": _first_of,
    "first_months": _first_months,
}
