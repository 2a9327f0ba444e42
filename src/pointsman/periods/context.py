"""What stands around an expression and makes it no period: a question about the word, a deadline, the number of a thing."""

from __future__ import annotations

import re2

_NEAR = 40
_CLAUSE_END = re2.compile(r"[，。；;！!？?\n]")
_TERM_ZH = re2.compile(
    r"是什么意思|什么意思|是啥意思|啥意思|的含义|的意思|怎么理解|如何理解|怎么翻译|怎么读|怎么念|怎么拼|代表什么|指的?是?什么|"
    r"什么叫做?|何谓|什么是|啥是|啥叫|用英[文语]怎么|用中文怎么|的定义|怎么定义|这个词|一词|缩写"
)
_TERM_EN = re2.compile(
    r"\bwhat (?:does|do|did|would)\b.{0,40}\b(?:mean|stand for|refer to)\b|\bmeaning of\b|\bdefin(?:e|ition)\b|"
    r"\bhow (?:do|would|can) (?:you|i) (?:say|spell|pronounce|write)\b|\bwhat(?:'s| is) the (?:term|word|difference|abbreviation)\b|"
    r"\bstands? for\b|\bthe (?:term|word|phrase|abbreviation|acronym)\b|\btranslate the\b|\babbreviation (?:of|for)\b"
)
_IS_IT = re2.compile(r"^[\"'”」』）)]? ?(?:到底|究竟)?(?:是|算|叫)(?:什么|啥)[\s?？。!]*$")
_WHAT_IS = re2.compile(r"\bwhat(?:'s| is| are)(?: an?)? [\"'“]?$")
_END = re2.compile(r"^[\"'”]?[\s?.!]*$")
_OPEN_AFTER = re2.compile(
    r"^ (?:on|onwards?|forward)\b|^ ?(?:当天|那天)?(?:(?:到|至)(?:国庆(?:$|[^节假长])|十一(?:$|[^月假长])|月[初底末]|年[初底末]|季[初末]|月中)|为止|之前|以前|之后|以后|及以后|及以前|起(?:$|[，,的])|开始(?:$|[，,的])|(?:前|后)(?:$|[的，,。；;\s!！?？完提交发给要到必得]))"
)
_OPEN_BEFORE = re2.compile(
    r"(?:\b(?:until|till|before|by|after|prior to|up to|no later than|as of|ahead of|following|beyond|not later than)(?: the)? |"
    r"(?:截止到?|截至|不晚于|不早于|早于|晚于))$"
)
_TILL = re2.compile(r"(?:^|[^\p{Han}]|[^看得做拿收找提想谈说知感达送寄回来去赶报签见听接遇用放推延移改调提])(?:到|至)$")
_NUMBER_OF = re2.compile(
    r"(?:\b(?:version|ver|v|release|python|build|sku|id|no|isbn|ip|model|room|ticket|order|issue|invoice|serial|phone|price of|total of|"
    r"sum of|cost of|count of|node|java|php|ubuntu|django|v\.)\.?|版本号?|型号|编号|单号|订单号?|房间|电话|号码|工单|发票号?|流水号|代码)[ :：#]{0,2}$"
)


def is_asked_about(folded: str, start: int, end: int) -> bool:
    """Q1 是什么意思, what does YTD mean, 什么是Q1: the clause is about the word."""
    before, after = folded[max(0, start - _NEAR) : start], folded[end : end + _NEAR]
    if _IS_IT.search(after) or (_WHAT_IS.search(before) and _END.search(after)):
        return True
    begins = [match.end() for match in _CLAUSE_END.finditer(before)]
    ends = _CLAUSE_END.search(after)
    clause = before[begins[-1] if begins else 0 :] + folded[start:end] + after[: ends.start() if ends else len(after)]
    return bool(_TERM_ZH.search(clause) or _TERM_EN.search(clause))


def is_open(folded: str, start: int, end: int) -> bool:
    """到上月为止, until last month, before May: one end is not said."""
    before = folded[max(0, start - 24) : start]
    return bool(_OPEN_AFTER.search(folded[end : end + 8]) or _OPEN_BEFORE.search(before) or _TILL.search(before))


def is_some_number(folded: str, start: int) -> bool:
    """单号20240503, version 2024.5.3."""
    return _NUMBER_OF.search(folded[max(0, start - 16) : start]) is not None


_CUT_OFF = re2.compile(r"(?:上|下|去|这|這|本|大|(?:^|[^之以目提])前)[ \t\n　]+$")
_GOES_ON = re2.compile(r"^[ \t\n　]+[一二三四五六日天](?:$|[^个個天日月年点點种種次份张張家位条條])")


def is_torn(folded: str, start: int, end: int) -> bool:
    """Whether white space parts the expression from a character that would make another one of it: 上 周五, 上周 五."""
    if _CUT_OFF.search(folded[max(0, start - 8) : start]):
        return True
    return folded[end - 1 : end] in ("周", "期", "拜") and _GOES_ON.search(folded[end : end + 4]) is not None
