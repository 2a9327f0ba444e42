"""The file that jobs lie in: its tables, opening it, and saying what went wrong with it.

A row of `jobs` is what changes with every step; it is narrow. `phase` says where it stands for those who look for work;
`due` is the machine's monotonic clock: the end of a lease, or of a delay; `ended` is `updated` of a job that is over.
`op`, `led_version` and `led_token` are of the last change. `slot` in `blobs` is 4 * seq, and 0 for `body`, 1 for `data`, 2
for `result`: a step need not write a large body again. A row of `steps` is a domain.job.Step in MessagePack.

The indexes are partial: however many jobs are over, finding work looks at none of them."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import apsw

from pointsman.config.others_words import all_of, message_of
from pointsman.domain.said import Said, said
from pointsman.ports.job_store import StoreError
from pointsman.store.log_file import alone_in
from pointsman.store.log_schema import all_or_nothing

VERSION = 1
READY, DELAYED, LEASED, PARKED, OVER, DEAD = range(6)
"""Values of `phase`."""

TABLES = """
create table jobs (
  seq integer primary key,
  id text not null, queue text not null, kind text not null, caller text not null, created real not null, key text,
  digest blob not null, parent text, expires real, webhook text,
  phase integer not null, due real not null, ended real,
  updated real not null, state text not null, disposition text not null, outcome text, asked integer not null,
  version integer not null, token integer not null, generation integer not null, worker text not null,
  failures integer not null, lost integer not null, left integer not null, spent integer not null, error text,
  op text not null, led_version integer not null, led_token integer not null, counted integer not null
) strict;
create unique index job_by_id on jobs (id);
create unique index job_by_key on jobs (caller, key) where key is not null;
create index jobs_by_caller on jobs (caller, id);
create index jobs_by_parent on jobs (parent, id) where parent is not null;
create index ready on jobs (queue, created) where phase = 0;
create index delayed on jobs (queue, due) where phase = 1;
create index leased on jobs (queue, due) where phase = 2;
create index parked on jobs (queue) where phase = 3;
create index dead on jobs (queue) where phase = 5;
create index ended on jobs (ended) where ended is not null;
create table blobs (slot integer primary key, value blob not null) strict;
create table steps (job integer, number integer, step blob not null, primary key (job, number)) without rowid, strict;
create table passing (key text primary key, value blob not null, until real not null) without rowid, strict;
create index passing_by_end on passing (until);
create table boot (id text not null) strict;
insert into boot values ('');
"""
_SETTINGS = ("journal_mode=wal", "synchronous=full", "secure_delete=on", "journal_size_limit=67108864")
_PATIENCE = 5.0  # seconds for another process to let go
_SAYS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.FullError, "磁盘已满"),
    (apsw.IOError, "读写磁盘出错"),
    (apsw.BusyError, "另一个进程正占用数据库"),
    (apsw.LockedError, "数据库被锁定"),
    (apsw.CantOpenError, "打不开数据库文件"),
    (apsw.ReadOnlyError, "数据库文件是只读的"),
    (apsw.NotADBError, "它不是数据库文件"),
    (apsw.CorruptError, "数据库文件已损坏"),
    (apsw.SQLError, "它不是任务库，或者结构不对"),
)


def opened(path: Path, boot: str, vfs: str | None = None) -> apsw.Connection:
    """For writing; begins the file where there is none, for its owner only (SQLite gives those beside it the same
    rights). Where the machine was started since, all leases and delays have run out. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with alone_in(path.parent):
            _for_owner_only(path)
            connection = connected(path, vfs)
            try:
                _begin(connection, boot)
            except BaseException:
                connection.close()
                raise
    except (apsw.Error, OSError) as error:
        raise unable(path, error) from error
    return connection


def connected(path: Path, vfs: str | None = None) -> apsw.Connection:
    """With all settings that a connection has for itself. Raises apsw.Error."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
    patient(connection)
    return connection


def unable(path: Path, error: Exception) -> StoreError:
    """What went wrong with the file, in both languages."""
    text = message_of(error)
    if isinstance(text, Said) or not isinstance(error, apsw.Error):
        why: str = all_of(error)
    else:
        why = Said(text, next((zh for kind, zh in _SAYS if isinstance(error, kind)), "SQLite 报错"))
    return StoreError(said("the jobs in {path}: {why}", "{path} 里的任务：{why}", path=path, why=why))


def _begin(connection: apsw.Connection, boot: str) -> None:
    [(found,)] = connection.execute("pragma user_version").fetchall()
    if int(str(found)) > VERSION:
        raise apsw.SQLError(
            said(
                "a newer version wrote it (schema {found}, this one knows {known})",
                "它是更新的版本写的（结构 {found}，这个版本只认识 {known}）",
                found=found,
                known=VERSION,
            )
        )
    for setting in _SETTINGS:
        connection.execute(f"pragma {setting}").fetchall()  # apsw runs a statement only as far as it is read
    with all_or_nothing(connection):
        if not found:
            connection.execute(TABLES)
            connection.execute(f"pragma user_version={VERSION}")
        connection.execute("update boot set id = ?1 where id <> ?1", (boot,))
        if connection.changes():
            connection.execute("update jobs set due = 0 where phase = 1; update jobs set due = 0 where phase = 2")
            connection.execute("delete from passing")


def patient(connection: apsw.Connection) -> None:
    """Asks again every millisecond, at first more often: SQLite's own waits grow to a tenth of a second, in which others
    take turns."""
    since = 0.0

    def again(tries: int) -> bool:
        nonlocal since
        if not tries:
            since = time.monotonic()
        time.sleep(0.0002 if tries < 50 else 0.001)
        return time.monotonic() - since < _PATIENCE

    connection.set_busy_handler(again)


def _for_owner_only(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with contextlib.suppress(OSError):  # not there, or another's: then that other may read it anyway
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
