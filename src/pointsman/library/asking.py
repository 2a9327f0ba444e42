"""A text and its circumstances → the request that the rules look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from pointsman.domain.characters import whole_characters
from pointsman.domain.errors import did_you_mean
from pointsman.domain.request import Request, Turn

if TYPE_CHECKING:
    from typing import Unpack

Message = tuple[str, str] | Mapping[str, Any] | Turn
"""One message of the conversation: (role, text), or an OpenAI message."""
_VALID = 'valid: ("user", "…") or {"role": "user", "content": "…"}'


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
    entry: str | None
    tools: bool
    images: int
    structured: bool
    language: Literal["zh", "en"] | None


TONGUES = ("zh", "en")


def request_of(text: str, **about: Unpack[Circumstances]) -> Request:
    """Raises TypeError or ValueError, with what is valid, where the text or a circumstance is none. `language` is for
    whoever words the reply; it is no part of a request."""
    if not isinstance(text, str):
        raise TypeError(f"the text must be str, not {type(text).__name__}")
    check_circumstances(about)
    turns = (*turns_of(about.get("history", ())), Turn("user", whole_characters(text), about.get("images", 0)))
    return Request(
        id="library",
        endpoint="chat",
        model=about.get("entry") or "auto",
        turns=turns,
        tools=about.get("tools", False),
        structured=about.get("structured", False),
        caller=about.get("key") or "anonymous",
        caller_role=about.get("role"),
        caller_group=about.get("group"),
        source=about.get("source"),
    )


def check_circumstances(about: Mapping[str, Any]) -> None:
    """Raises TypeError for what is no circumstance or of another type, ValueError for a value that is not valid. The
    messages of `history` are `turns_of`'s matter."""
    for name, value in about.items():
        if name not in Circumstances.__annotations__:
            hint = did_you_mean(name, list(Circumstances.__annotations__))
            raise TypeError(f"no circumstance {name!r}{hint} (valid: {', '.join(Circumstances.__annotations__)})")
        if name == "language":
            check_language(value)
        elif name in ("role", "key", "group", "source", "entry"):
            _must(name, value, value is None or isinstance(value, str), "str or None")
        elif name in ("tools", "structured"):
            _must(name, value, isinstance(value, bool), "bool")
        elif name == "images":
            _must(name, value, isinstance(value, int), "int, how many there are")
            if value < 0:
                raise ValueError(f"images must be 0 or more, not {value}")


def check_language(language: object) -> None:
    """Raises TypeError or ValueError for what is no language of replies."""
    _must("language", language, language is None or isinstance(language, str), "str or None")
    if language is not None and language not in TONGUES:
        raise ValueError(f"language must be one of {', '.join(TONGUES)} or None, not {language!r}")


def _must(name: str, value: object, holds: bool, valid: str) -> None:
    if not holds:
        raise TypeError(f"{name} must be {valid}, not {type(value).__name__} ({value!r:.80})")


def turns_of(history: Sequence[Message]) -> tuple[Turn, ...]:
    """Raises TypeError for what is no sequence of messages, ValueError for a message that cannot be read."""
    if isinstance(history, str | bytes | Mapping) or not isinstance(history, Iterable):
        raise TypeError(f"history must be a sequence of messages, not {type(history).__name__}; {_VALID}")
    return tuple([_turn(message, place) for place, message in enumerate(history)])


def _turn(message: Message, place: int) -> Turn:
    if isinstance(message, Turn):
        return message
    if isinstance(message, Mapping):
        return _openai_turn(message, place)
    if not isinstance(message, tuple | list) or len(message) != 2:
        raise ValueError(f"history[{place}]: {message!r:.80} is no message; {_VALID}")
    role, text = message
    if not isinstance(role, str) or not isinstance(text, str):
        raise TypeError(f"history[{place}]: role and text must be str, not {message!r:.80}; {_VALID}")
    return Turn(role, whole_characters(text))


def _openai_turn(message: Mapping[str, Any], place: int) -> Turn:
    from pointsman.domain.errors import PointsmanError
    from pointsman.http.openai.read import read_messages  # loads the door's code: only where it is needed

    try:
        return read_messages([dict(message)])[0]
    except PointsmanError as error:
        raise ValueError(f"history[{place}]: {error.message}") from None
