"""The same for a stream of events, in which a placeholder may be spread over several."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.masking.unmask import Path, Unmasker, may_mention, places

Held = tuple[int, Path]
"""A choice's number, and where in it."""


class UnmaskedStream:
    """Feed it bytes as they come; it gives back whole lines and keeps the unfinished one. A line without a placeholder
    passes byte for byte. Of a text no more is kept than what may be the beginning of a placeholder: until the next piece of
    that text, or the end of the choice or of the stream."""

    def __init__(self, unmasker: Unmasker) -> None:
        self._unmasker = unmasker
        self._rest: list[bytes] = []
        self._held: dict[Held, str] = {}
        self._like: dict[str, Any] = {}  # the event that something was kept of, without its choices

    def feed(self, data: bytes) -> bytes:
        end = data.rfind(b"\n") + 1
        if not end:
            if data:
                self._rest.append(data)
            return b""
        whole = b"".join((*self._rest, data[:end]))
        self._rest = [data[end:]] if end < len(data) else []
        if not self._held and not may_mention(whole):
            return whole
        return b"\n".join(map(self._line, whole.split(b"\n")))

    def flush(self) -> bytes:
        """What is left when the stream ends."""
        line = self._line(b"".join(self._rest))
        self._rest = []
        left = self._left()
        return line + b"\n\n" + left if line and left else line + left

    def _line(self, line: bytes) -> bytes:
        if not line.startswith(b"data:"):
            return line
        payload = line[5:].strip()
        if payload == b"[DONE]":
            return self._left() + line
        if not self._held and not may_mention(line):
            return line
        try:
            event = msgspec.json.decode(payload)
        except (msgspec.DecodeError, RecursionError):
            return line
        choices = event.get("choices") if isinstance(event, dict) else None
        if not isinstance(choices, list):
            return self._left() + line
        changed = [self._choice(choice, event) for choice in choices if isinstance(choice, dict)]
        if not any(changed):
            return line
        return b"data: " + msgspec.json.encode(event) + line[len(line.rstrip(b"\r")) :]

    def _choice(self, choice: dict[str, Any], event: dict[str, Any]) -> bool:
        """Whether it had to be changed."""
        number = _number(choice)
        changed = False
        for place in places(choice):
            before = place.holder[place.key]
            key = (number, place.path)
            text = self._held.pop(key, "") + before
            held = self._unmasker.held(text, place.json)
            if held:
                self._held[key] = text[-held:]
                self._like = {name: value for name, value in event.items() if name not in ("choices", "usage")}
            after = place.holder[place.key] = self._unmasker.text(text[: len(text) - held], place.json)
            changed = changed or after != before
        if choice.get("finish_reason") is not None:
            for key in [key for key in self._held if key[0] == number]:
                _append(choice, key[1], self._held.pop(key))
                changed = True
        return changed

    def _left(self) -> bytes:
        """An event with all that is still kept; nothing where nothing is."""
        choices: dict[int, dict[str, Any]] = {}
        for (number, path), text in self._held.items():
            choice = choices.setdefault(number, {"index": number, "finish_reason": None})
            _append(choice, path, text)
        self._held = {}
        if not choices:
            return b""
        return b"data: " + msgspec.json.encode({**self._like, "choices": list(choices.values())}) + b"\n\n"


def _number(choice: dict[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _append(choice: dict[str, Any], path: Path, text: str) -> None:
    """`text` behind what the choice has at that place."""
    if path == ("text",):
        choice["text"] = (choice.get("text") or "") + text
        return
    delta = choice["delta"] = choice.get("delta") or {}
    if path[0] not in ("tool_calls", "function_call"):
        delta[path[0]] = (delta.get(path[0]) or "") + text
        return
    if path[0] == "function_call":
        function = delta["function_call"] = delta.get("function_call") or {}
    else:
        calls = delta["tool_calls"] = delta.get("tool_calls") or []
        call = next((call for call in calls if call.get("index") == path[1]), None)
        if call is None:
            calls.append(call := {"index": path[1]})
        function = call["function"] = call.get("function") or {}
    function["arguments"] = (function.get("arguments") or "") + text
