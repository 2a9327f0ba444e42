"""Server-sent events, read piece by piece."""

from __future__ import annotations

import re

_ENDS = re.compile(rb"\r\n|\n|\r")


class Events:
    """`feed` gives the data of each event that is whole. `last` is the id of the last one that had one, `retry` what the
    server wants of those who come back, in seconds. What of an event has come is kept: whoever feeds bounds it."""

    def __init__(self) -> None:
        self.last: str | None = None
        self.retry: float | None = None
        self._rest = bytearray()
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        found: list[bytes] = []
        self._rest += piece
        if b"\n" not in piece and b"\r" not in piece:
            return found
        # a carriage return at the end may be half of an end of line
        held = b"\r" if self._rest.endswith(b"\r") else b""
        *lines, rest = _ENDS.split(bytes(self._rest.removesuffix(b"\r")))
        self._rest = bytearray(rest + held)
        for line in lines:
            if line:
                self._field(line)
            elif self._data:
                found.append(b"\n".join(self._data))
                self._data = []
        return found

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"id" and b"\0" not in value:
            self.last = value.decode("utf-8", "replace")[:1000]
        elif name == b"retry" and value.isdigit():
            self.retry = int(value[:9]) / 1000
