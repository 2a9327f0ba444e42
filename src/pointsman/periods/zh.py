"""Chinese expressions, and dates in digits. Text comes folded: half width, lower case, simplified characters."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from pointsman.periods import zh_named, zh_near
from pointsman.periods.frame import Frame
from pointsman.periods.point import Point

_COMPILED = [
    (name, re2.compile(pattern), build)
    for patterns, builders in ((zh_near.PATTERNS, zh_near.BUILD), (zh_named.PATTERNS, zh_named.BUILD))
    for name, pattern in patterns.items()
    for build in (builders[name],)
]
_DIGITS = [entry for entry in _COMPILED if entry[0] in ("short", "iso", "iso_month", "compact", "iso_week")]
SINCE = re2.compile(r"^(?:以来|至今|起至今|到今天|到现在|到目前为止|到今日)")
LINK = re2.compile(r"^\s*(?:到|至|~|～|-|—|–|——|－)\s*$")
_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万几多数半")
_SECOND = ("iso", "parts", "day_only", "day_number", "year", "compact", "iso_month")  # may end a range after a dash
_COUNTING = ("ago", "weekday", "previous", "week_number", "first_of", "day_number")


def points(text: str, frame: Frame, *, words: bool) -> Iterator[Point]:
    """Every expression found, overlapping ones too; without `words` only dates in digits."""
    for name, pattern, build in _COMPILED if words else _DIGITS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not _stands_alone(text, start, end, name):
                continue
            found = {key: value for key, value in match.groupdict().items() if value}
            point = build(found, start, end, frame, text[end : end + 4])
            if point is not None:
                yield point


def _stands_alone(text: str, start: int, end: int, name: str) -> bool:
    """Not a piece of a longer number or word: 15月, iq1, 一周年, 五月天."""
    before, after = text[start - 1 : start], text[end : end + 2]
    first, last = text[start], text[end - 1]
    if first.isdigit() and not _begins_a_number(text, start, name):
        return False
    if name in ("iso", "iso_month") and _goes_on(text, end):
        return False
    if first.isascii() and first.isalnum() and before.isascii() and before.isalpha():
        return False
    if first in "qhwf" and before.isdigit():
        return False
    if last.isdigit() and (
        after[:1].isdigit() or (after[:1] == "." and after[1:].isdigit()) or after[:1] in ("月", "%")
    ):
        return False
    if last == "年" and after[:1].isdigit() and name == "year":
        return False  # a month that there is not; where there is one, the longer expression holds
    if last.isascii() and last.isalnum() and after[:1].isascii() and after[:1].isalpha() and not _hour(name, after):
        return False
    if (
        last in "周月年"
        and after[:1] in ("年", "刊", "饼", "嫂", "期", "球", "亮", "台")
        and after not in ("年会", "期间")
    ):
        return False
    if (first in _NUMERALS or name in _COUNTING) and before and before in _NUMERALS:
        return False
    if name == "weekday" and (before.isdigit() or before in ("每", "第", "个", "双", "单")):
        return False
    if name in ("ago", "previous") and before and before in "第每-~至到、目以当提从生面大":
        return False
    if name == "recent" and before and before in "将接靠附临逼贴远亲邻":
        return False
    return not (last == "季" and after[:1] in ("节", "风", "后"))


def _begins_a_number(text: str, start: int, name: str) -> bool:
    """Whether digits are the first of theirs: not in 15月, 192.168.2024.1.5, /2024/05/03, report-2024-05.pdf."""
    before, earlier = text[start - 1 : start], text[start - 2 : start - 1] if start > 1 else ""
    if before.isdigit():
        return False
    if before in ("/", "."):
        return not (earlier == "/" or (earlier.isascii() and earlier.isalnum()))
    if before == "-":
        return not (earlier.isascii() and earlier.isalpha()) and (not earlier.isdigit() or name in _SECOND)
    return True


def _goes_on(text: str, end: int) -> bool:
    """2024-05-03.log, and the 2024-05 of 2024-05-99; 2024-05-2024-08 are two."""
    after = text[end : end + 5]
    if after[:1] == "." and after[1:2].isascii() and after[1:2].isalpha():
        return True
    return after[:1] in ("-", "/") and after[1:2].isdigit() and not (len(after) == 5 and after[1:].isdigit())


def _hour(name: str, after: str) -> bool:
    """2024-05-03T10:00."""
    return name == "iso" and after[:1] == "t" and after[1:].isdigit()
