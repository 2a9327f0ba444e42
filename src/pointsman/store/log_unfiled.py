"""Batches that wait to be filed (log_filing.py), as whoever writes them needs to know."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.store.log_outline import Outline
from pointsman.store.log_sql import Connection

ENOUGH = 4096  # requests of a chapter, or
MANY = 512  # batches, where each holds few
About = tuple[float, str, str, int]
"""Of a batch: when its newest request came, the bounds of its ids, how many there are."""
Known = dict[int, tuple[About, Outline]]
"""Number of a batch → what its writer knows of its requests. Other processes may have filed or replaced it meanwhile."""
_ADD = (
    "insert into batches (last, first_id, last_id, count, prompts, heads, contents) values (?,?,?,?,?,?,?) returning id"
)


def add_batch(
    connection: Connection, about: About, prompts: str, kept: Sequence[object], *, counted: bool = False
) -> int:
    """`kept` are its heads and contents; `counted`: it stands for requests that the sums have. Returns its number. Raises
    apsw.Error."""
    [(number,)] = connection.execute(_ADD, (*about, prompts, *kept)).fetchall()
    connection.execute("insert into unfiled (batch, counted) values (?,?)", (number, int(counted)))
    return int(number)


def waiting_in(connection: Connection) -> tuple[int, int]:
    """How many requests wait to be filed, and in how many batches. Raises apsw.Error."""
    query = "select coalesce(sum(count), 0), count(*) from unfiled join batches on id = batch where counted >= 0"
    [(requests, batches)] = connection.execute(query).fetchall()
    return int(requests), int(batches)


def remove_chapters(connection: Connection, before: float, most: int) -> int:
    """Those of which all requests came before that (seconds since the epoch), at most so many; how many there were. Raises
    apsw.Error."""
    query = "select id from chapters where last < ? order by last limit ?"
    gone = connection.execute(query, (before, most)).fetchall()
    for table, key in (("fields", "chapter"), ("chapters", "id")):
        connection.executemany(f"delete from {table} where {key} = ?", gone)  # noqa: S608
    connection.execute("delete from unfiled where batch not in (select id from batches)")
    return len(gone)
