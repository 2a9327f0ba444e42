"""The two limits that every request meets: it must say something, and it must fit the model that would serve it."""

from __future__ import annotations

import unicodedata

from pointsman.domain.request import Request

REPLY_RESERVE = 16  # tokens a model needs at the least to answer at all
# The estimate may be off by so much: rare characters and repetition make it far too low, long plain words a little too
# high. Within these shares of the limit the engine counts itself.
TOO_LOW, TOO_HIGH = 0.6, 0.25
_BLOCK = 4096


def is_empty(request: Request) -> bool:
    """True where the user's last message holds nothing that can be seen, and no image."""
    if request.endpoint not in ("chat", "completions"):
        return False
    for turn in reversed(request.turns):
        if turn.role not in ("system", "developer"):
            return turn.role == "user" and not turn.images and _unseen(turn.text)
    return False


def _unseen(text: str) -> bool:
    """Spaces and format characters only. One look at the first character tells it of nearly every text."""
    text = text.strip()
    if text and unicodedata.category(text[0]) != "Cf":
        return False
    blocks = (set(text[start : start + _BLOCK]) for start in range(0, len(text), _BLOCK))
    return all(c.isspace() or unicodedata.category(c) == "Cf" for block in blocks for c in block)


def fits(input_tokens: int, context_length: int | None) -> bool:
    """Whether a prompt leaves room for an answer. An unknown context length is no limit: the engine will say so."""
    return context_length is None or input_tokens + REPLY_RESERVE <= context_length


def is_near(input_tokens: int, context_length: int | None) -> bool:
    """Whether the estimate is so near the limit that only an exact count can tell."""
    if context_length is None:
        return False
    beyond = input_tokens + REPLY_RESERVE - context_length
    return -TOO_LOW * context_length <= beyond <= TOO_HIGH * context_length
