"""Requests under way, in the log: the notes of a moment are one row, and a small one says which of them are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import apsw

from pointsman.store.content_files import Kept, found
from pointsman.store.log_batch import Batch
from pointsman.store.log_schema import all_or_nothing, has_table
from pointsman.store.log_sql import Connection
from pointsman.store.log_unfiled import add_batch
from pointsman.store.owner import is_alive
from pointsman.store.seal import Seal
from pointsman.store.stored_batch import OpenNotes, StoredBatch

_SHOWN = 'select name, owner, "left", prompts, heads from notes_left join notes using (name)'
_NOTES = "insert into notes (name, last, prompts, heads, contents) values (?,?,?,?,?)"
_LEFT = (
    'insert into notes_left (name, owner, "left") values (?,?,?) '
    'on conflict (name) do update set owner = excluded.owner, "left" = excluded."left"'
)
_SINCE = "select id, prompts, heads from batches where last >= ?"


class Noted(StoredBatch):
    """Requests that were noted together, of which `left` are under way. `live`: they still are, and else they are what their
    process left when it died."""

    def __init__(
        self, name: str, live: bool, prompts: str, heads: bytes, left: bytes, notes: OpenNotes | None = None
    ) -> None:
        super().__init__(name, prompts, heads, notes)
        self.name = name
        self.live = live
        self._left = left

    @property
    def places(self) -> dict[str, int]:
        return {head.id: place for place, head in enumerate(self.heads) if self._left[place]}

    def matching(self, wanted: dict[str, str]) -> list[tuple[float, int]]:
        """How it ends is not known."""
        if self.live and not wanted.keys().isdisjoint(("outcome", "error")):
            return []
        return [found for found in super().matching(wanted) if self._left[found[1]]]

    def row(self, head: Any) -> dict[str, Any]:
        row = super().row(head)
        if self.live:
            row.update(outcome=None, status=None, error=None, total_ms=None, under_way=True)
        return row


class NotesLeft:
    """What the log says of this process's notes: of each, a byte a request, 0 once it has ended. The transaction that writes
    a record says so."""

    def __init__(self) -> None:
        self._left: dict[str, bytes] = {}
        self._over: list[tuple[str, int]] = []  # ended in what could not be written

    def write(
        self, connection: Connection, owner: str, batch: Batch, kept: tuple[bytes, Kept] | None, prompts: str
    ) -> dict[str, bytes]:
        """The batch's notes, as they are to be `kept`, and what has ended. Returns what `written` is to be told when the
        transaction has ended well. Raises apsw.Error."""
        changed: dict[str, bytearray] = {}
        notes = batch.notes
        if notes is not None and kept is not None:
            connection.execute(
                "insert into notes (name, last, prompts, heads, contents) values (?,?,?,?,?)",
                (notes.name, notes.last, prompts, *kept),
            )
            changed[notes.name] = bytearray(b"\1" * notes.count)
        for name, place in (*self._over, *batch.ended):
            if name not in changed:
                if name not in self._left:  # its notes could not be written
                    continue
                changed[name] = bytearray(self._left[name])
            changed[name][place] = 0
        for name, left in changed.items():
            if any(left):
                connection.execute(_LEFT, (name, owner, bytes(left)))
            else:
                connection.execute("delete from notes_left where name = ?", (name,))
        return {name: bytes(left) for name, left in changed.items()}

    def written(self, changed: dict[str, bytes]) -> None:
        self._over.clear()
        for name, left in changed.items():
            if any(left):
                self._left[name] = left
            else:
                self._left.pop(name, None)

    def dropped(self, ended: Iterable[tuple[str, int]]) -> None:
        """They have ended all the same."""
        self._over += ended

    def forget(self) -> None:
        """The log has none of them any more."""
        self._left.clear()
        self._over.clear()


def read_noted(
    connection: Connection, folder: Path, notes: OpenNotes, request_id: str | None = None
) -> Iterator[Noted]:
    """All that have some left, or those with that request; those of processes that are dead, too, which nobody has made
    batches yet. `notes` is as of StoredBatch. A log that was begun without notes has none. Raises apsw.Error."""
    if not has_table(connection, "notes_left"):
        return
    lives: dict[str, bool] = {}
    for name, owner, left, prompts, heads in connection.execute(_SHOWN):
        noted = Noted(name, lives.get(owner, True), prompts, heads, left, notes)
        if request_id is not None and not (noted.may_hold([request_id.encode()]) and request_id in noted.places):
            continue
        if owner not in lives:
            lives[owner] = lives_in(connection, folder, owner)
        noted.live = lives[owner]
        yield noted


def lives_in(connection: Connection, folder: Path, owner: str) -> bool:
    """Whether the process with that name lives, by its lock in the folder, or in the database where the log is in one."""
    ask: Callable[[str], bool] | None = getattr(connection, "lives", None)
    return is_alive(folder, owner) if ask is None else ask(owner)


def open_notes(connection: Connection, folder: Path, name: str, seal: Seal | None) -> StoredBatch | None:
    """Those with that name, open where they can be; None where they are no more, or were never kept. Raises apsw.Error."""
    query = "select prompts, heads, contents from notes where name = ?"
    row = connection.execute(query, (name,)).fetchone()
    if row is None:
        return None
    prompts, heads, contents = row
    notes = StoredBatch(name, prompts, heads)
    notes.open(found(folder, contents), seal)
    return notes


def take_over(connection: Connection, folder: Path, own: str, *, sole: bool) -> int:
    """Makes batches of what processes left that are dead; `sole`: there is no other one than this. Where it is sealed with
    a key that is not here, it stays as it is. Returns how many requests. Call it inside `alone_in`. Raises apsw.Error."""
    owners = [owner for (owner,) in connection.execute("select distinct owner from notes_left").fetchall()]
    seal = Seal.found_in(folder)
    count = 0
    for owner in owners:
        if owner == own or (not sole and lives_in(connection, folder, str(owner))):
            continue
        with all_or_nothing(connection):
            count += _bequeathed(connection, folder, str(owner), seal)
    return count


def _bequeathed(connection: Connection, folder: Path, owner: str, seal: Seal | None) -> int:
    rows: list[Any] = connection.execute(f"{_SHOWN} where owner = ?", (owner,)).fetchall()
    notes = [Noted(name, False, prompts, heads, left) for name, _, left, prompts, heads in rows]
    over = _written(connection, notes)
    count = 0
    for noted in notes:
        row: Any = connection.execute("select contents from notes where name = ?", (noted.name,)).fetchone()
        noted.open(found(folder, row[0]), seal)
        places = [place for name, place in noted.places.items() if name not in over]
        cut = noted.cut(places, seal)
        if cut is None:
            continue
        connection.execute("delete from notes_left where name = ?", (noted.name,))
        if places:
            heads = [noted.heads[place] for place in places]
            names = [head.id for head in heads]
            about = max(head.received for head in heads), min(names), max(names), len(names)
            add_batch(connection, about, noted.prompts, cut)
            count += len(names)
    return count


def _written(connection: Connection, notes: list[Noted]) -> set[str]:
    """Those of them whose records are among the batches."""
    names = {name for noted in notes for name in noted.places}
    oldest = min((noted.heads[place].received for noted in notes for place in noted.places.values()), default=0.0)
    over: set[str] = set()
    if names:
        for number, prompts, heads in connection.execute(_SINCE, (oldest,)):
            try:
                over.update(names.intersection(StoredBatch(number, prompts, heads).places))
            except apsw.CorruptError:  # a batch that nobody can read tells nothing of them
                continue
    return over
