"""Batches are written as they come; once there are some thousands of requests in them they are filed: they get a chapter of
the index and are summed up, in one transaction that says so.

What is filed costs a list next to nothing, what is not some µs a request, so readers look at a bounded part of the log."""

from __future__ import annotations

import logging

import apsw

from pointsman.domain.said import Said
from pointsman.store.log_chapters import numbers_of, write_chapter
from pointsman.store.log_outline import Outline, together
from pointsman.store.log_schema import all_or_nothing
from pointsman.store.log_sql import Connection
from pointsman.store.log_unfiled import ENOUGH, MANY, About, Known
from pointsman.store.rollups import write_rollups
from pointsman.store.stored_batch import StoredBatch

log = logging.getLogger("pointsman")

_COUNTED, _DAMAGED = 1, -1
_WAITING = (
    "select batch, counted, last, first_id, last_id, count from unfiled join batches on id = batch where counted >= 0 "
    "order by batch limit ?"
)
_BATCH = "select prompts, heads from batches where id = ?"
_HOLDING = "select id, batches from chapters where high >= ? and last >= ?"

Waiting = tuple[int, int, About]
"""(number of a batch, whether it is summed up, what it is about)."""


def file_batches(connection: Connection, known: Known | None = None, *, all_of_them: bool = False) -> bool:
    """Makes one chapter of those that have waited longest, if there are enough of them, or any and it is to be all of them.
    What of them is `known` is read no more, and leaves it. True: it did, and there may be more. Other threads go on
    meanwhile. Raises apsw.Error."""
    known = {} if known is None else known
    with all_or_nothing(connection):
        chosen = _chosen(connection, all_of_them)
        batches = [one for waiting in chosen if (one := _read(connection, waiting, known)) is not None]
        if batches:
            connection.executemany("delete from unfiled where batch = ?", [(number,) for number, _, _ in batches])
            write_chapter(connection, [(number, outline) for number, _, outline in batches])
        fresh = [outline for _, counted, outline in batches if counted != _COUNTED]
        if fresh:
            write_rollups(connection, together(fresh))
    for number, *_ in chosen:
        known.pop(number, None)
    return bool(chosen)


def _chosen(connection: Connection, all_of_them: bool) -> list[Waiting]:
    chosen: list[Waiting] = []
    requests = 0
    for number, counted, *about in connection.execute(_WAITING, (MANY,)).fetchall():
        chosen.append((number, counted, tuple(about)))
        requests += about[-1]
        if requests >= ENOUGH:
            break
    return chosen if all_of_them or requests >= ENOUGH or len(chosen) >= MANY else []


def unfile(connection: Connection, number: int, last: float) -> None:
    """The batch with that number, whose newest request came then, is to be filed anew, with those of its chapter; the sums
    have it already. Inside a transaction, in which it may be replaced. Raises apsw.Error."""
    for chapter, packed in connection.execute(_HOLDING, (number, last)).fetchall():
        numbers = numbers_of(packed)
        if number in numbers:
            connection.execute("delete from chapters where id = ?", (chapter,))
            connection.execute("delete from fields where chapter = ?", (chapter,))
            connection.executemany(
                "insert into unfiled (batch, counted) select id, ? from batches where id = ?",
                [(_COUNTED, one) for one in numbers],
            )


def _read(connection: Connection, waiting: Waiting, known: Known) -> tuple[int, int, Outline] | None:
    """(number of the batch, whether it is summed up, its requests). One that cannot be read stays where it is, once and for
    all."""
    number, counted, about = waiting
    known_about, outline = known.get(number, (None, None))
    if outline is not None and known_about == about:
        return number, counted, outline
    [(prompts, heads)] = connection.execute(_BATCH, (number,)).fetchall()
    try:
        return number, counted, StoredBatch(number, prompts, heads).outline()
    except apsw.CorruptError:
        connection.execute("update unfiled set counted = ? where batch = ?", (_DAMAGED, number))
        log.warning(Said("batch %d of the log is damaged", "日志的第 %d 批记录已损坏"), number)
        return None
