"""The body of an HTTP request → the question in it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Tongue
from pointsman.http.exchange import Client
from pointsman.http.openai.read import read_chat, read_completion
from pointsman.library.asking import Circumstances, check_circumstances, turns_of

About = Circumstances
ReadText = Callable[[dict[str, Any]], str | None]
FIELDS = ("message", "text", "question", "query", "prompt", "input")
_TOLD = {"role": "caller_role", "key": "caller", "group": "caller_group", "source": "source", "entry": "model"}
_SAME = ("tools", "structured")


class Question(msgspec.Struct, frozen=True):
    """What the rules look at, and how the client wants its reply. `model` is what it named; `request` names the entry."""

    request: Request
    model: str
    body: dict[str, Any]
    is_openai: bool
    language: Tongue | None = None

    def told(self, about: Circumstances) -> Question:
        """With what the application knows of the request. Raises TypeError or ValueError for what is no
        circumstance."""
        check_circumstances(about)
        changes: dict[str, Any] = {field: about[name] for name, field in _TOLD.items() if about.get(name)}  # type: ignore[literal-required]
        changes.update({name: about[name] for name in _SAME if name in about})  # type: ignore[literal-required]
        turns = self.request.turns
        if "images" in about and turns:
            turns = (*turns[:-1], msgspec.structs.replace(turns[-1], images=about["images"]))
        if "history" in about:
            turns = (*turns_of(about["history"]), *turns)
        request = msgspec.structs.replace(self.request, turns=turns, **changes)
        return msgspec.structs.replace(self, request=request, language=about.get("language"))


Read = Callable[[dict[bytes, bytes], dict[str, Any]], Question | None]


def reader(text: str | ReadText | None) -> Read:
    """How to find the question. Raises ValueError for a text that is no JSON pointer."""
    if text is None:
        return _openai_or_field
    if isinstance(text, str):
        if not text.startswith("/"):
            raise ValueError(
                f"text {text!r} is no JSON pointer; one begins with /, as in /message or /messages/0/content"
            )
        keys = [key.replace("~1", "/").replace("~0", "~") for key in text[1:].split("/")]
        return lambda headers, body: _question(headers, body, _at(body, keys))
    find = text
    return lambda headers, body: _question(headers, body, find(body))


def _openai_or_field(headers: dict[bytes, bytes], body: dict[str, Any]) -> Question | None:
    if isinstance(body.get("messages"), list):
        return _chat(headers, body)
    if isinstance(body.get("prompt"), str):
        with suppress(PointsmanError):
            return _read_as(read_completion, headers, body, is_openai="model" in body)
    return _question(headers, body, next((body[name] for name in FIELDS if isinstance(body.get(name), str)), None))


def _chat(headers: dict[bytes, bytes], body: dict[str, Any]) -> Question:
    """A field that OpenAI would refuse must not lead past the rules: the application may take it. Then the messages are read
    as far as they can be, and no canned text fits, since nobody knows what was asked for."""
    try:
        return _read_as(read_chat, headers, body, is_openai=True)
    except PointsmanError:
        turns = tuple([_some_turn(message) for message in body["messages"] if isinstance(message, dict)])
        question = _plain(headers, body, "")
        request = msgspec.structs.replace(question.request, turns=turns, tools=True, structured=True)
        return msgspec.structs.replace(question, request=request, is_openai=True)


def _read_as(
    read: Callable[[dict[str, Any], Client, str], Request],
    headers: dict[bytes, bytes],
    body: dict[str, Any],
    *,
    is_openai: bool,
) -> Question:
    """Raises PointsmanError."""
    request = read(body, _client(headers), "auto")
    turns = tuple([msgspec.structs.replace(turn, text=whole_characters(turn.text)) for turn in request.turns])
    return Question(msgspec.structs.replace(request, model="auto", turns=turns), request.model, body, is_openai)


def _some_turn(message: dict[str, Any]) -> Turn:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    text = "\n".join(text for text in texts if isinstance(text, str))
    return Turn(str(message.get("role")), whole_characters(text))


def _question(headers: dict[bytes, bytes], body: dict[str, Any], text: Any) -> Question | None:
    return _plain(headers, body, text) if isinstance(text, str) else None


def _plain(headers: dict[bytes, bytes], body: dict[str, Any], text: str) -> Question:
    client = _client(headers)
    model = body.get("model")
    request = Request(
        id=client.request_id,
        endpoint="chat",
        model="auto",
        turns=(Turn("user", whole_characters(text)),),
        stream=body.get("stream") is True,
        now=client.received,
        accept_language=client.header(b"accept-language"),
    )
    return Question(request, model if isinstance(model, str) else "auto", body, is_openai="messages" in body)


def _at(tree: Any, keys: list[str]) -> Any:
    for key in keys:
        if isinstance(tree, dict):
            tree = tree.get(key)
        elif isinstance(tree, list) and key.isascii() and key.isdigit() and int(key[:9]) < len(tree):
            tree = tree[int(key[:9])]
        else:
            return None
    return tree


class _NoWire:
    """The reader of OpenAI's form looks at a client's headers and at nothing below them."""

    choked = False
    peer = ""

    def write(self, data: bytes) -> None:
        raise NotImplementedError

    async def drained(self) -> None:
        raise NotImplementedError

    def done(self) -> None:
        raise NotImplementedError

    def hold(self) -> None:
        raise NotImplementedError

    def resume(self) -> None:
        raise NotImplementedError


def _client(headers: dict[bytes, bytes]) -> Client:
    return Client(
        _NoWire(),
        "POST",
        "/",
        headers,
        f"req_{secrets.token_hex(12)}",
        loopback=False,
        keep_alive=True,
        old=False,
        limit=0,
        language=None,
    )
