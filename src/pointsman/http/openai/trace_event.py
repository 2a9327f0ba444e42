"""The extra event of a traced stream, put before `[DONE]` wherever the stream is cut."""

from __future__ import annotations

_MARK = b"data: [DONE]"  # counts at the beginning of a line; inside an event it is only text


class BeforeDone:
    """Feed it the stream's bytes; what it gives back holds `event` once, before the closing event. Bytes that may be
    the beginning of that event are held until the next ones show."""

    def __init__(self, event: bytes) -> None:
        self._event = event
        self._held = b""  # begins a line
        self._new_line = True  # what is not held yet begins a line
        self._told = False

    def feed(self, data: bytes) -> bytes:
        if self._told:
            return data
        new_line = self._new_line or bool(self._held)
        data = self._held + data
        at = 0 if new_line and data.startswith(_MARK) else data.find(b"\n" + _MARK) + 1
        if at or (new_line and data.startswith(_MARK)):
            self._told = True
            return data[:at] + self._event + data[at:]
        last = data.rfind(b"\n") + 1
        begins_line = last > 0 or new_line
        end = last if begins_line and len(data) > last and _MARK.startswith(data[last:]) else len(data)
        self._held = data[end:]
        self._new_line = data.endswith(b"\n") if data else self._new_line
        return data[:end]

    def flush(self) -> bytes:
        """What is left at the end; the event too, where the stream had no `[DONE]`."""
        if self._told:
            return b""
        held, self._held, self._told = self._held, b"", True
        return held + self._event
