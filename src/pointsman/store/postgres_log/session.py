"""A session with PostgreSQL that speaks as apsw does: the same statements, the same errors."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import apsw
import pg8000.dbapi  # type: ignore[import-untyped]

from pointsman.domain.said import said

_HINT = re.compile(r" indexed by \w+")
_ONE_AT_A_TIME = "select pg_advisory_xact_lock(8209117)"
_BEGIN = {
    "begin immediate": ("begin", _ONE_AT_A_TIME),  # writers take turns, as in SQLite
    "begin": ("begin isolation level repeatable read read only",),
}
_LOST = (pg8000.dbapi.InterfaceError, OSError, struct.error)
_KINDS: dict[str, type[apsw.Error]] = {
    "53100": apsw.FullError,
    "40001": apsw.BusyError,
    "40P01": apsw.BusyError,
    "55P03": apsw.BusyError,
    "57P01": apsw.BusyError,
    "57P03": apsw.BusyError,
}
"""What PostgreSQL says → what SQLite would; else it is a mistake of the statement, or the tables are not there."""
_LIVES = (
    "select 1 from pg_locks where locktype = 'advisory' and classid::bigint = ? and objid::bigint = ? and objsubid = 2 "
    "and database = (select oid from pg_database where datname = current_database())"
)
_SPACE = 20_817  # of locks that say that a process lives


class Result:
    """What a statement gave."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = iter([tuple(row) for row in rows])

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def fetchone(self) -> Any:
        return next(self._rows, None)


class Session:
    """`connect` makes a connection, and `prepare` is said to it; again, where the last one was lost. Where it is, what fails
    is as if another process had the database: to be tried again."""

    def __init__(self, connect: Callable[[], Any], prepare: Sequence[str] = ()) -> None:
        self._connect = connect
        self._prepare = prepare
        self._changes = 0
        self._begun = False
        self._connection: Any = None
        self._cursor()

    @property
    def in_transaction(self) -> bool:
        return self._begun

    def execute(self, statements: str, bindings: Sequence[Any] = ()) -> Result:
        if statements in _BEGIN:
            for statement in _BEGIN[statements]:
                self._run(statement, ())
            self._begun = True
            return Result(())
        if statements in ("commit", "rollback"):
            self._begun = False
        return self._run(_HINT.sub("", statements).replace("?", "%s"), bindings)

    def executemany(self, statements: str, sequenceofbindings: Sequence[Sequence[Any]]) -> Result:
        for bindings in sequenceofbindings:
            self.execute(statements, bindings)
        return Result(())

    def changes(self) -> int:
        return self._changes

    def lives(self, owner: str) -> bool:
        """Whether the process with that name has its lock."""
        return bool(self.execute(_LIVES, (_SPACE, int(owner[:8], 16))).fetchall())

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except _LOST:
                return

    def _cursor(self) -> Any:
        if self._connection is None:
            try:
                connection = self._connect()
                connection.autocommit = True
                cursor = connection.cursor()
                for statement in self._prepare:
                    cursor.execute(statement)
            except (*_LOST, pg8000.dbapi.Error) as error:
                self._fail(error)
            self._connection = connection
        return self._connection.cursor()

    def _run(self, statement: str, bindings: Sequence[Any]) -> Result:
        try:
            cursor = self._cursor()
            cursor.execute(statement, [int(value) if isinstance(value, bool) else value for value in bindings])
            self._changes = cursor.rowcount
            return Result(cursor.fetchall() if cursor.description else ())
        except (*_LOST, pg8000.dbapi.Error) as error:
            self._fail(error)

    def _fail(self, error: Exception) -> NoReturn:
        if isinstance(error, _LOST):
            self._lost()
            message = said("PostgreSQL cannot be reached: {why}", "连不上 PostgreSQL：{why}", why=str(error))
            raise apsw.BusyError(message) from None
        told = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
        kind = _KINDS.get(str(told.get("C")), apsw.SQLError)
        if told.get("C") in ("57P01", "57P03"):
            self._lost()
        elif self._begun:
            self._begun = False
            self._connection.cursor().execute("rollback")
        raise kind(said("PostgreSQL says: {why}", "PostgreSQL 报错：{why}", why=str(told.get("M") or error))) from None

    def _lost(self) -> None:
        self._begun = False
        self.close()


def claim(owner: str) -> str:
    """The statement that says that the process with that name lives, as long as its session does."""
    number = int(owner[:8], 16)
    return f"select pg_advisory_lock({_SPACE}, {number - (1 << 32) if number >= 1 << 31 else number})"
