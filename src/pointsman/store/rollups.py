"""What came per minute, hour and day, summed up, so that it is read in milliseconds whatever the traffic was, and outlives
the requests.

Sums are written with the chapter that their requests are filed in (log_filing.py), in its transaction; what is not filed
yet is added when they are read. So they never differ from the log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pointsman.store.figures import DIMS, FIELDS, Figures, Key, add_to, by, summed
from pointsman.store.log_open import opened_to_read
from pointsman.store.log_outline import Outline, sums_of
from pointsman.store.log_schema import DAY, HOUR, MINUTE, has_table, unfiled_in
from pointsman.store.log_sql import Connection
from pointsman.store.squeeze import squeezed, stretched
from pointsman.store.stored_batch import StoredBatch

_STEPS = (DAY, HOUR, MINUTE)
_ALL = "*"
_KINDS = ("", *DIMS, _ALL)  # sums of all, by each dimension alone, and by all of them
_OF_MINUTES = ("", _ALL)  # from which the others are made when they are read: a day has 1440
_SHORT = 256  # bytes that zlib is not worth its time for
_LIST = 0xDC, 0xDD, *range(0x90, 0xA0)  # MessagePack's arrays begin so, and no zlib stream
_READ = "select figures from rollups where step = ? and dims = ? and start = ?"
_WRITE = (
    "insert into rollups (step, dims, start, figures) values (?,?,?,?) "
    "on conflict (step, dims, start) do update set figures = excluded.figures"
)
_BETWEEN = "select start, figures from rollups where step = ? and dims = ? and start >= ? and start < ? order by start"
_UNCOUNTED = "select id, prompts, heads from {} as fresh join batches on id = batch where counted = 0 and last >= ?"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[Key, Figures]]).decode


class Rollup(msgspec.Struct, frozen=True, gc=False):
    """What came within a step from `start` (seconds since the epoch) on, of the requests that have these `values` of the
    dimensions that were asked for, in that order."""

    start: int
    values: Key
    figures: Figures


class Rollups:
    """Raises FileNotFoundError where there is no log yet; its methods apsw.Error."""

    def __init__(self, folder: Path) -> None:
        self._connection = opened_to_read(folder)

    def between(self, start: float, end: float, step: int, by: Sequence[str] = ()) -> list[Rollup]:
        """Of the requests that came from `start` on and before `end`, oldest first, by the values of these dimensions
        (names of DIMS). `step` is in seconds, whole minutes; `start` is rounded down to the minute, or the hour where steps
        are hours. Sums by minute are kept as long as requests are, those by hour longer. By one dimension, or none, a month
        of hours takes some milliseconds; by several that is so of days."""
        unit = MINUTE if step % HOUR else HOUR
        return rollups_between(self._connection, int(start // unit) * unit, end, step, by)

    def close(self) -> None:
        self._connection.close()


def rollups_between(connection: Connection, start: int, end: float, step: int, dims: Sequence[str]) -> list[Rollup]:
    """As `Rollups.between`. Raises ValueError for a step that is no whole number of minutes, apsw.Error."""
    if step <= 0 or step % MINUTE:
        raise ValueError(step)
    unit = next(unit for unit in _STEPS if step % unit == 0 and start % unit == 0)
    places = [DIMS.index(dim) for dim in dims]
    kind = "" if not dims else dims[0] if len(dims) == 1 and unit != MINUTE else _ALL
    whole = kind == _ALL
    found: dict[int, dict[Key, Figures]] = {}
    connection.execute("begin")
    try:
        rows = (
            connection.execute(_BETWEEN, (unit, kind, start, math.ceil(end)))
            if has_table(connection, "rollups")
            else ()
        )
        for began, packed in rows:
            sums = found.setdefault(start + (began - start) // step * step, {})
            for key, figures in unpacked(packed):
                _add(sums, tuple([key[place] for place in places]) if whole else key, figures)
        for began, fresh in _uncounted(connection, unit, start, end, places).items():
            sums = found.setdefault(start + (began - start) // step * step, {})
            for key, figures in fresh.items():
                _add(sums, key, figures)
    finally:
        if connection.in_transaction:
            connection.execute("commit")
    return [Rollup(began, key, figures) for began, sums in sorted(found.items()) for key, figures in sums.items()]


def write_rollups(connection: Connection, fresh: Outline) -> None:
    """Adds these requests to the sums. Raises apsw.Error."""
    minutes = summed(fresh, MINUTE)
    for step in _STEPS:
        for start, sums in _coarser(minutes, step).items():
            for kind in _OF_MINUTES if step == MINUTE else _KINDS:
                _add_row(connection, (step, kind, start), sums)


def unpacked(figures: bytes) -> list[tuple[Key, Figures]]:
    """Sums as a row has them."""
    return _decode(figures if figures[0] in _LIST else stretched(figures))


def packed(sums: Mapping[Key, Figures]) -> bytes:
    """As a row is to have them."""
    plain = _encode(list(sums.items()))
    return squeezed(plain) if len(plain) > _SHORT else plain


def _add_row(connection: Connection, row: tuple[int, str, int], sums: Mapping[Key, Figures]) -> None:
    kind = row[1]
    dims = range(len(DIMS)) if kind == _ALL else [DIMS.index(kind)] if kind else []
    before: Any = connection.execute(_READ, row).fetchall()
    found = dict(unpacked(before[0][0])) if before else {}
    for key, figures in by(dims, sums).items():
        add_to(found, key, figures)
    connection.execute(_WRITE, (*row, packed(found)))


def _coarser(minutes: Mapping[int, Mapping[Key, Figures]], step: int) -> dict[int, dict[Key, Figures]]:
    found: dict[int, dict[Key, Figures]] = {}
    for minute, sums in minutes.items():
        into = found.setdefault(minute // step * step, {})
        for key, figures in sums.items():
            add_to(into, key, figures)
    return found


def _uncounted(
    connection: Connection, unit: int, start: int, end: float, dims: Sequence[int]
) -> dict[int, dict[Key, Figures]]:
    """Of batches that no sum has yet."""
    rows = connection.execute(_UNCOUNTED.format(unfiled_in(connection)), (start,))
    fresh = [
        brief
        for number, prompts, data in rows
        for brief in StoredBatch(number, prompts, data).briefs()
        if start <= brief.received < end
    ]
    return summed(sums_of(fresh, {FIELDS[dim] for dim in dims}), unit, dims)


def _add(sums: dict[Key, Figures], key: Key, figures: Figures) -> None:
    known = sums.get(key)
    if known is None:
        known = sums[key] = Figures()
    known.add(figures)
