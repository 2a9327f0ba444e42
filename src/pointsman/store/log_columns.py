"""One field of some thousands of requests, so that those with a value are found without reading any of them.

A column is made of texts, newest request first, and gives back a whole number in which each request is a bit, the newest one
the highest. Up to 254 values have a code of a byte, the most frequent ones; of the others each request has four bytes of a
checksum, so that a request may be named that has another value: whoever reads it sees that."""

from __future__ import annotations

import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress

import msgspec

_CODES = 254
_OTHER = 255
_IS_OTHER = bytes([code == _OTHER for code in range(256)])
_RARE = 4  # times that a value must come to have a code, where there are more values than codes
_FEW = 40  # requests that are found one by one quicker than all are looked at
_ONE, _ZERO = ord("1"), ord("0")
_BETWEEN = "\x1f"
_CHECK = 4  # bytes
_encode = msgspec.msgpack.Encoder().encode
_names = msgspec.msgpack.Decoder(list[str | None]).decode

Packed = tuple[bytes, bytes, bytes]
"""(names of codes, a code for each request: none where all have the same one, or none has any; checksums of the others)."""


def packed_column(values: Sequence[str | None]) -> Packed:
    """Of the values of all requests, newest first; None where one has none."""
    distinct = set(values)
    if len(distinct) <= _CODES:
        names = list(distinct)
        if len(names) == 1:
            return _encode(names), b"", b""
        codes = {name: code for code, name in enumerate(names)}
        return _encode(names), bytes(map(codes.__getitem__, values)), b""
    if len(distinct) == len(values):
        return packed_checks(checks_of(values))
    often = {name: count for name, count in Counter(values).items() if count >= _RARE}
    names = sorted(often, key=often.__getitem__, reverse=True)[:_CODES]
    codes = {name: code for code, name in enumerate(names)}
    coded = bytes([codes.get(value, _OTHER) for value in values]) if names else b""
    return _encode(names), coded, _bytes(checks_of([value for value in values if value not in codes]))


def packed_kinds(values: Sequence[str | None], codes: Sequence[int]) -> Packed:
    """As `packed_column` of `values[code]` for each of the codes, among which each comes, in less time. `codes` are bytes
    where these suffice."""
    names = list(dict.fromkeys(values))
    if len(names) > _CODES:
        return packed_column(list(map(values.__getitem__, codes)))
    if len(names) == 1:
        return _encode(names), b"", b""
    places = {name: place for place, name in enumerate(names)}
    table = bytes(map(places.__getitem__, values))
    if isinstance(codes, bytes):
        return _encode(names), codes.translate(table.ljust(256)), b""
    return _encode(names), bytes(map(table.__getitem__, codes)), b""


def packed_checks(checks: array[int]) -> Packed:
    """Of values that hardly any two requests have in common, ids, by the checksum of each."""
    return _encode([]), b"", _bytes(checks)


def bits_of(column: Packed, count: int, value: str) -> int:
    """Those of the `count` requests that have this value, and perhaps some that have another one."""
    if _encode(value) in column[0]:  # most often it is not, and names need no reading
        names = _names(column[0])
        if value in names:
            return _coded(column[1], count, [names.index(value)])
    others = column[2]
    if not others:
        return 0
    check, found = _bytes(checks_of([value])), 0
    at = others.find(check)
    if at < 0:
        return 0
    places = list(compress(range(count), column[1].translate(_IS_OTHER))) if column[1] else range(count)
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
    if len(codes) == 1 and coded.count(codes[0]) <= _FEW:
        found, at = 0, coded.find(codes[0])
        while at >= 0:
            found |= 1 << (count - 1 - at)
            at = coded.find(codes[0], at + 1)
        return found
    table = bytearray([_ZERO]) * 256
    for code in codes:
        table[code] = _ONE
    return int(coded.translate(bytes(table)), 2)


def checks_of(values: Iterable[str | None]) -> array[int]:
    """Of each, in the order given."""
    return array("I", [zlib.crc32(value.encode()) if value else 0 for value in values])


def _bytes(checks: array[int]) -> bytes:
    if sys.byteorder == "big":
        checks = checks[:]
        checks.byteswap()
    return checks.tobytes()
