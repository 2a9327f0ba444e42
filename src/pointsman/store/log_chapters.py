"""An index over some thousands of requests, newest first: when they came, where each lies, and a column of each field.

Requests are in the order in which they came, which is not that of the batches they are in, so that a list needs no batch
but those of the requests it shows."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec

from pointsman.store.log_columns import bits_of, bits_with, joined, packed_column
from pointsman.store.log_filters import FEATURES, KEPT, LABELS, field_of
from pointsman.store.log_row import Brief
from pointsman.store.log_sql import Connection
from pointsman.store.stored_batch import StoredBatch

_AT = "select times, batches, places from chapters where id = ?"
_COLUMN = "select named, coded, others from fields where name = ? and chapter = ?"
_INSERT = "insert into chapters (first, last, count, high, times, batches, places) values (?,?,?,?,?,?,?) returning id"
_INSERT_FIELD = "insert into fields (name, chapter, named, coded, others) values (?,?,?,?,?)"
_PLAIN = [name for name in KEPT if name not in LABELS and name not in FEATURES]
_plain_of = attrgetter(*_PLAIN)
_PLACE = 16  # bits of a place within its batch
_SELECTIVE = ("id", "error", "mark", "shadow", "intent", "risk", "rule", "caller")  # are looked at first


Filed = tuple[int, StoredBatch, list[Brief]]
"""(number, batch, its heads)."""


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
    numbers = _bytes("q", [number for number, _, _ in batches])
    heads = [head for _, _, those in batches for head in those]
    times = [head.received for head in heads]
    places = [at << _PLACE | place for at, (_, _, those) in enumerate(batches) for place in range(len(those))]
    order = sorted(range(len(times)), key=times.__getitem__, reverse=True)
    heads, times = [heads[at] for at in order], [times[at] for at in order]
    about = times[-1], times[0], len(order), max(number for number, _, _ in batches)
    packed = _bytes("d", times), numbers, _bytes("I", map(places.__getitem__, order))
    [(chapter,)] = connection.execute(_INSERT, (*about, *packed)).fetchall()
    columns = dict[str, Sequence[str | None]](zip(_PLAIN, zip(*map(_plain_of, heads), strict=True), strict=True))
    for name, labels in LABELS.items():
        several = list(map(labels, heads))
        columns[name] = list(map(joined, several)) if any(several) else [None] * len(heads)
    for name in FEATURES:
        values = [value for _, batch, those in batches for value in batch.column(name, those)]
        columns[name] = [None if values[at] is None else str(values[at]) for at in order]
    rows = [(name, chapter, *packed_column(values)) for name, values in columns.items()]
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


def _bytes(kind: str, values: Iterable[float]) -> bytes:
    packed: array[Any] = array(kind, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
