"""The tables of the request log, writing to them in one piece, and saying what went wrong.

A row of `batches` is some tens of milliseconds of traffic. `heads` is what may be known without a key, `contents` what
holds words of the prompts, null where none are kept; both are MessagePack, in zlib where that gains enough, and
`contents` is sealed where `prompts` says so. Where it is a text it says in which file beside the log they lie
(`content_files.py`). `last` is the newest `received` in the batch, `first_id` and `last_id` are the
bounds of its ids. `used` is when a batch last referred to the document, to the hour.

A row of `feedback` is what a caller last said of one request, which came at `asked`; `comment` is sealed where `prompts`
says so, null where none was made or none is kept.

A row of `notes` is what a process had under way for some time, noted together: heads and contents as of a batch. Records
of these requests refer to the contents, so it is kept as long as they are. While some of them are under way,
`notes_left` has a row of that name: the process (`owner`), and a byte a request, 0 where it has ended. The transaction that
writes its record says so.

A row of `feedback_on` says which model replied to a request of which there is feedback, and the type of its task ('' for
none). A row of `signs` is what a caller did with a model's replies of one day (since the epoch, UTC): signal_rows.py.

A row of `chapters` is an index over some thousands of requests of several batches, newest first: `times` when they came,
`places` where they lie (log_chapters.py); `high` is the greatest of its batches' numbers. A row of `fields` is one field of
theirs (log_columns.py). `unfiled` are the batches that no chapter has yet; `counted`: 1 where the roll-ups have them, -1
where they cannot be read. A row of `rollups` sums up the requests that came within `step` seconds from `start` on, by some
fields (rollups.py).

A row of `wiped` is a place in a file of contents to which nothing refers any more, and which is still to be overwritten. A
row of `erased` is how many requests of a day (since the epoch, UTC) somebody had erased.

Logs that were begun without the last tables get them when a gateway opens them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import apsw

from pointsman.config.others_words import all_of, message_of
from pointsman.domain.said import Said
from pointsman.store.log_sql import Connection

NAME = "log.sqlite"
VERSION = 3
MINUTE, HOUR, DAY = 60, 3600, 86_400  # seconds: the steps of rollups
UNDERSTOOD = 2
"""The oldest version that is read, and written on: its contents all lie in the database."""

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
TABLES = """
create table if not exists batches (
  id integer primary key, last real not null, first_id text not null, last_id text not null, count integer not null,
  prompts text not null, heads blob not null, contents blob
);
create index if not exists batches_by_time on batches (last);
create index if not exists batches_by_id on batches (last_id, first_id);
create table if not exists policies (hash text primary key, used real not null, document blob not null) without rowid;
create table if not exists snapshots (hash text primary key, used real not null, document blob not null) without rowid;
create table if not exists feedback (
  request_id text primary key, asked real not null, received real not null, caller text not null, adopted integer,
  rating integer, edited integer not null, retried integer not null, prompts text not null, comment blob
) without rowid;
create table if not exists notes (
  name text primary key, last real not null, prompts text not null, heads blob not null, contents blob
);
create index if not exists notes_by_time on notes (last);
create table if not exists notes_left (name text primary key, owner text not null, "left" blob not null);
create table if not exists feedback_on (
  request_id text primary key, asked real not null, model text not null, task text not null
) without rowid;
create table if not exists signs (
  day integer not null, caller text not null, model text not null, task text not null, replies integer not null,
  asked_again integer not null, hung_up integer not null, primary key (day, caller, model, task)
) without rowid;
create table if not exists unfiled (batch integer primary key, counted integer not null);
create table if not exists chapters (
  id integer primary key, first real not null, last real not null, count integer not null, high integer not null,
  times blob not null, batches blob not null, places blob not null
);
create index if not exists chapters_by_time on chapters (last, first, id);
create table if not exists fields (
  name text not null, chapter integer not null, named blob not null, coded blob not null, others blob not null,
  primary key (name, chapter)
) without rowid;
create table if not exists rollups (
  step integer not null, start integer not null, dims text not null, figures blob not null,
  primary key (step, dims, start)
) without rowid;
create table if not exists wiped (place text primary key) without rowid;
create table if not exists erased (day integer primary key, count integer not null);
"""
_UNKNOWN = "id > (select max(ifnull(max(batch), 0), (select ifnull(max(high), 0) from chapters)) from unfiled)"
LATER = (
    "feedback", "notes", "notes_left", "feedback_on", "signs", "unfiled", "chapters", "fields", "rollups", "wiped",
    "erased",
)  # fmt: skip
"""Tables that a log may have been begun without."""


def has_table(connection: Connection, name: str) -> bool:
    """Raises apsw.Error."""
    try:
        connection.execute(f"select 1 from {name} limit 0").fetchall()  # noqa: S608
    except apsw.SQLError:
        return False
    return True


def take_in(connection: Connection) -> None:
    """Batches of a version that knew no chapters are to be filed, too. Raises apsw.Error."""
    if connection.execute(f"select 1 from batches where {_UNKNOWN} limit 1").fetchall():  # noqa: S608
        connection.execute(f"insert or ignore into unfiled select id, 0 from batches where {_UNKNOWN}")  # noqa: S608


def unfiled_in(connection: Connection) -> str:
    """What stands for the table in a query: a log in which nothing was ever filed has none. Raises apsw.Error."""
    return "unfiled" if has_table(connection, "unfiled") else "(select id as batch, 0 as counted from batches)"


@contextlib.contextmanager
def all_or_nothing(connection: Connection) -> Iterator[None]:
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
