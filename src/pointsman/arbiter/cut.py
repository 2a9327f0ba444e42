"""What of a long query is heard: the time that hearing takes must not grow with it."""

from __future__ import annotations

import re

_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
TOKENS = 26
"""Of the embedding model, about: it takes a millisecond for each."""
MOST_TOKENS = TOKENS + 4
"""What the model itself may make of a text that was cut by estimate."""
_OF_IDEOGRAPH = 0.75
_OF_OTHER = 0.3
_LOOKED_AT = 4000
_BEGINNING = 2 / 3


def cut(text: str) -> tuple[str, bool]:
    """Spaces made one, and, where it is longer than about `TOKENS`, its beginning (two thirds) and its end: what is wanted
    stands before or after what was pasted. Says whether something was left out."""
    left_out = len(text) > 2 * _LOOKED_AT
    if left_out:
        text = f"{text[:_LOOKED_AT]} {text[-_LOOKED_AT:]}"
    text = " ".join(text.replace("\x00", " ").split())
    if cost(text) <= TOKENS:
        return text, left_out
    ahead = _taken(text, TOKENS * _BEGINNING)
    behind = _taken(text[::-1], TOKENS * (1 - _BEGINNING))
    return f"{text[:ahead]} … {text[len(text) - behind :]}", True


def cost(text: str) -> float:
    """About how many tokens of the embedding model it is."""
    ideographs = len(_IDEOGRAPH.findall(text))
    return _OF_IDEOGRAPH * ideographs + _OF_OTHER * (len(text) - ideographs)


def _taken(text: str, budget: float) -> int:
    """How many characters of it that pays for."""
    for place, character in enumerate(text):
        budget -= _OF_IDEOGRAPH if _IDEOGRAPH.match(character) else _OF_OTHER
        if budget < 0:
            return place
    return len(text)
