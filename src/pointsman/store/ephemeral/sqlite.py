"""Ephemeral values in a SQLite file beside that of the jobs, for the processes of one machine. Nothing is synced: a write
costs some microseconds, and a power cut takes what there was."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from pointsman.config.others_words import all_of
from pointsman.domain.said import Said, said
from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral.memory import counted
from pointsman.store.jobs.boot import boot_id
from pointsman.store.jobs.sqlite_desk import Asked, Desk
from pointsman.store.jobs.sqlite_file import patient
from pointsman.store.log_file import alone_in
from pointsman.store.log_schema import all_or_nothing

_TABLES = """
create table if not exists passing (key text primary key, value blob not null, until real not null) without rowid, strict;
create index if not exists passing_by_end on passing (until);
create table if not exists boot (id text not null) strict;
insert into boot select '' where not exists (select 1 from boot);
"""
_SETTINGS = ("journal_mode=wal", "synchronous=off", "journal_size_limit=1048576")
_FORGET = "delete from passing where until <= ?"
_GET = "select value from passing where key = ? and until > ?"
_SCAN = "select key, value from passing where key >= ? and until > ? order by key"
_PUT = "insert or replace into passing values (?,?,?)"
_DELETE = "delete from passing where key = ?"
_SWEEP = 1.0  # seconds between two times that what is over is removed


class SqliteEphemeral:
    """One thread reads and writes, all that waits in one transaction. `clock` gives seconds since the machine was started,
    the same in all processes; after the next start nothing is left. Where the file is removed, another is begun; nothing
    is opened before the first call."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._connection: apsw.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._swept = 0.0
        self._desk: Desk | None = None
        self._closed = False

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        await self._at_desk().ask(self._put, key, value, seconds)

    async def get(self, key: str) -> bytes | None:
        value: bytes | None = await self._at_desk().ask(self._get, key)
        return value

    async def delete(self, key: str) -> None:
        await self._at_desk().ask(self._delete, key)

    async def scan(self, prefix: str) -> dict[str, bytes]:
        found: dict[str, bytes] = await self._at_desk().ask(self._scan, prefix)
        return found

    async def add(self, key: str, amount: int, seconds: float) -> int:
        total: int = await self._at_desk().ask(self._add, key, amount, seconds)
        return total

    async def swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        done: bool = await self._at_desk().ask(self._swap, key, expected, value, seconds)
        return done

    async def close(self) -> None:
        self._closed = True
        if self._desk is not None:
            await self._desk.close()

    def _at_desk(self) -> Desk:
        if self._closed:
            raise StoreError(Said("the store is closed", "存储已关闭"))
        if self._desk is None:
            self._desk = Desk("ephemeral", self._do, self._leave)
        return self._desk

    # In the thread

    def _do(self, batch: Sequence[Asked]) -> None:
        try:
            with all_or_nothing(self._opened()):
                self._sweep()
                for asked in batch:
                    asked.error = None
                    try:
                        asked.result = asked.what(*asked.args)
                    except StoreError as error:
                        asked.error = error
        except Exception as error:
            for asked in batch:
                asked.error = self._told(error)

    def _told(self, error: Exception) -> Exception:
        if not isinstance(error, (apsw.Error, OSError)):
            return error
        return StoreError(said(*_FAILED, path=self._path, why=all_of(error)))

    def _opened(self) -> apsw.Connection:
        with contextlib.suppress(FileNotFoundError):
            found = self._path.stat()
            if self._connection is not None and (found.st_dev, found.st_ino) == self._identity:
                return self._connection
        self._leave()
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with alone_in(self._path.parent):
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                patient(connection)
                for setting in _SETTINGS:
                    connection.execute(f"pragma {setting}").fetchall()
                with all_or_nothing(connection):
                    connection.execute(_TABLES)
                    boot = boot_id()
                    connection.execute("update boot set id = ?1 where id <> ?1", (boot,))
                    if connection.changes():
                        connection.execute("delete from passing")
            except BaseException:
                connection.close()
                raise
        found = self._path.stat()
        self._connection, self._identity = connection, (found.st_dev, found.st_ino)
        return connection

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _sweep(self) -> None:
        now = self._clock()
        if now - self._swept >= _SWEEP:
            self._all(_FORGET, now)
            self._swept = now

    def _put(self, key: str, value: bytes, seconds: float) -> None:
        self._all(_PUT, key, value, self._clock() + seconds)

    def _get(self, key: str) -> bytes | None:
        rows = self._all(_GET, key, self._clock())
        return bytes(rows[0][0]) if rows else None

    def _delete(self, key: str) -> None:
        self._all(_DELETE, key)

    def _scan(self, prefix: str) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for key, value in self._all(_SCAN, prefix, self._clock()):
            if not key.startswith(prefix):
                break
            found[key] = value
        return found

    def _add(self, key: str, amount: int, seconds: float) -> int:
        total = counted(self._get(key)) + amount
        self._put(key, b"%d" % total, seconds)
        return total

    def _swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        if self._get(key) != expected:
            return False
        self._put(key, value, seconds)
        return True

    def _all(self, statement: str, *values: Any) -> list[Any]:
        assert self._connection is not None
        return self._connection.execute(statement, values).fetchall()


_FAILED = ("the shared values in {path}: {why}", "{path} 里的共享数据：{why}")
