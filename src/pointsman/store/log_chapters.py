"""An index over some thousands of requests, newest first: when they came, where each lies, and a column of each field.

Requests are in the order in which they came, which is not that of the batches they are in, so that a list needs no batch
but those of the requests it shows."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import msgspec

from pointsman.store.log_columns import bits_of, bits_with, packed_checks, packed_kinds
from pointsman.store.log_filters import LABELS, field_of
from pointsman.store.log_outline import KIND, Outline, together
from pointsman.store.log_sql import Connection

_AT = "select times, batches, places from chapters where id = ?"
_COLUMN = "select named, coded, others from fields where name = ? and chapter = ?"
_INSERT = "insert into chapters (first, last, count, high, times, batches, places) values (?,?,?,?,?,?,?) returning id"
_INSERT_FIELD = "insert into fields (name, chapter, named, coded, others) values (?,?,?,?,?)"
_PLACE = 16  # bits of a place within its batch
_BYTE = 256  # values that a byte has
_SELECTIVE = ("id", "error", "mark", "shadow", "intent", "risk", "rule", "caller")  # are looked at first


Filed = tuple[int, Outline]
"""(number of the batch, its requests)."""


class Listed(msgspec.Struct, frozen=True, gc=False):
    """A chapter as lists of them have it. `first` and `last` are when its oldest and its newest request came."""

    id: int
    first: float
    last: float
    count: int


class Chapter:
    """The requests of one, by their places among them: 0 is the newest."""

    def __init__(self, connection: Connection, listed: Listed) -> None:
        self._connection = connection
        self._listed = listed

    @cached_property
    def _arrays(self) -> tuple[array[float], array[int], array[int]]:
        """(when they came, numbers of the batches, where each lies)."""
        [(times, batches, places)] = self._connection.execute(_AT, (self._listed.id,)).fetchall()
        return _array("d", times), _array("q", batches), _array("I", places)

    def where(self, place: int) -> tuple[int, int]:
        """(number of the batch, place in it) of a request."""
        _, batches, places = self._arrays
        packed = places[place]
        return batches[packed >> _PLACE], packed & ((1 << _PLACE) - 1)

    def matching(self, wanted: dict[str, str], since: float, latest: float) -> Iterator[int]:
        """The places of requests that came between the two, both among them, and may be those which are wanted: those that
        are, and rarely some others. `wanted` is filter → value."""
        count = self._listed.count
        bits = (1 << count) - 1
        for name in sorted(wanted, key=_rank):
            bits &= self._bits(name, wanted[name])
            if not bits:
                return
        bits &= (1 << (count - self._later_than(latest))) - 1
        end = count - self._until(since)
        while (high := bits.bit_length()) > end:
            bits ^= 1 << (high - 1)
            yield count - high

    def _until(self, moment: float) -> int:
        """How many came then or later."""
        if moment <= self._listed.first:
            return self._listed.count
        return bisect_left(self._arrays[0], True, key=lambda time: time < moment)

    def _later_than(self, moment: float) -> int:
        """How many came later."""
        if moment >= self._listed.last:
            return 0
        return bisect_left(self._arrays[0], True, key=lambda time: time <= moment)

    def _bits(self, name: str, value: str) -> int:
        rows = self._connection.execute(_COLUMN, (field_of(name), self._listed.id)).fetchall()
        if not rows:  # of a version that did not know the field
            return (1 << self._listed.count) - 1
        find = bits_with if name in LABELS else bits_of
        return find(rows[0], self._listed.count, value)


def write_chapter(connection: Connection, batches: Sequence[Filed]) -> None:
    """Of all requests of these batches. Raises apsw.Error."""
    numbers = [number for number, _ in batches]
    whole = together([outline for _, outline in batches])
    places = [at << _PLACE | place for at, (_, one) in enumerate(batches) for place in range(one.count)]
    order = sorted(range(whole.count), key=whole.received.__getitem__, reverse=True)
    times = _in_order("d", whole.received, order)
    about = times[-1], times[0], len(order), max(numbers)
    packed = _bytes(times), _bytes(array("q", numbers)), _bytes(_in_order("I", places, order))
    [(chapter,)] = connection.execute(_INSERT, (*about, *packed)).fetchall()
    codes: Sequence[int] = list(map(whole.codes.__getitem__, order))
    if len(whole.kinds) <= _BYTE:
        codes = bytes(codes)
    columns = zip(KIND, zip(*whole.kinds, strict=True), strict=True)
    rows = [(name, chapter, *packed_kinds(values, codes)) for name, values in columns]
    rows.append(("id", chapter, *packed_checks(_in_order("I", whole.checks, order))))
    connection.executemany(_INSERT_FIELD, rows)


def numbers_of(packed: bytes) -> list[int]:
    """The batches of a chapter, as its row has them."""
    return list(_array("q", packed))


def _rank(name: str) -> int:
    return _SELECTIVE.index(name) if name in _SELECTIVE else len(_SELECTIVE)


def _array(kind: str, packed: bytes) -> array[Any]:
    found: array[Any] = array(kind)
    found.frombytes(packed)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def _in_order(kind: str, values: Sequence[float], order: Iterable[int]) -> array[Any]:
    return array(kind, map(values.__getitem__, order))


def _bytes(packed: array[Any]) -> bytes:
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
