"""前10名门店, top 10 stores by profit, 按利润排名: how many groups are wanted, and what they are ordered by."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
import re2

from pointsman.planning.words import Remaining

_WORDS = {word: number for number, word in enumerate("一二三四五六七八九十", 1)} | {
    "两": 2,
    "十五": 15,
    "二十": 20,
    "三十": 30,
    "五十": 50,
    "百": 100,
    "一百": 100,
    "three": 3,
    "five": 5,
    "ten": 10,
    "fifteen": 15,
    "twenty": 20,
    "fifty": 50,
}
_NUMBER = r"([0-9]{1,4}|十五|二十|三十|五十|一百|[一二两三四五六七八九十百]|three|five|ten|fifteen|twenty|fifty)"
_COUNTED = r"(?:名|个|家|位|条|款|大|强|项|种)?"
_TOP = tuple(
    re2.compile(pattern)
    for pattern in (
        rf"(?:只要|只看|只取|仅要|仅看|取|看)?(?:排名|排行|排)?(?:在)?(?:前|\btop ?){_NUMBER}{_COUNTED}(?:的)?",
        rf"最(?:高|多|大|好|佳)的?前?{_NUMBER}{_COUNTED}(?:的)?",
        rf"\b(?:only |just )?(?:the )?(?:top|best|largest|biggest|highest)(?:[- ](?:selling|performing))?[ -]?{_NUMBER}\b",
        rf"\b(?:only |just )?(?:the )?{_NUMBER} (?:top|best|largest|biggest|highest)(?:[- ](?:selling|performing))?\b",
    )
)
_NOT_AFTER = re2.compile(r"^(?:天|日|周|月|季|年|期|半|小时|分|号|%|[0-9.])")  # 前3个月 and the like are periods
_ORDER = re2.compile(
    r"(?:并|且)?(?:按|由)?(?:从高到低|由高到低|从大到小|由大到小)(?:排名|排列|排序|排)?|(?:降序|倒序)(?:排名|排列|排序)?|"
    r"排名|排行榜?|排序|\b(?:ranked|rankings?|sorted|ordered|leaderboard|in descending order|descending)\b"
)
_MOST = 1000


class Ranking(msgspec.Struct, frozen=True):
    """`top`: so many groups; `ordered`: from the largest; `by`: the word of the measure, folded, or None."""

    top: int | None = None
    ordered: bool = False
    by: str | None = None


def take_ranking(remaining: Remaining, measures: Collection[str]) -> Ranking:
    """Strikes the words of a ranking, not those of the measure in it. `measures` are words for measures, folded. Nothing is
    struck of what has two readings (two numbers, or more than 1,000)."""
    spans: list[tuple[int, int]] = []
    numbers: set[int] = set()
    for pattern in _TOP:
        for match in pattern.finditer(remaining.left):
            number = _WORDS.get(match[1]) or (int(match[1]) if match[1].isdigit() else 0)
            taken = any(match.start() < end and start < match.end() for start, end in spans)
            if taken or not 1 <= number <= _MOST or _NOT_AFTER.search(remaining.text[match.end() :]):
                continue
            numbers.add(number)
            spans.append(match.span())
    if len(numbers) > 1:
        return Ranking()
    ordered = [match.span() for match in _ORDER.finditer(remaining.left)]
    by = None
    for start, end in [*spans, *ordered]:
        by = by or _measure_before(remaining.text[:start], measures)
        remaining.strike(start, end)
    by = by or _measure_after_by(remaining, measures, said=bool(spans or ordered))
    return Ranking(next(iter(numbers), None), bool(spans or ordered or by), by)


def _measure_before(text: str, measures: Collection[str]) -> str | None:
    """利润前10, 利润最高的10家, 按利润排名."""
    head = text.rstrip(" ").removesuffix("的")
    fit = [word for word in measures if word and head.endswith(word) and not word.isascii()]
    return max(fit, key=len, default=None)


def _measure_after_by(remaining: Remaining, measures: Collection[str], *, said: bool) -> str | None:
    """按利润 where a ranking is asked for, and "by profit" anywhere; the measure itself stays."""
    found: list[tuple[int, int, str]] = []
    for lead in ("by", "by the", "in terms of", *(("按照", "按", "以") if said else ())):
        for _, start, end in remaining.places(lead):
            at = end + len(remaining.text[end:]) - len(remaining.text[end:].lstrip(" "))
            words = [word for word in measures if word and remaining.stands_at(word, at)]
            if words:
                found.append((start, end, max(words, key=len)))
    if len({word for _, _, word in found}) != 1:
        return None
    for start, end, _ in found:
        remaining.strike(start, end)
    return found[0][2]
