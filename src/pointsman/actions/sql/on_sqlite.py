"""SQLite: its schema and EXPLAIN QUERY PLAN, on a connection that cannot write."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from pointsman.actions.sql.explained import Statement
from pointsman.actions.sql.schema import Column, Existing, Schema, Table, kind_of

_LOCK_WAIT = 2.0
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_WRITES = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
_NO_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zipfile", "fsdir"}


class OnSqlite:
    """Opened with mode=ro and query_only; before a statement that somebody wrote is looked at, an authorizer denies all but
    reads (and, inside EXPLAIN, naming a table that would be written), every PRAGMA and ATTACH among them."""

    dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def schema(self, names: set[str]) -> Schema:
        """Those tables, by the names that are there."""
        found: Schema = {}
        listed = self._connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")
        for name, kind in listed.fetchall():
            if name.lower() in names:
                found[name.lower()] = self._table(name, kind)
        return found

    def _table(self, name: str, kind: str) -> Table:
        ask = self._connection.execute
        rows = ask('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', (name,)).fetchall()
        key = tuple(column for column, _, _, place in sorted(rows, key=lambda row: row[3]) if place)
        # an INTEGER PRIMARY KEY is the row's number, never NULL; other keys of SQLite may be
        whole = len(key) == 1 and any(r[0] == key[0] and r[1].upper() == "INTEGER" for r in rows)
        columns = tuple(
            Column(column, kind_of(declared), bool(filled) or (whole and bool(place)))
            for column, declared, filled, place in rows
        )
        indexes = [Existing("PRIMARY KEY", key, True)] if key else []
        for index, unique, partial in ask(
            'SELECT name, "unique", partial FROM pragma_index_list(?)', (name,)
        ).fetchall():
            parts = ask("SELECT name FROM pragma_index_info(?)", (index,)).fetchall()
            indexes.append(Existing(index, tuple(part or "" for (part,) in parts), bool(unique), bool(partial)))
        return Table(name, columns, tuple(indexes), self._rows(name) if kind == "table" else None)

    def _rows(self, name: str) -> int | None:
        """What ANALYZE found, or the last row's number."""
        with contextlib.suppress(sqlite3.Error):
            stat = self._connection.execute(
                "SELECT max(CAST(stat AS INTEGER)) FROM sqlite_stat1 WHERE tbl = ?", (name,)
            )
            if (known := stat.fetchone()[0]) is not None:
                return int(known)
        quoted = name.replace('"', '""')
        with contextlib.suppress(sqlite3.Error):
            found = self._connection.execute(f'SELECT max(_rowid_) FROM "{quoted}"').fetchone()[0]  # noqa: S608
            return int(found or 0)
        return None

    def explain(self, statement: Statement) -> list[tuple[int, int, str]]:
        """Rows of the plan: id, id of the one above, words. Raises sqlite3.Error."""
        allowed = _READS | _WRITES if statement.writes else _READS

        def judge(action: int, one: str | None, two: str | None, base: str | None, view: str | None) -> int:
            if action == sqlite3.SQLITE_FUNCTION:
                return sqlite3.SQLITE_DENY if (two or "").lower() in _NO_FUNCTIONS else sqlite3.SQLITE_OK
            return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

        self._connection.set_authorizer(judge)
        nothing = (None,) * statement.slots
        rows = self._connection.execute(f"EXPLAIN QUERY PLAN {statement.sql}", nothing).fetchmany(500)
        return [(int(row[0]), int(row[1]), str(row[3])) for row in rows]


@contextlib.contextmanager
def sqlite_open(path: str, seconds: float) -> Iterator[OnSqlite]:
    """Raises sqlite3.Error for a file that is none. The child's clock ends what takes too long."""
    end = time.monotonic() + seconds
    address = f"{Path(path).absolute().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=_LOCK_WAIT, isolation_level=None)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.set_progress_handler(lambda: time.monotonic() > end, 20_000)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        yield OnSqlite(connection)
