"""`whole`: the text is this and nothing more.

Surrounding spaces, closing punctuation and closing emoji do not count: "Hi!", "hi ~" and "hi 😊" are "hi". A question
mark does count, because "ok?" is not "ok": a text that closes with one is taken only by a term that has one, and such a
term also takes the text without it ("how are you?" takes "how are you" and "how are you?!").
"""

from __future__ import annotations

_SPACES = " \t\r\n\v\f"
_MARKS = _SPACES + "!.,;:~^_-)?。、…·〜∼"
_FEW, _BLOCK = 32, 1024
_EMOJI = ((0x2190, 0x21FF), (0x2300, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))


def core(folded: str) -> tuple[str, int, int]:
    """Strip a folded text down to what is compared: (that, where it stands in the text: [start, end)). A text of marks
    only ("👍", "...") is compared as it is."""
    end = _end(folded)
    key = folded[:end].lstrip(_SPACES)
    if not key:
        key = folded.strip(_SPACES)
        start = folded.find(key)
        return key, start, start + len(key)
    return key + "?" if folded.find("?", end) >= 0 else key, end - len(key), end


def keys(folded: str) -> tuple[str, ...]:
    """The keys of texts that a `whole` term with this folded value takes."""
    key = core(folded)[0]
    return (key, key[:-1]) if len(key) > 1 and key[-1] == "?" and key.strip("?") else (key,)


def _end(folded: str) -> int:
    """Where what closes a text begins; after many such characters it goes on by blocks."""
    end = len(folded)
    few = max(0, end - _FEW)
    while end and _closes(folded[end - 1]):
        end -= 1
        if end == few:
            while end and all(map(_closes, set(folded[max(0, end - _BLOCK) : end]))):
                end = max(0, end - _BLOCK)
    return end


def _closes(character: str) -> bool:
    """A mark or an emoji. Ideographs and letters, which close most texts, are told by two comparisons."""
    if character < "\u2190" or "\u2c00" <= character < "\U0001f000":
        return character in _MARKS
    point = ord(character)
    return character in _MARKS or any(first <= point <= last for first, last in _EMOJI)
