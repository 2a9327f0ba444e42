"""Whether a text can name a period at all, told in microseconds: most texts do not."""

from __future__ import annotations

import re

import re2

# Single characters, which Python's own expressions search in linear time. Every Chinese expression has one of these.
_CHARACTERS = re.compile(
    r"[天日号號周週月季年节節旬星礼禮儿兒旦夕阳陽午秋冬夏春清惊驚芒暑露降寒圣聖夜腊臘五双雙十假历曆歷Ａ-Ｚａ-ｚ０-９]"
)
_CHINESE = (
    r"[天日号號周週月季年节節旬]|星期|礼拜|禮拜|[昨今前明][儿兒]|元旦|除夕|七夕|重[阳陽]|端午|中秋|清明|冬至|夏至|立[春夏秋冬]|[春秋]分|"
    r"惊蛰|驚蟄|芒[种種]|[小大处處]暑|寒露|霜降|[小大]寒|[圣聖][诞誕]|平安夜|[腊臘]八|五一|"
    r"[双雙](?:十[一二]|1[12]|１[１２])|(?:十一|[国國][庆慶]|五一|新年|中秋|端午|清明)(?:假|法定|小?[长長]假|放|黄金)|[农農阴陰][历曆歷]"
)
_ENGLISH = (
    r"day|tomorrow|week|month|quarter|year|half|\bago\b|\b[ymqw]td\b|fiscal|lunar|festival|solstice|holiday|christmas|"
    r"halloween|qingming|qixi|chongyang|\bdouble (?:1|eleven|twelve)|\bbreak|vacation|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|tues|wed|thu|thurs|fri|sat|sun)\b|"
    r"january|february|march|april|june|july|august|september|october|november|december|\b(?:19|20)[0-9]{2}\b"
)
_BOTH = (
    r"[qｑ][1-4１-４]|[hw][0-9]|[ｈｗ][0-9０-９]|\bfy|ｆｙ|[12１２][0-9０-９]{3}[-/.－／．0-9０-９]|[0-9０-９][/／][0-9０-９]|"
    r"618|６１８|[0-9０-９] ?[-–~至到] ?[0-9０-９]"
)


def _set(*patterns: str) -> re2.Set:
    words = re2.Set.SearchSet()
    for pattern in patterns:
        words.Add("(?i)" + pattern)
    words.Compile()
    return words


_LATIN = _set(f"{_ENGLISH}|{_BOTH}")
_EACH = _set(_ENGLISH, _BOTH, _CHINESE)


def languages(text: str) -> tuple[bool, bool]:
    """Whether Chinese and whether English expressions can be in it. Ideographs are three bytes of UTF-8 each: where none
    tells of time, one question mark stands for each."""
    if _CHARACTERS.search(text) is None and not _LATIN.Match(text.encode("ascii", "replace")):
        return False, False
    woken = _EACH.Match(text.encode("utf-8", "replace")) or ()
    return 1 in woken or 2 in woken, 0 in woken or 1 in woken
