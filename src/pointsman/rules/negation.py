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

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import ahocorasick_rs
import re2

from pointsman.rules.characters import is_word, word_after, word_before
from pointsman.rules.fold import Folded

_REACH = 8
_LOOK = 64
_NEVER = sys.maxsize
_NOWHERE = (_NEVER, _NEVER)
_FAR_ZH = """
不要 不用 不必 不需要 不需 无需 无须 毋需 毋须 不须 没必要 没有必要 没让你 没叫你 没要你 没让您 没叫您 没要您 勿
不是让你 不是叫你 不是要你 不是让您 不是叫您 不是要您
禁止 严禁 不许 不准 不得 不可 不可以 不能 不想 不打算 不允许 不希望 不建议 不应 不应该 不该 不再 不愿 不愿意 用不着
犯不着 无法 先不 暂不 暂时不 甭 别
""".split()  # noqa: SIM905 - a list of words reads better than a list of quotes
_NEAR_ZH = ["不", "没", "没有", "未", "取消", "停止", "终止", "暂停", "撤销", "拒绝", "避免", "放弃"]
_FAR_EN = """
don't dont doesn't doesnt didn't didnt can't cant cannot couldn't won't wont wouldn't shouldn't shouldnt mustn't
needn't isn't aren't wasn't haven't hasn't not never without nor
""".split()  # noqa: SIM905
_NEAR_EN = ["no", "stop", "cancel", "abort", "avoid", "skip", "except", "excluding"]
_FAR_EN += ["instead of", "rather than", "refuse to", "refuses to", "refused to"]
_NEGATORS = [*_FAR_ZH, *_NEAR_ZH, *_FAR_EN, *_NEAR_EN]
_FAR = frozenset((*_FAR_ZH, *_FAR_EN))
_FINDER = ahocorasick_rs.BytesAhoCorasick(
    [word.encode() for word in _NEGATORS], matchkind=ahocorasick_rs.MatchKind.LeftmostLongest
)
_LONGEST = max(len(word.encode()) for word in _NEGATORS)
_WINDOW = 1 << 14

# What may stand between a near negator and what it negates.
_FILLERS_ZH = """
再 能够 能 会 想要 想 打算 准备 给我 帮我 替我 给 帮 去 把 将 让 自动 直接 马上 立即 立刻 重新 继续 现在 擅自 随便 单独
应该 应 该 可以 可 敢 愿意 愿 希望 支持 允许 需要 需 建议 法 办法 成功
""".split()  # noqa: SIM905
_FILLERS_EN = "the a an any my this that these of more all your our doing to longer".split()  # noqa: SIM905
_SKIP: Any = re2.compile(rf"(?:{'|'.join(_FILLERS_ZH)}| )*(?: |\b(?:{'|'.join(_FILLERS_EN)})\b)*")
_FILLS = frozenset(filler[0] for filler in (*_FILLERS_ZH, *_FILLERS_EN, " "))
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
_TAKING = ("了", "mind", "forget", "cancel", "必要", " no")
_TAKEN_BACK: Any = re2.compile(
    r"(?:(?:算|不用|不要|不需要|不必)了(?:吧|啊|哈|哦|谢谢|谢了|多谢|你|您)*"
    r"|没有?(?:什么|这个)?必要(?:的|吧|啊)*|[?,;] ?no(?:pe| thanks| thank you)?"
    r"|\bnever ?mind|\bforget (?:it|that)|\bcancel that)[\s,.!。~]*(?:谢谢|thanks|thank you)?[\s,.!。~]*$"
)


Found = Sequence[tuple[int, int, int]]  # negators in the data of a text: number, start, end


class Scope(NamedTuple):
    """A negator at [start, end) of the folded text negates what begins behind `start` and before `reach`."""

    start: int
    end: int
    reach: int


def negators(folded: Folded) -> Found:
    """All negators from left to right, the longest at each place; a long text is searched piece by piece."""
    data = folded.data
    if len(data) <= _WINDOW:
        return _FINDER.find_matches_as_indexes(data)
    found: list[tuple[int, int, int]] = []
    start = after = 0
    while start < len(data):
        stop = start + _WINDOW
        for number, first, last in _FINDER.find_matches_as_indexes(data[start : stop + _LONGEST]):
            if start + first >= stop:
                break
            after = start + last
            found.append((number, start + first, after))
        start = max(stop, after)
    return found


def negated(folded: Folded, found: Found, places: Iterable[Iterator[tuple[int, int]]]) -> bool:
    """Whether one of the negators that were found governs a place of a term; `places` has those of each term, in
    order. Stops at the first that does."""
    terms = [_Places(term) for term in places]
    for start, end, word in _standing(folded, found):
        for term in terms:
            term.pass_by(start)  # 要导出 in 不要导出 begins inside the negator, and is negated
        ahead = min([term.start for term in terms])
        if ahead == _NEVER:
            return False
        gap = ahead - end
        if gap >= _LOOK or (gap > 0 and word not in _FAR and folded.text[end] not in _FILLS):
            continue  # most of them; the rest decides the same, only slower
        if ahead >= _reach(folded, start, end, word):
            continue
        if all(term.passed < end for term in terms):  # else the negator stands inside a term
            return True
    return False


class _Places:
    """The places of one term on the way through a text: where the next one starts, where the last one ended."""

    __slots__ = ("_end", "_rest", "passed", "start")

    def __init__(self, places: Iterator[tuple[int, int]]) -> None:
        self._rest = places
        self.passed = 0
        self.start, self._end = next(places, _NOWHERE)

    def pass_by(self, place: int) -> None:
        """Go on until the next one starts behind `place`."""
        while self.start <= place:
            self.passed = self._end
            self.start, self._end = next(self._rest, _NOWHERE)


def scopes(folded: Folded) -> tuple[Scope, ...]:
    """All scopes of negation in a text, in order."""
    standing = _standing(folded, negators(folded))
    found = [Scope(start, end, _reach(folded, start, end, word)) for start, end, word in standing]
    return tuple(scope for scope in found if scope.reach > scope.end)


def taken_back(folded: Folded) -> bool:
    """Whether the text closes by withdrawing what it asked ("…，算了", "… never mind")."""
    tail = folded.text[-_LOOK:]
    for word in _TAKING:
        if word in tail:
            return _TAKEN_BACK.search(tail) is not None
    return False


def _standing(folded: Folded, found: Found) -> Iterator[tuple[int, int, str]]:
    """The negators that are words of their own, with their places in characters."""
    text, data = folded.text, folded.data
    ascii_only = len(text) == len(data)
    last = -1
    begin = done = 0  # the place of the negator in characters, and how much of the data that counts
    for number, start, end in found:
        word = _NEGATORS[number]
        spaced = end - start == len(word)
        if spaced and (word_before(data, start) or word_after(data, end)):
            continue
        begin += start - done if ascii_only else len(data[done:start].decode())
        done = start
        far = word in _FAR
        if begin == last and not far and not spaced:
            continue  # 不要停止…, 不能不…: twice is not at all
        if far:
            last = begin + len(word)
        yield begin, begin + len(word), word


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
    text = folded.text
    used = 0
    place = end
    limit = min(len(text), end + _LOOK)
    while place < limit:
        character = text[place]
        if character in _MARKS or (character == "." and not is_word(text[place + 1 : place + 2])):
            break
        if is_word(character):
            if place == end or not is_word(text[place - 1]):
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
