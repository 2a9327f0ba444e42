"""A text and its circumstances → the request that the rules look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from pointsman.domain.characters import whole_characters
from pointsman.domain.request import Request, Turn

Message = tuple[str, str] | Mapping[str, Any] | Turn
"""One message of the conversation: (role, text), or an OpenAI message."""


class Circumstances(TypedDict, total=False):
    """What a text comes with. `history` are the messages before it, oldest first, system messages among them: "ok" is
    small talk on a first turn, and an answer after a question. `role`, `key`, `group`, `source` and `entry` are what
    conditions of rules name; `tools`, `images` (how many) and `structured` (the reply must be machine-readable) say what
    canned texts do not fit. `language` is that of the reply; default: the question's."""

    history: Sequence[Message]
    role: str | None
    key: str | None
    group: str | None
    source: str | None
    entry: str
    tools: bool
    images: int
    structured: bool
    language: Literal["zh", "en"] | None


def request_of(
    text: str,
    *,
    history: Sequence[Message] = (),
    role: str | None = None,
    key: str | None = None,
    group: str | None = None,
    source: str | None = None,
    entry: str = "auto",
    tools: bool = False,
    images: int = 0,
    structured: bool = False,
    language: Literal["zh", "en"] | None = None,
) -> Request:
    """Raises TypeError where the text is none, and ValueError for a message that cannot be read. `language` is for whoever
    words the reply; it is no part of a request."""
    if not isinstance(text, str):
        raise TypeError(f"the text must be str, not {type(text).__name__}")
    turns = (*turns_of(history), Turn("user", whole_characters(text), images))
    return Request(
        id="library",
        endpoint="chat",
        model=entry,
        turns=turns,
        tools=tools,
        structured=structured,
        caller=key or "anonymous",
        caller_role=role,
        caller_group=group,
        source=source,
    )


def turns_of(history: Sequence[Message]) -> tuple[Turn, ...]:
    """Raises ValueError for a message that cannot be read."""
    return tuple(map(_turn, history))


def _turn(message: Message) -> Turn:
    if isinstance(message, Turn):
        return message
    if isinstance(message, tuple):
        role, text = message
        return Turn(str(role), whole_characters(str(text)))
    from pointsman.domain.errors import PointsmanError
    from pointsman.http.openai.read import read_messages  # loads the door's code: only where it is needed

    try:
        return read_messages([message])[0]
    except PointsmanError as error:
        raise ValueError(f"history: {error.message}") from None
