"""Batches are written as they come; once there are some thousands of requests in them they are filed: they get a chapter of
the index and are summed up, in one transaction that says so.

What is filed costs a list next to nothing, what is not some µs a request, so readers look at a bounded part of the log."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator

import apsw

from pointsman.domain.said import Said
from pointsman.store.log_chapters import Filed, numbers_of, write_chapter
from pointsman.store.log_schema import all_or_nothing
from pointsman.store.log_sql import Connection
from pointsman.store.log_unfiled import ENOUGH, MANY
from pointsman.store.rollups import write_rollups
from pointsman.store.stored_batch import StoredBatch

log = logging.getLogger("pointsman")

_COUNTED, _DAMAGED = 1, -1
_WAITING = (
    "select batch, counted, count from unfiled join batches on id = batch where counted >= 0 order by batch limit ?"
)
_BATCH = "select prompts, heads from batches join unfiled on id = batch where id = ? and counted = ?"
_HOLDING = "select id, batches from chapters where high >= ? and last >= ?"


def file_batches(connection: Connection, *, all_of_them: bool = False) -> bool:
    """Makes one chapter of those that have waited longest, if there are enough of them, or any and it is to be all of them.
    True: it did, and there may be more. Other threads go on meanwhile. Raises apsw.Error."""
    chosen: list[tuple[int, int]] = []
    requests = 0
    for number, counted, count in connection.execute(_WAITING, (MANY,)).fetchall():
        chosen.append((number, counted))
        requests += count
        if requests >= ENOUGH:
            break
    if not chosen or not (all_of_them or requests >= ENOUGH or len(chosen) >= MANY):
        return False
    with contextlib.suppress(_Gone), all_or_nothing(connection):
        batches = list(_read(connection, chosen))
        connection.executemany("delete from unfiled where batch = ?", [(number,) for _, (number, _, _) in batches])
        if batches:
            write_chapter(connection, [filed for _, filed in batches])
        fresh = [head for counted, (_, _, heads) in batches if counted != _COUNTED for head in heads]
        if fresh:
            write_rollups(connection, fresh)
    return True


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


class _Gone(Exception):
    """Another process has filed them meanwhile."""


def _read(connection: Connection, chosen: Iterable[tuple[int, int]]) -> Iterator[tuple[int, Filed]]:
    """(whether it is summed up, the batch). Those that cannot be read stay where they are, once and for all."""
    for number, counted in chosen:
        found = connection.execute(_BATCH, (number, counted)).fetchall()
        if not found:
            raise _Gone
        try:
            batch = StoredBatch(number, *found[0])
            heads = batch.briefs()
        except apsw.CorruptError:
            connection.execute("update unfiled set counted = ? where batch = ?", (_DAMAGED, number))
            log.warning(Said("batch %d of the log is damaged", "日志的第 %d 批记录已损坏"), number)
            continue
        yield counted, (number, batch, heads)
