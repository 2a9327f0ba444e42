"""One name for a model's thoughts: engines say `reasoning` or `reasoning_content`, and some clients read only one."""

from __future__ import annotations

from typing import Any

import msgspec

NAMES = ("reasoning", "reasoning_content")
_GAPS = (b"\n\n", b"\r\n\r\n")  # between two events


class ReasoningName:
    """Renames the field in a stream's deltas to `name`; every event that has none passes byte for byte. Feed it bytes as
    they come; it gives back whole events and keeps the unfinished one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._other = NAMES[1 - NAMES.index(name)]
        self._mark = f'"{self._other}"'.encode()
        self._rest = b""

    def feed(self, data: bytes) -> bytes:
        data = self._rest + data
        end = max(data.rfind(gap) + len(gap) if gap in data else 0 for gap in _GAPS)
        whole, self._rest = data[:end], data[end:]
        if self._mark not in whole:
            return whole
        gap = _GAPS[1] if _GAPS[1] in whole else _GAPS[0]
        return gap.join(self._event(event) if self._mark in event else event for event in whole.split(gap))

    def flush(self) -> bytes:
        """What is left when the stream ends inside an event."""
        rest, self._rest = self._rest, b""
        return rest

    def object(self, data: bytes) -> bytes:
        """The same for a reply in one piece, or for the JSON of one event."""
        if self._mark not in data:
            return data
        try:
            body = msgspec.json.decode(data)
            parts = [choice.get("delta") or choice.get("message") or {} for choice in body["choices"]]
            renamed_any = [_rename(part, self._other, self._name) for part in parts]
        except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
            return data
        return msgspec.json.encode(body) if any(renamed_any) else data

    def _event(self, event: bytes) -> bytes:
        head, colon, payload = event.partition(b"data:")
        changed = self.object(payload)
        return event if changed is payload else head + colon + b" " + changed


def _rename(part: dict[str, Any], old: str, new: str) -> bool:
    if old not in part or new in part:
        return False
    part[new] = part.pop(old)
    return True
