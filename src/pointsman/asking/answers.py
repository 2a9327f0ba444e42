"""What a person answers to numbered choices: numbers, an ordinal, never mind, anything, or words."""

from __future__ import annotations

from collections.abc import Sequence

import re2

LONGEST = 60
"""Characters of an answer; what is longer is another subject."""
_CANCEL = re2.compile(
    r"^(?:算了|取消|不用了?|不要了?|不需要了?|不导了|先不用?了?|cancel(?: it| that)?|never ?mind|no,? thanks?|no thank you|"
    r"forget it|stop|nothing)[吧啊哦谢\s,.!。，！]*$"
)
_VAGUE = re2.compile(
    r"^(?:随便|都行|都可以|你定|whatever|any of them|either|either one|不知道|not sure)[吧啊\s,.!。，！]*$"
)
_NUMBERS = re2.compile(
    r"^(?:第|选择?|就|要|option|number|no\.?|#|the)?\s*"
    r"((?:[0-9]{1,3}|[一二三四五六七八九十])"
    r"(?:\s*(?:,|，|、|和|与|and|&|\s)\s*(?:[0-9]{1,3}|[一二三四五六七八九十]))*)"
    r"\s*(?:个|项|号|种|条|one|option)?(?:吧|的|呢)?(?P<rest>$|[\s,.，。、!！].*$)"
)
_ORDINAL = re2.compile(r"^(?:the )?(first|second|third|fourth|fifth|last)(?: (?:one|option))?[\s.!]*$")
_NUMBER = re2.compile(r"[0-9]{1,3}|[一二三四五六七八九十]")
_WORDS = {w: n for n, w in enumerate("一二三四五六七八九十", 1)} | {
    w: n for n, w in enumerate(("first", "second", "third", "fourth", "fifth"), 1)
}


_CANCELS_FIRST = re2.compile(
    r"^(?:算了|不用了|没有了|没事了|never ?mind|forget (?:it|about it)|no,? thanks?|cancel (?:it|that))"
    r"(?:[\s,.!。，！；;].*)?$"
)
_ASKS = re2.compile(
    r"[?？]\s*$|^(?:请问|什么|怎么|如何|为什么|为何|哪|谁|能不能|可不可以|what|how|why|where|when|who|which|can you|"
    r"could you|do you|is there|are there|please (?:tell|explain|write)|ignore|忽略|帮我写|告诉我|写)|"
    r"(?:吗|呢|是什么|怎么办|为什么)$"
)


def is_cancel(folded: str) -> bool:
    """Whether it says: never mind."""
    return bool(_CANCEL.search(folded) or _CANCELS_FIRST.search(folded))


def is_question(folded: str) -> bool:
    """Whether it asks or wants something itself, so that it is no value that was asked for."""
    return bool(_ASKS.search(folded.strip(" 。.!！~")) or _ASKS.search(folded))


def is_vague(folded: str) -> bool:
    """Whether it leaves the choice to us."""
    return bool(_VAGUE.search(folded))


def in_words(choices: Sequence[str], folded: str, *, several: bool = False) -> str | None:
    """The answer with its numbers replaced by the choices behind them; None where such a choice does not exist, or more than
    one is named and not `several` may be."""
    if not choices:
        return folded
    ordinal = _ORDINAL.search(folded)
    if ordinal:
        folded = str(len(choices) if ordinal[1] == "last" else _WORDS[ordinal[1]])
    found = _NUMBERS.search(folded)
    if not found:
        return folded
    chosen = []
    for word in _NUMBER.findall(found[1]):
        number = _WORDS.get(word) or int(word)
        if not 1 <= number <= len(choices):
            return None
        chosen.append(choices[number - 1])
    if len(chosen) > 1 and not several:
        return None
    return " ".join([*chosen, found["rest"]])
