"""Holidays by name: a date, a lunar date, a solar term; and which of them are days off in China."""

from __future__ import annotations

from pointsman.periods.calendar_math import DAY
from pointsman.periods.calendars import lunar_day, solar_term
from pointsman.periods.point import Named, Range, UnknownCalendar

_DATES = {
    (1, 1): "元旦节 元旦|new year's day|new years day|new year day",
    (2, 14): "情人节|valentine's day|valentines day",
    (3, 8): "三八妇女节 国际妇女节 妇女节 三八节|international women's day|women's day",
    (3, 12): "植树节",
    (4, 1): "愚人节|april fools' day|april fool's day",
    (
        5,
        1,
    ): "五一国际劳动节 五一劳动节 国际劳动节 劳动节 五一节 五一|international workers' day|labour day|labor day|may day",
    (5, 4): "五四青年节 青年节",
    (6, 1): "六一国际儿童节 六一儿童节 国际儿童节 儿童节 六一节|children's day",
    (6, 18): "618",
    (7, 1): "七一建党节 建党节",
    (8, 1): "八一建军节 建军节",
    (9, 10): "教师节|teachers' day|teacher's day",
    (10, 1): "十一国庆节 国庆节|national day",
    (10, 31): "万圣夜|halloween",
    (11, 11): "双十一 双11 光棍节|singles' day|singles day|single's day|double eleven|double 11",
    (12, 12): "双十二 双12|double twelve|double 12",
    (12, 24): "平安夜 圣诞夜|christmas eve",
    (12, 25): "圣诞节 圣诞|christmas day|christmas",
    (12, 31): "跨年夜|new year's eve|new years eve",
}
_LUNAR = {
    (
        1,
        1,
    ): "春节 大年初一 农历新年 农历春节|chinese new year's day|chinese new year|lunar new year's day|lunar new year|spring festival",
    (1, 15): "元宵节 上元节 正月十五元宵节|lantern festival",
    (5, 5): "端午节 端午|dragon boat festival",
    (7, 7): "七夕节 七夕 七夕情人节|qixi festival|qixi|double seventh festival",
    (7, 15): "中元节|ghost festival",
    (8, 15): "中秋节 中秋|mid-autumn festival|mid autumn festival|mid-autumn day|moon festival",
    (9, 9): "重阳节 重阳|double ninth festival|chongyang festival|chongyang",
}
_LAST_MONTH = {8: "腊八节 腊八|laba festival"}  # of the lunar year before
_EVE = "除夕夜 除夕 大年三十 大年夜 年三十|chinese new year's eve|chinese new year eve|lunar new year's eve|lunar new year eve"
_TERMS = {
    "清明": "清明节 清明|qingming festival|qingming|tomb-sweeping day|tomb sweeping day",
    "冬至": "冬至节 冬至|winter solstice",
    "夏至": "夏至|summer solstice",
    "立春": "立春",
    "惊蛰": "惊蛰",
    "春分": "春分",
    "立夏": "立夏",
    "芒种": "芒种",
    "小暑": "小暑",
    "大暑": "大暑",
    "立秋": "立秋",
    "处暑": "处暑",
    "秋分": "秋分",
    "寒露": "寒露",
    "霜降": "霜降",
    "立冬": "立冬",
    "小寒": "小寒",
    "大寒": "大寒",
}
# Only as days off (十一假期), or beside a working day (国庆后第一个工作日): 十一 alone is a number, 国庆 alone a day or a week.
OFF_ONLY_ZH = {"国庆": "国庆节", "十一": "国庆节", "新年": "元旦", "妇女": "妇女节", "劳动": "劳动节"}
OFF_ONLY_EN = {"new year": "new year's day", "new year's": "new year's day", "mid-autumn": "mid-autumn festival"}
OFF_ONLY_EN |= {"dragon boat": "dragon boat festival", "cny": "chinese new year"}
DAYS_OFF = ("元旦", "春节", "清明", "五一", "端午", "中秋", "国庆节")


def _date(month: int, day: int) -> Named:
    def named(year: int) -> Range:
        from datetime import date

        first = date(year, month, day)
        return first, first + DAY

    return named


def _lunar(month: int, day: int) -> Named:
    def named(year: int) -> Range | None:
        first = lunar_day(year, month, day)
        return (first, first + DAY) if first else None

    return named


def _last_month(day: int) -> Named:
    return lambda year: _lunar(12, day)(year - 1)


def _eve(year: int) -> Range:
    first = lunar_day(year, 1, 1)
    if first is None:
        raise UnknownCalendar(year)
    return first - DAY, first


def _term(name: str) -> Named:
    def named(year: int) -> Range:
        day = solar_term(year, name)
        return day, day + DAY

    return named


def _names(words: str) -> tuple[list[str], list[str]]:
    zh, _, en = words.partition("|")
    return zh.split(), en.split("|") if en else []


ZH: dict[str, Named] = {}
EN: dict[str, Named] = {}
for _words, _named in (
    *((words, _date(*on)) for on, words in _DATES.items()),
    *((words, _lunar(*on)) for on, words in _LUNAR.items()),
    *((words, _last_month(on)) for on, words in _LAST_MONTH.items()),
    (_EVE, _eve),
    *((words, _term(name)) for name, words in _TERMS.items()),
):
    _zh, _en = _names(_words)
    ZH |= dict.fromkeys(_zh, _named)
    EN |= dict.fromkeys(_en, _named)
