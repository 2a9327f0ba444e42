"""Response headers as the bytes that go out: lines, each with its end."""

from __future__ import annotations


def header_lines(*pairs: tuple[bytes, bytes]) -> bytes:
    """Raises ValueError for a line break in a name or a value: it would begin a header, or a response, of its own."""
    lines = b"".join([b"%b: %b\r\n" % pair for pair in pairs])
    if lines.count(b"\n") != len(pairs) or lines.count(b"\r") != len(pairs):
        raise ValueError("a line break in a response header")
    return lines
