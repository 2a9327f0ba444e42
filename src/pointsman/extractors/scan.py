"""What all finders share: they read UTF-8 bytes, and look at a bounded number of places in them.

Bytes, because RE2 works on them: from Python a match in bytes costs less than half of one in `str`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

LONGEST = 1 << 16  # bytes of a text that are read
MOST_FINDS = 256
MOST_LOOKS = 800  # places that a finder may consider: up to 20 µs each

HAN = r"\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}"
WORD_BYTES = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
DIGIT_BYTES = frozenset(b"0123456789")


class Find(NamedTuple):
    """A find at [start, end) of the bytes."""

    start: int
    end: int
    value: Any
    of: str | None = None


def looks(pattern: Any, data: bytes, pos: int = 0) -> Iterator[Any]:
    """The matches of a compiled pattern, as many as may be looked at."""
    return islice(pattern.finditer(data, pos), MOST_LOOKS)


def byte_at(data: bytes, index: int) -> int:
    """The byte there; 0 before the beginning and past the end."""
    return data[index] if 0 <= index < len(data) else 0


def touches_word(data: bytes, start: int, end: int) -> bool:
    """A Latin letter, digit or underscore stands right before or behind [start, end)."""
    return byte_at(data, start - 1) in WORD_BYTES or byte_at(data, end) in WORD_BYTES


def before(data: bytes, index: int, length: int = 48) -> str:
    """The text that ends there, at most so many bytes of it."""
    return data[max(0, index - length) : index].decode("utf-8", "ignore")


def after(data: bytes, index: int, length: int = 48) -> str:
    """The text that begins there, at most so many bytes of it."""
    return data[index : index + length].decode("utf-8", "ignore")
