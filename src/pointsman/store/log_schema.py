"""The tables of the request log, opening them, and writing to them in one piece."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from pointsman.config.others_words import all_of, message_of
from pointsman.domain.said import Said, said

NAME = "log.sqlite"
VERSION = 1
_WAIT = 5000  # milliseconds for another process to let go

_SAYS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.NotADBError, "它不是数据库文件"),
    (apsw.CorruptError, "数据库文件已损坏"),
    (apsw.BusyError, "另一个进程正占用数据库"),
    (apsw.LockedError, "数据库被锁定"),
    (apsw.CantOpenError, "打不开数据库文件"),
    (apsw.ReadOnlyError, "数据库文件是只读的"),
    (apsw.FullError, "磁盘已满"),
    (apsw.IOError, "读写磁盘出错"),
    (apsw.SQLError, "它不是请求日志，或者结构不对"),
)
_TABLES = """
create table if not exists requests (
  id text primary key, received real not null, endpoint text not null, model text not null, caller text not null,
  stage text, rule text, action text, outcome text not null, status integer not null, error text, target text,
  language text, task_type text, input_tokens integer, output_tokens integer, cached_tokens integer,
  output_estimated integer not null, decided_ms real, ttft_ms real, total_ms real,
  policy text, snapshot text, seed integer, exact_tokens integer,
  features blob, attempts blob, prompts text not null, content blob
) without rowid;
create index if not exists requests_by_time on requests (received);
create table if not exists policies (hash text primary key, first_seen real not null, document blob not null) without rowid;
create table if not exists snapshots (hash text primary key, first_seen real not null, document blob not null) without rowid;
"""


def open_log(path: Path) -> apsw.Connection:
    """For writing. Its owner alone may read the file (SQLite gives those beside it the same rights), and what is deleted
    is overwritten. Raises OSError, and apsw.Error that names the file where it is no database or a newer version's."""
    _for_owner_only(path)
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(_WAIT)
        for setting in ("journal_mode=wal", "synchronous=normal", "secure_delete=on"):
            connection.execute(f"pragma {setting}").fetchall()  # apsw runs a statement only as far as it is read
        found = connection.execute("pragma user_version").fetchone()
        if found and found[0] > VERSION:
            raise apsw.SQLError(
                said(
                    "a newer version wrote it (schema {found}, this one knows {known})",
                    "它是更新的版本写的（结构 {found}，这个版本只认识 {known}）",
                    found=found[0],
                    known=VERSION,
                )
            )
        connection.execute(_TABLES)
        connection.execute(f"pragma user_version={VERSION}")
    except apsw.Error as error:
        connection.close()
        raise type(error)(said("{path}: {why}", "{path}：{why}", path=path, why=explained(error))) from None
    return connection


def read_log(path: Path) -> apsw.Connection:
    """For reading only, beside a running gateway."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(_WAIT)
    return connection


@contextlib.contextmanager
def all_or_nothing(connection: apsw.Connection) -> Iterator[None]:
    """A transaction. What goes wrong inside undoes all of it and is raised as it was."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def explained(error: Exception) -> str:
    """What went wrong with the log, in both languages."""
    text = message_of(error)
    if isinstance(text, Said) or not isinstance(error, apsw.Error):
        return all_of(error)
    return Said(text, next((zh for kind, zh in _SAYS if isinstance(error, kind)), "SQLite 报错"))


def _for_owner_only(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with contextlib.suppress(OSError):  # not there, or another's: then that other may read it anyway
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
