"""`whole`: the text is this and nothing more.

Surrounding spaces, closing punctuation and closing emoji do not count: "Hi!", "hi ~" and "hi 😊" are "hi". A question
mark does count, because "ok?" is not "ok": a text that closes with one is taken only by a term that has one, and such a
term also takes the text without it ("how are you?" takes "how are you" and "how are you?!").
"""

from __future__ import annotations

from typing import NamedTuple

_SPACES = " \t\r\n\v\f"
_MARKS = _SPACES + "!.,;:~^_-)?。、…·〜∼"
_EMOJI = ((0x2190, 0x21FF), (0x2300, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))


class Core(NamedTuple):
    """What is compared, and where it stands in the folded text: [start, end)."""

    key: str
    start: int
    end: int


def core(folded: str) -> Core:
    """Strip a folded text down to what is compared. A text of marks only ("👍", "...") is compared as it is."""
    stripped = folded.rstrip(_MARKS)
    while stripped and _emoji(stripped[-1]):
        stripped = stripped[:-1].rstrip(_MARKS)
    key = stripped.lstrip(_SPACES)
    if not key:
        key = folded.strip(_SPACES)
        start = folded.find(key)
        return Core(key, start, start + len(key))
    asks = "?" in folded[len(stripped) :]
    return Core(key + "?" if asks else key, len(stripped) - len(key), len(stripped))


def keys(folded: str) -> tuple[str, ...]:
    """The keys of texts that a `whole` term with this folded value takes."""
    key = core(folded).key
    return (key, key[:-1]) if len(key) > 1 and key[-1] == "?" and key.strip("?") else (key,)


def _emoji(character: str) -> bool:
    point = ord(character)
    return point >= 0x2190 and any(first <= point <= last for first, last in _EMOJI)
