"""Where a request body holds texts, and the body with other texts there: the bytes of all else are untouched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import re2

Change = Callable[[str], str]
"""A text → what is to stand in its place; the same text where nothing is to change."""

_PARTS = ("content", "refusal", "reasoning", "reasoning_content", "thinking")  # of a message
_MEMBERS = ("prompt", "suffix", "input", "query", "documents", "prediction", "user", "metadata")  # of the body
_TOKEN: Any = re2.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*')
_SHORTEST = 7  # digits of a number that can be anybody's

_list = msgspec.json.Decoder(list[msgspec.Raw])
_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_text = msgspec.json.Decoder(str)
_encode = msgspec.json.encode


def changed_members(fields: Mapping[str, msgspec.Raw], change: Change) -> dict[str, msgspec.Raw]:
    """The top-level members of a request body that differ once every text in it has gone through `change`. Texts are
    what people, models and tools said, in every role; names, ids, images and tool definitions are none."""
    found: dict[str, msgspec.Raw] = {}
    for name, raw in fields.items():
        if name == "messages":
            new = _each(bytes(raw), lambda item: _message(item, change))
        elif name in _MEMBERS:
            new = _everywhere(bytes(raw), change)
        else:
            continue
        if new is not None:
            found[name] = msgspec.Raw(new)
    return found


# Each of these takes the bytes of a JSON value and gives those of the changed one; None: as it was.


def _each(data: bytes, step: Callable[[bytes], bytes | None]) -> bytes | None:
    if not data.startswith(b"["):
        return None
    items: list[Any] = _list.decode(data)
    any_new = False
    for index, item in enumerate(items):
        new = step(bytes(item))
        if new is not None:
            items[index], any_new = msgspec.Raw(new), True
    return _encode(items) if any_new else None


def _members(data: bytes, steps: Mapping[str, Callable[[bytes], bytes | None]]) -> bytes | None:
    if not data.startswith(b"{"):
        return None
    members: dict[str, Any] = _object.decode(data)
    any_new = False
    for name, step in steps.items():
        new = step(bytes(members[name])) if name in members else None
        if new is not None:
            members[name], any_new = msgspec.Raw(new), True
    return _encode(members) if any_new else None


def _message(data: bytes, change: Change) -> bytes | None:
    def said(part: bytes) -> bytes | None:
        return _string(part, change) or _each(part, piece)

    def piece(part: bytes) -> bytes | None:
        return _string(part, change) or _members(part, dict.fromkeys(("text", "refusal"), lambda d: _string(d, change)))

    def function(part: bytes) -> bytes | None:
        return _members(part, {"arguments": lambda d: _json_text(d, change)})

    def call(part: bytes) -> bytes | None:
        custom = {"input": lambda d: _string(d, change)}
        return _members(part, {"function": function, "custom": lambda d: _members(d, custom)})

    steps: dict[str, Callable[[bytes], bytes | None]] = dict.fromkeys(_PARTS, said)
    return _members(data, {**steps, "tool_calls": lambda d: _each(d, call), "function_call": function})


def _string(data: bytes, change: Change) -> bytes | None:
    if not data.startswith(b'"'):
        return None
    text = _text.decode(data)
    new = change(text)
    return None if new == text else _encode(new)


def _json_text(data: bytes, change: Change) -> bytes | None:
    """A text that is JSON itself, as arguments of a call are; some engines take an object there."""
    if not data.startswith(b'"'):
        return _everywhere(data, change)
    inner = _text.decode(data).encode()
    try:
        msgspec.json.decode(inner)
    except (msgspec.DecodeError, RecursionError):
        return _string(data, change)
    new = _everywhere(inner, change)
    return None if new is None else _encode(new.decode())


def _everywhere(data: bytes, change: Change) -> bytes | None:
    """Every text, names of members too, and every long number, which becomes a text where it changes."""
    parts: list[bytes] = []
    at = 0
    for match in _TOKEN.finditer(data):
        start, end = match.span()
        token = data[start:end]
        if token.startswith(b'"'):
            new = _string(token, change)
        else:
            number = token.decode()
            new = None
            if end - start >= _SHORTEST and (other := change(number)) != number:
                new = _encode(other)
        if new is not None:
            parts += [data[at:start], new]
            at = end
    return b"".join((*parts, data[at:])) if parts else None
