"""English expressions. Text comes folded: half width, lower case; `original` tells May from may."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from pointsman.periods import en_named, en_near
from pointsman.periods.frame import Frame
from pointsman.periods.point import Point
from pointsman.periods.zh_named import slashed

_COMPILED = [
    (name, re2.compile(r"\b(?:" + pattern + r")\b"), build)
    for patterns, builders in ((en_near.PATTERNS, en_near.BUILD), (en_named.PATTERNS, en_named.BUILD))
    for name, pattern in patterns.items()
    for build in (builders[name],)
]
SINCE = re2.compile(r"(?:\bsince|\bever since)(?: the)?\s*$")
TO_NOW = re2.compile(r"^ (?:to|until|till|through|up to|-) (?:now|date|the present|present)\b")
LINK = re2.compile(r"^\s*(?:,? ?(?:to|until|till|through|thru|and|up to|-|–|—|~))(?: the)?\s*$")
BETWEEN = re2.compile(r"\bbetween(?: the)?\s*$")
_LINK_WORD = re2.compile(
    r"(?i)^ ?(?:to|until|till|through|thru|and|or|-|–)\s?(?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)\b"
)
_PREPOSITION = re2.compile(
    r"(?:\b(?:in|for|of|during|since|from|to|through|until|till|by|last|next|this|and|between|on|over)|[-–~(,])\s*$"
)
_FULL_DATE = re2.compile(r"\b(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})/(?P<year>20[0-9]{2})\b")
_MONTH_DAY = re2.compile(r"\b(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})\b")
_DATED = re2.compile(r"(?:\b(?:on|from|since|for|to|until|till|through|dated|and|between|of)|[-–~])\s*$")
_LETTER = re2.compile(r"[a-z]")
_SUM = re2.compile(r"[+*×÷=^]")
_BEFORE_DATE = re2.compile(r"(?:从|自|在|于|期|到|至|[-~和、]) ?$")
_AFTER_DATE = re2.compile(
    r"^ ?(?:$|[-~]|到|至|和|、|当天|那天|早|晚|上午|下午|的?(?:销售|数据|报表|订单|业绩|日报|流水|记录|会|明细|汇总))"
)
_NEAR = 32  # characters beside an expression that tell what it is


def points(text: str, frame: Frame, original: str, *, words: bool) -> Iterator[Point]:
    """Every expression found, overlapping ones too; without `words` only those of digits and slashes."""
    for name, pattern, build in _COMPILED if words else ():
        for match in pattern.finditer(text):
            start, end = match.span()
            after = text[end : end + 2]
            if after[:1] == "-" and (after[1:].isalpha() or (name in ("year", "year_of") and after[1:].isdigit())):
                continue
            found = {key: value for key, value in match.groupdict().items() if value}
            if "month" in found and not _is_month(found, text, original, start, text.index(found["month"], start)):
                continue
            if name == "year":
                start = text.index(found["year"], start)
            point = build(found, start, end, frame)
            if point is not None:
                yield point
    yield from _slashes(text)


def _slashes(text: str) -> Iterator[Point]:
    """03/04/2024 has two readings. Without a year 5/3 is read in Chinese (the month first), or where one reading exists
    and a preposition stands before it: else it may be five thirds."""
    for match in _FULL_DATE.finditer(text):
        start, end = match.span()
        point = slashed(start, end, int(match["a"]), int(match["b"]), int(match["year"]))
        if point is not None:
            yield point
    chinese = None
    if _SUM.search(text):
        return
    for match in _MONTH_DAY.finditer(text):
        start, end = match.span()
        if text[start - 1 : start] in ("/", ".") or text[end : end + 1] in ("/", "%"):
            continue
        a, b = int(match["a"]), int(match["b"])
        if chinese is None:
            chinese = not _LETTER.search(text) or any("\u4e00" <= c <= "\u9fff" for c in text)
        if not chinese:
            if not _DATED.search(text[max(0, start - _NEAR) : start]) or (a <= 12) == (b <= 12):
                continue
            a, b = (a, b) if a <= 12 else (b, a)
        elif a < b <= 10 and not _dated_zh(text, start, end):
            continue
        if 1 <= a <= 12 and 1 <= b <= 31:
            yield Point(start, end, month=a, day=b, numeric=True)


def _dated_zh(text: str, start: int, end: int) -> bool:
    """Whether 3/4 stands where a date does; it may be three quarters."""
    return bool(_BEFORE_DATE.search(text[max(0, start - 4) : start]) or _AFTER_DATE.search(text[end : end + 4]))


def _is_month(found: dict[str, str], text: str, original: str, start: int, at: int) -> bool:
    """`may` and `march` (and mar, sun-like short words) are months where a date says so, a preposition stands before
    them, or they are written with a capital at the end of what is said."""
    if found["month"] not in ("may", "march", "mar", "dec", "sep", "jan", "jun"):
        return True
    if any(name in found for name in ("day", "year", "rel", "short", "owner", "before")):
        return True
    if not original[at : at + 1].isupper():
        return False
    if _PREPOSITION.search(text[max(0, at - _NEAR) : at]):
        return True
    after = original[at + len(found["month"]) :][:_NEAR].lstrip(".")
    if _LINK_WORD.search(after):
        return True
    return not after.strip() or after.startswith("'s ") or (after[:1] == " " and not after[1:2].isupper() and start > 0)
