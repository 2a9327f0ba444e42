"""Negation: "不要导出昨天的报表PDF" and "don't export the report" ask for the opposite of what their keywords say.

The rule, in one paragraph. A negator (不要, 别, 无需, 禁止, don't, never, without, …) negates a term that begins close
behind it in the same clause: within eight units, where an ideograph is one and a spaced word two, and no clause
mark or turning word (而是, 但, instead, …) stands between. The plain 不, 没, 未, no, and verbs of ending (取消, 停止,
cancel, …) negate only what follows at once, apart from fillers (不能再自动…, "no more …"). No negation is: a word that
only contains the character (特别, 分别, 区别); an A-not-A question (能不能, 要不要); a double one (不得不, 不能不,
不要停止); a suggestion (为什么不, 何不, "why not", "why don't you"); a negator whose own verb is another one (别忘了,
不用担心, "don't forget to", "not only", "without delay"); a negator inside a term of the rule itself (the term
"无法登录"). A text that closes by taking back (…，算了 / 不用了 / never mind) is negated as a whole. One negated
occurrence of any term is enough, also where another occurrence is free ("先别导出，等我确认再导出"). Where it is in
doubt the rule misses, because a miss only costs a model call.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import ahocorasick_rs
import re2

from pointsman.rules.fold import Folded

_REACH = 8
_LOOK = 64
_FAR_ZH = """
不要 不用 不必 不需要 不需 无需 无须 毋需 毋须 不须 没必要 没有必要 没让你 没叫你 没要你 没让您 没叫您 没要您 勿
禁止 严禁 不许 不准 不得 不可 不可以 不能 不想 不打算 不允许 不希望 不建议 不应 不应该 不该 不再 不愿 不愿意 用不着
犯不着 无法 先不 暂不 暂时不 甭 别
""".split()  # noqa: SIM905 - a list of words reads better than a list of quotes
_NEAR_ZH = ["不", "没", "没有", "未", "取消", "停止", "终止", "暂停", "撤销", "拒绝", "避免", "放弃"]
_FAR_EN = """
don't dont doesn't doesnt didn't didnt can't cant cannot couldn't won't wont wouldn't shouldn't shouldnt mustn't
needn't isn't aren't wasn't haven't hasn't not never without nor
""".split()  # noqa: SIM905
_NEAR_EN = ["no", "stop", "cancel", "abort", "avoid", "skip", "except", "excluding"]
_FAR_EN += ["instead of", "rather than"]
_NEGATORS = [*_FAR_ZH, *_NEAR_ZH, *_FAR_EN, *_NEAR_EN]
_FAR = frozenset((*_FAR_ZH, *_FAR_EN))
_FINDER = ahocorasick_rs.AhoCorasick(_NEGATORS, matchkind=ahocorasick_rs.MATCHKIND_LEFTMOST_LONGEST)

# What may stand between a near negator and what it negates.
_SKIP: Any = re2.compile(
    "(?:再|能够?|会|想要?|打算|准备|给我|帮我|替我|给|帮|去|把|将|让|自动|直接|马上|立[即刻]|重新|继续|现在|擅自|随便|单独"
    "|应该?|该|可以|可|敢|愿意|愿|希望|支持|允许|需要|需|建议|法|办法|成功| )*"
    r"(?: |\b(?:the|a|an|any|my|this|that|these|of|more|all|your|our|doing|to|longer)\b)*"
)
# What may stand right behind a negator that then governs another verb.
_OTHER_ZH = (
    "忘", "漏", "错过", "落下", "担心", "客气", "谢", "紧", "犹豫", "停", "光", "只", "仅", "单", "但", "等",
    "介意", "了", "已", "靠", "思议", "避免", "用性", "信", "逆", "控", "怕", "着急", "管", "理会",
)  # fmt: skip
_OTHER_EN = (
    "forget", "hesitate", "fail", "wait", "worry", "mind", "miss", "only", "just", "merely", "simply", "to mention",
    "you ", "delay", "doubt", "a doubt", "further", "exception",
)  # fmt: skip
_HOLDS_BIE = frozenset("特分级区类性个告识辨离派差鉴判送久甄道永拜诀阔惜")
_BIE_HOLDS = frozenset("人的处名墅致扭样具称号家业论")
_BEFORE_BUDE = frozenset("巴恨舍怪免由")
_SUGGESTS = ("为什么", "为何", "何", "干嘛", "要")
_DOUBLES = frozenset(("不得", "不能", "不可", "不应", "不该"))
_TURNS = (
    "而是",
    "但",
    "然后",
    "所以",
    "因此",
    "只要",
    "请",
    "改成",
    "改为",
    "换成",
    "不过",
    "but ",
    "instead",
    "then ",
)
_MARKS = frozenset(",;:!?。\n")
_HOLDS_QING = "假求客教柬示问帖"  # 请假 begins no new clause
_TAKING = ("了", "mind", "forget", "cancel")
_TAKEN_BACK: Any = re2.compile(
    r"(?:(?:算|不用|不要|不需要|不必)了(?:吧|啊|哈|哦|谢谢|谢了|多谢|你|您)*"
    r"|\bnever ?mind|\bforget (?:it|that)|\bcancel that)[\s,.!。~]*(?:谢谢|thanks|thank you)?[\s,.!。~]*$"
)


class Scope(NamedTuple):
    """A negator at [start, end) of the folded text negates what begins behind `start` and before `reach`."""

    start: int
    end: int
    reach: int


def negated(folded: Folded, places: Sequence[tuple[int, int]]) -> bool:
    """Whether a term of a rule is negated, given all occurrences of all its terms in `folded`, sorted."""
    if not places:
        return False
    if taken_back(folded):
        return True
    starts: list[int] = []
    ends: list[int] = []  # the furthest end of what begins up to there
    for start, end, word in _negators(folded):
        if not starts:
            starts = [first for first, _ in places]
            ends = list(accumulate((last for _, last in places), max))
        after = bisect_right(starts, start)  # 要导出 in 不要导出 begins inside the negator, and is negated
        if after == len(starts):
            return False
        if starts[after] >= end + _LOOK or starts[after] >= _reach(folded, start, end, word):
            continue
        if not after or ends[after - 1] < end:  # else the negator stands inside a term
            return True
    return False


def scopes(folded: Folded) -> tuple[Scope, ...]:
    """All scopes of negation in a text, in order."""
    found = [Scope(start, end, _reach(folded, start, end, word)) for start, end, word in _negators(folded)]
    return tuple(scope for scope in found if scope.reach > scope.end)


def taken_back(folded: Folded) -> bool:
    """Whether the text closes by withdrawing what it asked ("…，算了", "… never mind")."""
    tail = folded.text[-_LOOK:]
    return any(word in tail for word in _TAKING) and _TAKEN_BACK.search(tail) is not None


def _negators(folded: Folded) -> Iterator[tuple[int, int, str]]:
    words, length = folded.words, len(folded.text)
    last = -1
    for number, start, end in _FINDER.find_matches_as_indexes(folded.text):
        word = _NEGATORS[number]
        if word.isascii():
            if (start and words[start - 1] != " ") or (end < length and words[end] != " "):
                continue
        elif start == last and word not in _FAR:
            continue  # 不要停止…, 不能不…: twice is not at all
        if word in _FAR:
            last = end
        yield start, end, word


def _reach(folded: Folded, start: int, end: int, word: str) -> int:
    """Up to which place a term may begin to be governed by the negator; `end` where it governs nothing of ours."""
    text = folded.text
    if _harmless(text, start, end, word):
        return end
    if word in _FAR or (word == "no" and text.startswith(" need", end)):
        return _far(folded, end)
    return end + len(_SKIP.match(text[end : end + _LOOK]).group()) + 1


def _harmless(text: str, start: int, end: int, word: str) -> bool:
    before = text[start - 1] if start else ""
    after = text[end] if end < len(text) else ""
    rest = text[end : end + _LOOK]
    if word == "别" and (before in _HOLDS_BIE or after in _BIE_HOLDS):
        return True
    if word[0] == "不":
        if before and before == text[start + 1 : start + 2]:
            return True  # 能不能, 要不要
        if word == "不" and text[max(0, start - 3) : start].endswith(_SUGGESTS):
            return True
        if word in _DOUBLES and after == "不":
            return True
        if word == "不得" and before in _BEFORE_BUDE:
            return True
    if word.isascii():
        ahead = text[max(0, start - 8) : start]
        if word == "not" and ahead.endswith(("why ", "or ")):
            return True
        if word in ("don't", "dont") and ahead.endswith("why ") and rest.startswith((" you", " we")):
            return True
    return rest.startswith(_OTHER_ZH) or (rest[:1] == " " and rest.lstrip().startswith(_OTHER_EN))


def _far(folded: Folded, end: int) -> int:
    text, words = folded.text, folded.words
    used = 0
    place = end
    limit = min(len(text), end + _LOOK)
    while place < limit:
        character = text[place]
        if character in _MARKS or (character == "." and not words[place + 1 : place + 2].strip()):
            break
        if words[place] != " ":
            if place == end or words[place - 1] == " ":
                used += 2
        elif character != " ":
            used += 1
        if used > _REACH + 1:
            break
        place += 1
    span = text[end:place]
    for turn in _TURNS:
        cut = span.find(turn)
        while turn == "请" and cut >= 0 and span[cut + 1 : cut + 2] and span[cut + 1] in _HOLDS_QING:
            cut = span.find(turn, cut + 1)
        if cut >= 0:
            span = span[:cut]
    return end + len(span)
