"""Spans of time in a text, by value: "2 hours", "两小时", "120 min" and "PT2H" are the same. Working days are not days, and
a month is no number of days. Pure; linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import msgspec

from pointsman.actions.extract.words import folded
from pointsman.extractors.numerals import number_of

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_ZH_UNITS = {
    "秒钟": "s", "秒": "s", "分钟": "m", "分": "m", "刻钟": "q", "小时": "h", "钟头": "h", "工作日": "b", "自然日": "d",
    "天": "d", "日": "d", "星期": "w", "礼拜": "w", "周": "w", "个月": "M", "年": "Y",
}  # fmt: skip
_EN_WORDS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "twenty-four": 24, "thirty": 30, "forty": 40,
    "forty-five": 45, "forty-eight": 48, "sixty": 60, "seventy-two": 72, "ninety": 90,
}  # fmt: skip
_NUMERAL = "零〇一二两三四五六七八九十百"
_ZH = (
    rf"(?P<zh>\d{{1,6}}(?:\.\d{{1,3}})?|[{_NUMERAL}]{{1,8}})?(?P<zh_half>个?半|半个?)?\s?个?\s?"
    r"(?P<zh_unit>秒钟|秒|分钟|刻钟|小时|钟头|工作日|自然日|天|日(?=[内之以])|星期|礼拜|周(?![一二三四五六日])|(?<=个)月|年(?=[内之以])|分(?=\d|[内之以]))"
    r"(?P<zh_more>半)?"
)
_EN = (
    r"(?<![\w.])(?:(?P<en>\d{1,6}(?:[.,]\d{1,3})?)[\s-]{0,2}|(?P<word>half an?|(?:an?|one|two|three) and a half|an? half|"
    + "|".join(sorted(_EN_WORDS, key=len, reverse=True))
    + r")[\s-]{1,2})(?P<business>(?:business|working|work)[\s-])?"
    r"(?P<en_unit>seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|wks?|months?|years?|yrs?)(?![a-z\d])"
)
_ISO = r"(?<!\w)p(?=t?\d)(?:(?P<d>\d{1,5})d)?(?:t(?:(?P<h>\d{1,5})h)?(?:(?P<m>\d{1,5})m)?(?:(?P<s>\d{1,6})s)?)?(?!\w)"
_CLOCK = (
    r"(?<![\w.])(?P<hours>\d{1,4})\s?h\s?(?P<minutes>\d{1,2})\s?m?(?!\w)"
    r"|(?<![\d.])(?P<zh_hours>\d{1,4})\s?个?(?:小时|钟头)\s?(?P<zh_minutes>\d{1,2})\s?分钟?"
)
_PATTERN = re.compile(rf"{_ISO}|{_CLOCK}|{_EN}|{_ZH}")
_JOINED = re.compile(r"\s?(?:and|零|又|,|、)?\s?")
_EN_UNITS = {"s": "s", "m": "m", "h": "h", "d": "d", "w": "w", "y": "Y"}


class Duration(msgspec.Struct, frozen=True):
    """A span of time at [start, end). `value` is an amount of a `unit`: s (seconds, days and weeks among them), b (working
    days), M (months)."""

    start: int
    end: int
    unit: str
    value: Fraction


def durations(text: str) -> list[Duration]:
    """In order. "2 小时 30 分钟" is one."""
    plain = folded(text)
    found: list[Duration] = []
    for one in _single(plain):
        last = found[-1] if found else None
        if last and last.unit == one.unit == "s" and _JOINED.fullmatch(plain, last.end, one.start):
            found[-1] = Duration(last.start, one.end, "s", last.value + one.value)
        else:
            found.append(one)
    return found


def duration_of(text: str) -> Duration | None:
    """The one that the text is about: it names no other."""
    found = durations(text)
    return found[0] if len(found) == 1 else None


def _single(plain: str) -> Iterator[Duration]:
    for match in _PATTERN.finditer(plain):
        amount = _amount(match)
        if amount is not None:
            yield Duration(match.start(), match.end(), *amount)


def _amount(match: re.Match[str]) -> tuple[str, Fraction] | None:
    if (unit := match["zh_unit"]) is not None:
        return _zh(match, unit)
    if (unit := match["en_unit"]) is not None:
        return _en(match, unit)
    for tongue in ("", "zh_"):
        if match[f"{tongue}hours"]:
            return "s", Fraction(int(match[f"{tongue}hours"]) * 3600 + int(match[f"{tongue}minutes"]) * 60)
    parts = [(match[key], _SECONDS[key]) for key in "dhms" if match[key]]
    return ("s", Fraction(sum(int(number) * seconds for number, seconds in parts))) if parts else None


def _zh(match: re.Match[str], unit: str) -> tuple[str, Fraction] | None:
    if not match["zh"] and not match["zh_half"]:
        return None
    number = number_of(match["zh"]) if match["zh"] else 0
    if number is None:
        return None
    amount = Fraction(str(number)) + (Fraction(1, 2) if match["zh_half"] or match["zh_more"] else 0)
    return _of("个月" if unit == "月" else unit, amount)


def _of(unit: str, amount: Fraction) -> tuple[str, Fraction]:
    short = _ZH_UNITS[unit]
    match short:
        case "q":
            return "s", amount * 900
        case "Y":
            return "M", amount * 12
        case "M" | "b":
            return short, amount
    return "s", amount * _SECONDS[short]


def _en(match: re.Match[str], unit: str) -> tuple[str, Fraction] | None:
    number, word = match["en"], match["word"]
    if number is not None:
        amount = Fraction(number.replace(",", "."))
    elif " and a half" in word:
        amount = Fraction(_EN_WORDS[word.split()[0]]) + Fraction(1, 2)
    elif "half" in word:
        amount = Fraction(1, 2)
    else:
        amount = Fraction(_EN_WORDS[word])
    if unit.startswith("mo"):
        return "M", amount
    short = _EN_UNITS[unit[0]]
    if match["business"]:
        return ("b", amount) if short == "d" else None
    return ("M", amount * 12) if short == "Y" else ("s", amount * _SECONDS[short])
