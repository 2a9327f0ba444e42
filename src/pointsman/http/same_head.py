"""A head that differs from the one before it by its Content-Length alone: what was read of that holds for this one, too.

A client sends the same head again and again over one connection, and only the size of the body changes. The parser has
judged the bytes of the first one; equal bytes need no second judgement."""

from __future__ import annotations

_LENGTHS = (b"\r\ncontent-length: ", b"\r\nContent-Length: ")
_END = b"\r\n\r\n"
_MOST_DIGITS = 9


class SameHead:
    """A head that was read and accepted: HTTP/1.1, kept alive, its body announced by one Content-Length and by nothing
    else. `fields` are its headers, names in lower case."""

    __slots__ = ("_after", "_before", "_fields", "method", "path", "query")

    def __init__(
        self, before: bytes, after: bytes, fields: dict[bytes, bytes], method: str, path: str, query: str
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self._before = before  # up to the digits of the length
        self._after = after  # from their end on, the empty line included
        self._fields = fields

    def whole(self, data: bytes) -> tuple[dict[bytes, bytes], bytes] | None:
        """Headers and body, where `data` is one whole request with this head and nothing else; None where it is not."""
        before, after = self._before, self._after
        if not data.startswith(before):
            return None
        start = len(before)
        stop = data.find(b"\r", start, start + _MOST_DIGITS + 1)
        if stop < 0 or not data.startswith(after, stop):
            return None
        digits, body = data[start:stop], data[stop + len(after) :]
        if not digits.isdigit() or int(digits) != len(body):
            return None
        return {**self._fields, b"content-length": digits}, body


def head_of(data: bytes, fields: dict[bytes, bytes], method: str, path: str, query: str) -> SameHead | None:
    """The head that `data` begins with, which was read as this; None where it does not show its length in the usual form."""
    length = fields.get(b"content-length")
    end = data.find(_END) + len(_END)
    if length is None or end < len(_END) or b"transfer-encoding" in fields or b"expect" in fields:
        return None
    for name in _LENGTHS:
        start = data.find(name, 0, end)
        if start >= 0:
            start += len(name)
            stop = start + len(length)
            if data[start:stop] != length or not length.isdigit() or not data.startswith(b"\r\n", stop):
                return None
            return SameHead(data[:start], data[stop:end], fields, method, path, query)
    return None
