"""A stream of events → the one object that the engine would have sent to a client that asks for no stream.

Engines are always asked for a stream, because only then do they notice that the client has gone.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

_decoder = msgspec.json.Decoder()


class Aggregate:
    """Feed it bytes as they come; `result()` gives the object. Splits may fall anywhere, also inside a character."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # pieces of a line whose end has not come
        self._top: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}

    def feed(self, data: bytes) -> None:
        """Raises PointsmanError when an event carries an error."""
        if b"\n" not in data:
            self._rest.append(data)
            return
        lines = b"".join((*self._rest, data)).split(b"\n")
        self._rest = [lines.pop()]
        for line in lines:
            if line.startswith(b"data:"):
                payload = line[5:].strip()
                if payload and payload != b"[DONE]":
                    self._event(payload)
            elif line.startswith(b"error:"):
                self._event(line[6:].strip())

    def result(self) -> dict[str, Any]:
        """Raises PointsmanError (502) when the stream held no completion."""
        if any(self._rest):
            self.feed(b"\n")
        if not self._choices and "usage" not in self._top:
            raise PointsmanError(
                Said("the backend's stream held no completion", "后端返回的流里没有任何回复"),
                status=502,
                type="api_error",
                code="empty",
                src="backend",
            )
        top = self._top
        top["object"] = {"chat.completion.chunk": "chat.completion"}.get(top.get("object", ""), top.get("object"))
        return {**top, "choices": [self._close(self._choices[index]) for index in sorted(self._choices)]}

    def _event(self, payload: bytes) -> None:
        try:
            event = _decoder.decode(payload)
        except msgspec.DecodeError:
            raise PointsmanError(
                Said("the backend's stream holds an event that is not JSON", "后端返回的流里有一个不是 JSON 的事件"),
                status=502,
                type="api_error",
                code="protocol",
                src="backend",
            ) from None
        if not isinstance(event, dict):
            return
        if event.get("error"):
            error = event["error"]
            message = error.get("message") if isinstance(error, dict) else error
            raise PointsmanError(
                said("the backend broke off: {message}", "后端中断了回复：{message}", message=message),
                status=502,
                type="api_error",
                code="backend_error",
                src="backend",
            )
        for choice in event.get("choices") or ():
            index = choice.get("index", 0)
            _merge_choice(self._choices.setdefault(index, {"index": index}), choice)
        self._top.update({key: value for key, value in event.items() if key != "choices" and value is not None})

    def _close(self, choice: dict[str, Any]) -> dict[str, Any]:
        message = choice.get("message")
        if message is not None:
            calls = message.get("tool_calls")
            if calls is not None:
                message["tool_calls"] = [
                    {key: value for key, value in calls[index].items() if key != "index"} for index in sorted(calls)
                ]
            message.setdefault("role", "assistant")
            message.setdefault("content", None)
            if message["content"] is None and calls is None and not message.get("refusal"):
                message["content"] = ""
        choice.setdefault("finish_reason", None)
        return choice


def _merge_choice(into: dict[str, Any], choice: dict[str, Any]) -> None:
    for key, value in choice.items():
        if key == "delta":
            _merge_delta(into.setdefault("message", {}), value or {})
        elif key == "text":
            into["text"] = into.get("text", "") + (value or "")
        elif key == "logprobs":
            if value is not None:
                _merge(into, key, value)
            else:
                into.setdefault(key, None)
        elif isinstance(value, list):
            _merge(into, key, value)
        elif value is not None:
            into[key] = value


def _merge_delta(message: dict[str, Any], delta: dict[str, Any]) -> None:
    for key, value in delta.items():
        if key == "role":
            message["role"] = value or message.get("role", "assistant")
        elif key == "tool_calls":
            for position, call in enumerate(value or ()):
                calls = message.setdefault("tool_calls", {})
                known = calls.setdefault(call.get("index", position), {})
                for name, part in call.items():
                    if name == "function":
                        for field, text in (part or {}).items():
                            _merge(known.setdefault("function", {}), field, text)
                    elif part is not None:
                        known[name] = part
        else:
            _merge(message, key, value)


def _merge(into: dict[str, Any], key: str, value: Any) -> None:
    """Text is joined, lists are joined, objects are merged; nothing else grows in a stream, so the last one holds."""
    known = into.get(key)
    if value is None:
        into.setdefault(key, None)
    elif isinstance(value, str) and isinstance(known, str):
        into[key] = known + value
    elif isinstance(value, list) and isinstance(known, list):
        known.extend(value)
    elif isinstance(value, dict) and isinstance(known, dict):
        for name, part in value.items():
            _merge(known, name, part)
    else:
        into[key] = value
