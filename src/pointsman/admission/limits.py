"""The two limits that every request meets: it must say something, and it must fit the model that would serve it."""

from __future__ import annotations

import unicodedata

from pointsman.domain.request import Request

REPLY_RESERVE = 16  # tokens a model needs at the least to answer at all
NEAR = 0.6  # the estimate may be off by so much (rare characters, repetition): within it the engine counts itself


def is_empty(request: Request) -> bool:
    """True where the user's last message holds nothing that can be seen, and no image."""
    if request.endpoint not in ("chat", "completions") or request.question is None:
        return False
    last = next(turn for turn in reversed(request.turns) if turn.role == "user")
    return not last.images and all(c.isspace() or unicodedata.category(c) == "Cf" for c in last.text)


def fits(input_tokens: int, context_length: int | None) -> bool:
    """Whether a prompt leaves room for an answer. An unknown context length is no limit: the engine will say so."""
    return context_length is None or input_tokens + REPLY_RESERVE <= context_length


def is_near(input_tokens: int, context_length: int | None) -> bool:
    """Whether the estimate is so near the limit that only an exact count can tell."""
    return context_length is not None and abs(input_tokens + REPLY_RESERVE - context_length) <= NEAR * context_length
