"""Requests under way, as rows of the log: each as the batch that it becomes if the process that serves it dies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import apsw

from pointsman.store.log_schema import all_or_nothing, has_table
from pointsman.store.owner import is_alive
from pointsman.store.stored_batch import StoredBatch

TABLE = "under_way"
_SHOWN = "select id, owner, prompts, heads, contents from under_way"
_SPANNING = "select id, prompts, heads from batches where first_id <= ?1 and last_id >= ?1"


class Noted(StoredBatch):
    """One request of those; `packed` is its contents as they lie on disk. `live`: it is under way, and else it is what its
    process left when it died."""

    def __init__(self, name: str, live: bool, prompts: str, heads: bytes, packed: bytes | None) -> None:
        super().__init__(name, prompts, heads)
        self.live = live
        self.packed = packed

    def matching(self, wanted: dict[str, str]) -> list[Any]:
        """How it ends is not known."""
        if self.live and not wanted.keys().isdisjoint(("outcome", "error")):
            return []
        return super().matching(wanted)

    def row(self, head: Any) -> dict[str, Any]:
        row = super().row(head)
        if self.live:
            row.update(outcome=None, status=None, error=None, total_ms=None, under_way=True)
        return row


def write_note(connection: apsw.Connection, owner: str, row: tuple[str, float, str, bytes, bytes | None]) -> None:
    """`row`: id, received, prompts, heads, contents. Raises apsw.Error."""
    connection.execute(
        "insert or replace into under_way (owner, id, received, prompts, heads, contents) values (?,?,?,?,?,?)",
        (owner, *row),
    )


def end(connection: apsw.Connection, names: Iterable[str]) -> None:
    """They are under way no more. Raises apsw.Error."""
    for name in names:
        connection.execute("delete from under_way where id = ?", (name,))


def read_noted(connection: apsw.Connection, folder: Path, name: str | None = None) -> Iterator[Noted]:
    """All of them, or that one; those of processes that are dead, too, which nobody has made batches yet. A log that was
    begun without this table has none. Raises apsw.Error."""
    if not has_table(connection, TABLE):
        return
    lives: dict[str, bool] = {}
    where, values = (_SHOWN, ()) if name is None else (f"{_SHOWN} where id = ?", (name,))
    for found, owner, prompts, heads, contents in connection.execute(where, values):
        if owner not in lives:
            lives[owner] = is_alive(folder, owner)
        yield Noted(found, lives[owner], prompts, heads, contents)


def take_over(connection: apsw.Connection, folder: Path, own: str, *, sole: bool) -> int:
    """Makes batches of what processes left that are dead; `sole`: there is no other one than this. Returns how many. Call it
    inside `alone_in`. Raises apsw.Error."""
    owners = [owner for (owner,) in connection.execute("select distinct owner from under_way").fetchall()]
    count = 0
    for owner in owners:
        if owner == own or (not sole and is_alive(folder, str(owner))):
            continue
        with all_or_nothing(connection):
            for (name,) in connection.execute("select id from under_way where owner = ?", (owner,)).fetchall():
                if not _is_written(connection, str(name)):
                    connection.execute(
                        "insert into batches select null, received, id, id, 1, prompts, heads, contents "
                        "from under_way where id = ?",
                        (name,),
                    )
                    count += 1
            connection.execute("delete from under_way where owner = ?", (owner,))
    return count


def _is_written(connection: apsw.Connection, name: str) -> bool:
    """Whether its record is among the batches."""
    for number, prompts, heads in connection.execute(_SPANNING, (name,)):
        try:
            batch = StoredBatch(number, prompts, heads)
            if batch.may_hold([name.encode()]) and name in batch.places:
                return True
        except apsw.CorruptError:  # a batch that nobody can read tells nothing of it
            continue
    return False
