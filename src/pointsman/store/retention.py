"""What was kept long enough goes, off the disk too."""

from __future__ import annotations

from typing import Any

import apsw

from pointsman.store.content_files import Kept
from pointsman.store.log_home import Contents
from pointsman.store.log_schema import DAY, HOUR, MINUTE, all_or_nothing
from pointsman.store.log_sql import Connection
from pointsman.store.log_unfiled import remove_chapters
from pointsman.store.signal_rows import remove_signs

_SLICE = 100  # batches, and feedback, that are removed at once, so that writing need not wait long
_SOON, _LATER, _HOURLY = 0.0, 60.0, 3600.0
_LARGE = 1 << 30  # bytes of a log that is not written anew every day
_KEYS = {"batches": "id", "notes": "name"}
_OLD = "select {key}, {place} from {table} where last < ? limit ?"
_PLACE = "iif(typeof(contents) = 'text', contents, null)"  # of contents that lie in a file
_OLD_FEEDBACK = "delete from feedback where request_id in (select request_id from feedback where asked < ? limit ?)"


class Retention:
    """Batches and notes whose newest request is older than `keep` seconds are removed, feedback on requests that are, what
    callers did on days that are, policies and snapshots a day after the last that refers to them. Sums by minute go with the
    requests, those by hour and day after `keep_rollups` seconds. A batch is some tens of milliseconds of traffic; what ran
    long in it came earlier by so long, and stays by so long more, without its words where these were noted.

    Deleted bytes are overwritten at once (in the database by `secure_delete`, in files of contents before their rows go)
    and the write-ahead log, which still has them, is emptied.
    Where rows were moved between pages some bytes of old copies stay; so once a day, while the log is below 1 GiB, the
    file is written anew. In a larger one such remnants go when their pages are used again."""

    def __init__(self, keep: float, keep_rollups: float | None = None) -> None:
        self._keep = keep
        self._keep_rollups = max(keep, keep_rollups or keep)
        self._renew_at = 0.0
        self._stale = False

    def purge(self, connection: Connection, contents: Contents, now: float) -> float:
        """`now` is seconds since the epoch. Returns in how many seconds to come back: at once where more is left, soon
        where a reader held the write-ahead log. Raises apsw.Error."""
        before = now - self._keep
        if _is_uncounted(connection, before):
            from pointsman.store.log_filing import file_batches  # where they were filed in time there is no need of it

            while _is_uncounted(connection, before) and file_batches(connection, all_of_them=True):
                pass
        wipe_rest(connection, contents)
        old = {table: _old(connection, table, key, before) for table, key in _KEYS.items()}
        for rows in old.values():
            contents.wipe(kept for _, kept in rows)
        with all_or_nothing(connection):
            removed = _removed(connection, _OLD_FEEDBACK, (before, _SLICE))
            removed = max(removed, remove_signs(connection, before, _SLICE))
            for table, rows in old.items():
                connection.executemany(f"delete from {table} where {_KEYS[table]} = ?", [(key,) for key, _ in rows])  # noqa: S608
                removed = max(removed, len(rows))
            removed = max(removed, remove_chapters(connection, before, _SLICE))
            self._stale = self._stale or removed > 0
            if removed < _SLICE:
                for step, until in (
                    (MINUTE, before),
                    (HOUR, now - self._keep_rollups),
                    (DAY, now - self._keep_rollups),
                ):
                    connection.execute("delete from rollups where step = ? and start < ?", (step, int(until) - step))
                connection.execute("delete from erased where day < ?", (int((now - self._keep_rollups) // DAY),))
                connection.execute("delete from notes_left where name not in (select name from notes)")
                for table in ("policies", "snapshots"):
                    connection.execute(f"delete from {table} where used < ?", (before - DAY,))  # noqa: S608
        if removed == _SLICE:
            return _SOON
        contents.clear(before)
        if not isinstance(connection, apsw.Connection):
            return _HOURLY
        if self._stale and now >= self._renew_at:
            self._renew_at = now + DAY
            self._stale = False
            if _size(connection) <= _LARGE:
                try:
                    connection.execute("vacuum").fetchall()
                except apsw.BusyError:  # another gateway is writing, or at the same thing
                    self._renew_at, self._stale = now, True
                    return _LATER
        held = connection.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0]
        return _LATER if held else _HOURLY


def wipe_rest(connection: Connection, contents: Contents) -> None:
    """Overwrites what nothing refers to any more. Raises OSError, apsw.Error."""
    places = [place for (place,) in connection.execute("select place from wiped").fetchall()]
    if places:
        contents.wipe(places)
        with all_or_nothing(connection):
            connection.executemany("delete from wiped where place = ?", [(place,) for place in places])


def _is_uncounted(connection: Connection, before: float) -> bool:
    """Whether what goes is not summed up yet."""
    query = "select 1 from unfiled join batches on id = batch where counted = 0 and last < ? limit 1"
    return bool(connection.execute(query, (before,)).fetchall())


def _old(connection: Connection, table: str, key: str, before: float) -> list[tuple[Any, Kept]]:
    """(key, where its contents lie), of some."""
    place = _PLACE if isinstance(connection, apsw.Connection) else "null"
    rows: list[Any] = connection.execute(_OLD.format(table=table, key=key, place=place), (before, _SLICE)).fetchall()
    return rows


def _removed(connection: Connection, statement: str, values: tuple[float, int]) -> int:
    connection.execute(statement, values)
    return connection.changes()


def _size(connection: apsw.Connection) -> int:
    [(size,)] = connection.execute("select page_count * page_size from pragma_page_count, pragma_page_size").fetchall()
    return int(str(size))
