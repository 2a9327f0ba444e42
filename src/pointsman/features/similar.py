"""Whether a text asks again what another asked, and whether it says that the answer was not what was meant."""

from __future__ import annotations

import unicodedata

_LONGEST = 400  # characters that are compared
_ALIKE = 0.5
_SAME = 0.8
_PART = 0.8
_LEAST = 3  # grams of a text that may be a part of another

_BEGINS = (
    "不是这个", "不是这样", "不是这意思", "不是这个意思", "不是问", "不是指", "不是让你", "我不是要", "我不是问", "我不是说",
    "我不是指", "我不是想", "我没问", "我没说", "没问你", "我问的是", "我问的不是", "我说的是", "我说的不是", "我要的是",
    "我要的不是", "我想问的是", "我是想问", "我是问", "我是说", "我的意思是", "我指的是", "答非所问", "你理解错", "理解错",
    "你没理解", "没懂我", "没有回答我", "没回答我", "你没回答", "重新回答", "换个回答",
    "no i meant", "no i mean", "i meant", "i mean ", "no not that", "not that", "not this", "thats not what",
    "that is not what", "thats not it", "that is not it", "thats wrong", "that is wrong", "this is not what",
    "this isnt what", "not what i", "i didnt ask", "i did not ask", "i didnt mean", "i did not mean", "im not asking",
    "i am not asking", "i wasnt asking", "i was not asking", "you misunderstood", "you didnt answer",
    "you did not answer", "wrong answer", "no i want", "no i wanted", "no thats not", "no that is not", "no thats wrong",
)  # fmt: skip
_ALONE = ("不对", "错了", "你错了", "不是", "wrong", "nope")  # up to the first punctuation
_HOLDS = (
    "不是我要的", "不是我想要的", "不是我问的", "不是我的意思", "答非所问", "我不是这个意思",
    "not what i meant", "not what i asked", "not what i wanted",
    "you misunderstood me", "didnt answer my question", "did not answer my question",
)  # fmt: skip


def grams(text: str) -> frozenset[str]:
    """Pieces of a text that similar texts share: pairs of neighbours where one is no ASCII letter or digit, else three in
    a row. Case, width, spaces and punctuation make no difference."""
    letters = _plain(text).replace(" ", "") if not text.isascii() else f" {_plain(text)} "
    found = {pair for place in range(len(letters) - 1) if not (pair := letters[place : place + 2]).isascii()}
    found.update(
        [
            three
            for place in range(len(letters) - 2)
            if (three := letters[place : place + 3]).isascii() and three.strip()
        ]
    )
    return frozenset(found) if found else frozenset((letters.strip(),))


def alike(some: frozenset[str], other: frozenset[str]) -> bool:
    """Whether at least half of the pieces are common (Dice), or nearly all of the shorter text's are in the longer."""
    common = len(some & other)
    if 2 * common >= _ALIKE * (len(some) + len(other)):
        return True
    shorter = min(len(some), len(other))
    return shorter >= _LEAST and common >= _PART * shorter


def nearly_same(some: frozenset[str], other: frozenset[str]) -> bool:
    """Whether four fifths of the pieces are common (Dice): one text is the other but for a word or two."""
    return 2 * len(some & other) >= _SAME * (len(some) + len(other))


def objects(text: str) -> bool:
    """Whether it says that what came before was not meant."""
    plain = _plain(text[:_LONGEST].replace("'", "").replace("’", ""))
    dense = plain.replace(" ", "")
    if plain.split(" ", 1)[0] in _ALONE:
        return True
    if plain.startswith(_BEGINS) or dense.startswith(_BEGINS):
        return True
    return any(words in plain or words in dense for words in _HOLDS)


def _plain(text: str) -> str:
    """Letters and digits in lower case, one space between what something else parts."""
    folded = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()
    return " ".join("".join([each if each.isalnum() else " " for each in folded]).split())
