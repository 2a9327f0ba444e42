"""One field of some thousands of requests, so that those with a value are found without reading any of them.

A column is made of texts, newest request first, and gives back a whole number in which each request is a bit, the newest one
the highest. Up to 254 values have a code of a byte, the most frequent ones; of the others each request has four bytes of a
checksum, so that a request may be named that has another value: whoever reads it sees that."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

_CODES = 254
_OTHER = 255
_RARE = 4  # times that a value must come to have a code, where there are more values than codes
_ONE, _ZERO = ord("1"), ord("0")
_BETWEEN = "\x1f"
_CHECK = 4  # bytes
_encode = msgspec.msgpack.Encoder().encode
_names = msgspec.msgpack.Decoder(list[str | None]).decode

Packed = tuple[bytes, bytes, bytes]
"""(names of codes, a code for each request: none where all have the same one, or none has any; checksums of the others)."""
Takes = Callable[[str], bool]


def packed_column(values: Sequence[str | None]) -> Packed:
    """Of the values of all requests, newest first; None where one has none."""
    counts = Counter(values)
    if len(counts) <= _CODES:
        names = list(counts)
    else:
        names = [name for name, _ in Counter({n: c for n, c in counts.items() if c >= _RARE}).most_common(_CODES)]
    if len(counts) == 1:
        return _encode(names), b"", b""
    codes = {name: code for code, name in enumerate(names)}
    others = [value or "" for value in values if value not in codes] if len(counts) > _CODES else []
    if not others:
        return _encode(names), bytes(map(codes.__getitem__, values)), b""
    coded = bytes([codes.get(value, _OTHER) for value in values]) if names else b""
    return _encode(names), coded, b"".join([_check(value) for value in others])


def bits_of(column: Packed, count: int, value: str) -> int:
    """Those of the `count` requests that have this value, and perhaps some that have another one."""
    names = _names(column[0])
    if value in names:
        return _coded(column[1], count, [names.index(value)])
    others = column[2]
    if not others:
        return 0
    check, found = _check(value), 0
    at = others.find(check)
    if at < 0:
        return 0
    places = [place for place, code in enumerate(column[1]) if code == _OTHER] if column[1] else range(count)
    while at >= 0:
        if at % _CHECK == 0:
            found |= 1 << (count - 1 - places[at // _CHECK])
        at = others.find(check, at + 1)
    return found


def bits_with(column: Packed, count: int, label: str) -> int:
    """Those of which the value is several labels (`joined`), this one among them, and perhaps some others."""
    codes = [code for code, name in enumerate(_names(column[0])) if name and label in name.split(_BETWEEN)]
    if column[2]:
        codes.append(_OTHER)
    return _coded(column[1], count, codes)


def joined(labels: Sequence[str]) -> str | None:
    """The value of a request that has these labels."""
    return _BETWEEN.join(labels) if labels else None


def _coded(coded: bytes, count: int, codes: Sequence[int]) -> int:
    if not codes:
        return 0
    if not coded:
        return (1 << count) - 1
    table = bytearray([_ZERO]) * 256
    for code in codes:
        table[code] = _ONE
    return int(coded.translate(bytes(table)), 2)


def _check(value: str) -> bytes:
    return zlib.crc32(value.encode()).to_bytes(_CHECK, "big")
