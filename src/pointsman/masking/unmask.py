"""Placeholders in a reply → the values that they stand for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec
import re2

_PLAIN: Any = re2.compile(r"<[A-Z][A-Z_]*_[0-9]{1,9}>")
_IN_JSON: Any = re2.compile(r"\\[^u]|(?:<|\\u003[cC])([A-Z][A-Z_]*_[0-9]{1,9})(?:>|\\u003[eE])")
_OPEN, _CLOSE = "\\u003c", "\\u003e"
_ESCAPED = len(_OPEN)
_SAID = ("content", "refusal", "reasoning", "reasoning_content")

Path = tuple[str, ...] | tuple[str, int]
"""Where in a choice a text stands: `content`; `tool_calls`, its number."""


def may_mention(data: bytes) -> bool:
    """False: no placeholder is in it, nor the beginning of one, also not in JSON within JSON."""
    return b"<" in data or b"\\u003" in data or b"\\\\" in data


class Place(msgspec.Struct, frozen=True):
    """A text of a reply: `holder[key]`. `json`: it is JSON itself."""

    path: Path
    holder: dict[str, Any]
    key: str
    json: bool = False


def places(choice: Any) -> Iterator[Place]:
    """The texts of a choice, of a whole reply or of an event."""
    if not isinstance(choice, dict):
        return
    if isinstance(choice.get("text"), str):
        yield Place(("text",), choice, "text")
    for name in ("delta", "message"):
        said = choice.get(name)
        if not isinstance(said, dict):
            continue
        for key in _SAID:
            if isinstance(said.get(key), str):
                yield Place((key,), said, key)
        function = said.get("function_call")
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            yield Place(("function_call",), function, "arguments", json=True)
        calls = said.get("tool_calls")
        for number, call in enumerate(calls if isinstance(calls, list) else ()):
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("arguments"), str):
                index = call.get("index")
                path = ("tool_calls", index if isinstance(index, int) else number)
                yield Place(path, function, "arguments", json=True)


class Unmasker:
    """`values` maps placeholders to what they stand for; others stay as they are. `json`: what the model says is JSON, since
    that was asked for, so a value is written into it as JSON wants it."""

    def __init__(self, values: Mapping[str, str], *, json: bool = False) -> None:
        self.values = values
        self._all_json = json

    def text(self, text: str, json: bool = False) -> str:
        """With the values in it. `json`: the text is JSON."""
        if json or self._all_json:
            if "<" not in text and "\\u003" not in text:
                return text
            return str(_IN_JSON.sub(self._in_json, text))
        return str(_PLAIN.sub(self._plain, text)) if "<" in text else text

    def object(self, reply: dict[str, Any]) -> bool:
        """Puts the values into a whole reply. Says whether it changed."""
        changed = False
        choices = reply.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            for place in places(choice):
                before = place.holder[place.key]
                after = place.holder[place.key] = self.text(before, place.json)
                changed = changed or after != before
        results = reply.get("results")
        for result in results if isinstance(results, list) else ():  # of documents to rank
            if isinstance(result, dict) and "document" in result:
                before = result["document"]
                after = result["document"] = self._deep(before)
                changed = changed or after != before
        return changed

    def data(self, data: bytes) -> bytes:
        """The same for its bytes; what is no JSON object stays."""
        if not may_mention(data):
            return data
        try:
            reply = msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError):
            return data
        return msgspec.json.encode(reply) if isinstance(reply, dict) and self.object(reply) else data

    def held(self, text: str, json: bool) -> int:
        """How many characters at the end of a text may be the beginning of a placeholder."""
        json = json or self._all_json
        longest = self._longest + 2 * _ESCAPED if json else self._longest
        for at in range(max(0, len(text) - longest), len(text)):
            if text[at] == "<" or (json and text[at] == "\\"):
                begins = self._begins_in_json if json else self._begins
                if begins(text[at:]) and not (json and _is_escaped(text, at)):
                    return len(text) - at
        return 0

    def _plain(self, match: Any) -> str:
        written: str = match.group(0)
        return self.values.get(written, written)

    def _in_json(self, match: Any) -> str:
        value = self.values.get(f"<{match.group(1)}>")  # without a name it is another escape
        return str(match.group(0)) if value is None else msgspec.json.encode(value)[1:-1].decode()

    def _deep(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._deep(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self._deep(item) for key, item in value.items()}
        return value

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.values)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.values), default=0)

    def _begins(self, text: str) -> bool:
        """Whether some placeholder begins so, and goes on."""
        at = bisect_left(self._sorted, text)
        return at < len(self._sorted) and self._sorted[at].startswith(text) and self._sorted[at] != text

    def _begins_in_json(self, text: str) -> bool:
        """The same where either end may be an escape, of which the beginning will do, too."""
        if text.startswith("\\"):
            if len(text) < _ESCAPED:
                return bool(self.values) and _OPEN.startswith(text.lower())
            if text[:_ESCAPED].lower() != _OPEN:
                return False
            text = "<" + text[_ESCAPED:]
        name, backslash, rest = text.partition("\\")
        if not backslash:
            return self._begins(name)
        return f"{name}>" in self.values and len(rest) < _ESCAPED - 1 and _CLOSE[1:].startswith(rest.lower())


def _is_escaped(text: str, at: int) -> bool:
    """Whether a backslash before that place takes it."""
    first = at
    while first and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
