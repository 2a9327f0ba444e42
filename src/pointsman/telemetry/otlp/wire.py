"""Protobuf as OTLP needs it: messages are bytes, made of fields one after the other."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

Value = str | bool | int | float | tuple[str, ...]
Attributes = Mapping[str, Value | None]
"""None: left out."""

_VARINT, _FIXED64, _BYTES = 0, 1, 2
_fixed64 = struct.Struct("<Q").pack
_double = struct.Struct("<d").pack


def varint(number: int) -> bytes:
    """A negative number takes ten bytes, as an int64 does."""
    if 0 <= number < 0x80:
        return bytes((number,))
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def message(field: int, data: bytes) -> bytes:
    """A message, bytes, or anything else with a length."""
    return varint(field << 3 | _BYTES) + varint(len(data)) + data


def text(field: int, value: str) -> bytes:
    """A lone surrogate, which no UTF-8 has, becomes a question mark."""
    return message(field, value.encode("utf-8", "replace"))


def number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def fixed64(field: int, value: int) -> bytes:
    return varint(field << 3 | _FIXED64) + _fixed64(value)


def double(field: int, value: float) -> bytes:
    return varint(field << 3 | _FIXED64) + _double(value)


def packed_fixed64(field: int, values: Iterable[int]) -> bytes:
    return message(field, b"".join(map(_fixed64, values)))


def packed_double(field: int, values: Iterable[float]) -> bytes:
    return message(field, b"".join(map(_double, values)))


def attributes(field: int, pairs: Attributes) -> bytes:
    """Key-values, those without a value left out."""
    return b"".join(
        message(field, text(1, key) + message(2, _any(value))) for key, value in pairs.items() if value is not None
    )


def _any(value: Value) -> bytes:
    if isinstance(value, str):
        return text(1, value)
    if isinstance(value, bool):
        return number(2, value)
    if isinstance(value, int):
        return number(3, value)
    if isinstance(value, float):
        return double(4, value)
    return message(5, b"".join(message(1, text(1, each)) for each in value))
