"""Whether a value stands in a text, and where: what is shown of it are the text's own words. Pure; linear in the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from pointsman.actions.extract.durations import duration_of, durations
from pointsman.actions.extract.words import Words, folded, words_of
from pointsman.extractors import Extract, extract

LONGEST = 400
"""Characters of a value."""
_NOT = re.compile(
    r"(?:不要|不得|不可以?|不能|不应该?|不必|不用|不需要?|不再|不许|不准|不会|禁止|严禁|切勿|请勿|勿|无需|无须|避免|没有|并非|不是"
    r"|(?<![特分级区类性个告识辨离派差鉴判])别"
    r"|\b(?:do|does|did|must|should|could|would|need|may|is|are|was)(?: not|n['’]?t)|\b(?:can|won)['’]?t|\bcannot|\bnever"
    r"|\bnot|\bno|\bno need to|\bwithout|\bavoid|\binstead of|\brather than)"
    r"(?:再|去|自行|直接|随意|私自|擅自|立即|马上| (?:to|be|ever|just|the|a|an|any|simply)\b)?[\s\"“'（(]*$"
)
_RANGE_BEFORE = re.compile(r"\d\s?[^\W\d_]{0,4}\s?(?:[-–—~〜]|至|到|\bto)\s?$")
_RANGE_AFTER = re.compile(r"\s?(?:[-–—~〜]|至|到|to\b)\s?\d")
_LIMIT_BEFORE = re.compile(
    r"(?:不超过|不多于|不少于|不低于|最多|最少|至少|至多|最迟|最晚|大约|大概|约|超过|少于|低于|多于|近|"
    r"\b(?:within|up to|at least|at most|about|around|approximately|no more than|no less than|not more than|less than|"
    r"more than|fewer than|under|over|after|in))\s?(?:a |an |the )?$"
)
_LIMIT_AFTER = re.compile(r"\s?(?:之内|以内|内|之后|以后|后|左右|以上|以下|or more|or less|at most|at the latest)")
_SIGN_BEFORE = re.compile(r"[$€£¥+]\s?$")
_SIGN_AFTER = re.compile(r"\s?[%‰℃°]|\s?(?:元|美元|块)")
_PAIRS = {"（": "）", "(": ")", "“": "”", "「": "」", "《": "》", "【": "】", "[": "]"}
_ZH_NUMERALS = frozenset("零〇一二两三四五六七八九十百千万亿半")
_NUMERALS = frozenset("一二两三四五六七八九十半") | frozenset(
    ["one", "two", "three", "four", "five", "six", "ten", "twelve", "half", "an", "a"]
)
_GOES_ON = re.compile(r"\s?(?:[百千万亿]|(?:thousand|million|billion)\b)")
_SIGNS = frozenset("%‰$€£¥℃°+-<>≥≤=")
_REACH = 48
_MOST_TRIES = 50
"""Places of one value, all of which the text denies, after which it is not looked for any further."""
_MOST_DURATIONS = 500
_EDGE = " \t\r\n*`_。，、；：,;:"


class Place(msgspec.Struct, frozen=True):
    """Words at [start, end) of a text, and how they are shown."""

    start: int
    end: int
    shown: str


class Text:
    """A text that values are looked for in, taken apart once. `text` is what it shows: without characters that show
    nothing."""

    def __init__(self, text: str) -> None:
        self.text = visible(text)
        self.folded = folded(self.text)
        self._words: Words | None = None

    @property
    def words(self) -> Words:
        if self._words is None:
            self._words = words_of(self.text)
        return self._words

    def place_of(self, value: str) -> Place | None:
        """The first place where the text says it: word for word; or, where it is a span of time or a number and nothing
        else, one of the same value. What the text denies, and half of a range, are not said by it."""
        if not value or len(value) > LONGEST:
            return None
        value = visible(value)
        for start, end in islice(self._spans(value), _MOST_TRIES):
            if (place := self._whole(start, end)) is not None:
                return place
        return self._by_value(value)

    def place_of_number(self, value: int | float) -> Place | None:
        """The first place where the text has that number, written in any way."""
        return self._same("number", value)

    def place(self, start: int, end: int) -> Place | None:
        """Those words themselves, if the text means them."""
        return self._whole(start, end)

    def _spans(self, value: str) -> Iterator[tuple[int, int]]:
        words, wanted = self.words, words_of(value)
        after = 0
        while (found := words.find(wanted, after)) is not None:
            first, last = found
            yield words.starts[first], words.ends[last - 1]
            after = first + 1

    def _by_value(self, value: str) -> Place | None:
        wanted = duration_of(value)
        if wanted is not None and _rest(value, wanted.start, wanted.end):
            for found in islice(durations(self.text), _MOST_DURATIONS):
                if (found.unit, found.value) == (wanted.unit, wanted.value):
                    place = self._whole(found.start, found.end)
                    if place is not None:
                        return place
            return None
        for kind in ("amount", "percentage"):
            signed = extract(kind, value)
            if signed:
                return self._same(kind, signed[0].value) if _alone(signed, value) else None
        numbers = extract("number", value)
        return self._same("number", numbers[0].value) if _alone(numbers, value) else None

    def _same(self, kind: str, value: Any) -> Place | None:
        for found in extract(kind, self.text):
            if found.value == value and (place := self._whole(found.start, found.end)) is not None:
                return place
        return None

    def _whole(self, start: int, end: int) -> Place | None:
        """With what belongs to it: limits, signs, the other one of a pair of brackets. None where the text denies it."""
        text, plain = self.text, self.folded
        start, end = self._limits(start, end)
        before = plain[max(0, start - _REACH) : start]
        if _NOT.search(before) is not None:
            return None
        counted = words_of(text[start:end]).tokens
        if counted and counted[0][:1].isdigit() and _RANGE_BEFORE.search(before):
            return None
        if any(token[:1].isdigit() for token in counted[-3:]) and _RANGE_AFTER.match(plain, end):
            return None
        if _cuts(plain, start, end):
            return None
        for opening, closing in _PAIRS.items():
            inside = text[start:end]
            open_here = inside.count(opening) - inside.count(closing)
            if open_here == 1 and text[end : end + 1] == closing:
                end += 1
            elif open_here == -1 and text[start - 1 : start] == opening:
                start -= 1
        shown = clean(text[start:end])
        return Place(start, end, shown) if shown else None

    def _limits(self, start: int, end: int) -> tuple[int, int]:
        plain = self.folded
        inside = words_of(plain[start:end]).tokens
        if inside and _counts(inside[0]):
            for pattern in (_SIGN_BEFORE, _LIMIT_BEFORE):
                if (found := pattern.search(plain, max(0, start - _REACH), start)) is not None:
                    start = found.start()
        if any(_counts(token) for token in inside[-3:]):
            for pattern in (_SIGN_AFTER, _LIMIT_AFTER):
                if (found := pattern.match(plain, end)) is not None:
                    end = found.end()
        return start, end


def visible(text: str) -> str:
    """Without characters that show nothing and those that turn the direction of writing; any white space stays."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([character for character in text if _shows(character) or character.isspace()])


def clean(text: str) -> str:
    """On one line, without what shows nothing, and without marks at its ends."""
    return " ".join(visible(text).replace("**", "").split()).strip(_EDGE)


def _shows(character: str) -> bool:
    if character.isascii():
        return character.isprintable()
    return unicodedata.category(character)[0] not in "CZ"


def _counts(token: str) -> bool:
    return token[:1].isdigit() or token in _NUMERALS


def _cuts(plain: str, start: int, end: int) -> bool:
    """Whether the place begins or ends in the middle of a number or of a span of time: 三天 in 十三天, 2 小时 in 2 小时 30
    分钟, 2 in 2 万."""
    before, first, last, after = plain[start - 1 : start], plain[start], plain[end - 1], plain[end : end + 1]
    if first.isdigit() and (
        before.isdigit() or (before in ".,:" and before and plain[start - 2 : start - 1].isdigit())
    ):
        return True
    if first in _ZH_NUMERALS and before and before in _ZH_NUMERALS:
        return True
    if (last.isdigit() or last in _ZH_NUMERALS) and _GOES_ON.match(plain, end) is not None:
        return True
    if last in _ZH_NUMERALS and after and after in _ZH_NUMERALS:
        return True
    since = max(0, start - _REACH)
    around = plain[since : end + _REACH]
    spans = [(since + found.start, since + found.end) for found in durations(around)]
    return any(begin < start < finish or (start <= begin < end < finish) for begin, finish in spans)


def _alone(found: Sequence[Extract], value: str) -> bool:
    """Whether the value is that one thing, with nothing but limits around it."""
    return len(found) == 1 and _rest(value, found[0].start, found[0].end)


def _rest(value: str, start: int, end: int) -> bool:
    around = _LIMIT_AFTER.sub("", folded(value[end:]), 1), _LIMIT_BEFORE.sub("", folded(value[:start]))
    return not any(character.isalnum() or character in _SIGNS for part in around for character in part)
