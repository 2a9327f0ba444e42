"""Opening the file of the request log: for its owner only, one process at a time. The last version's is written on, an older
one's moved aside."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw

from pointsman.domain.said import Said, said
from pointsman.store.log_schema import LATER, TABLES, UNDERSTOOD, VERSION, explained, has_table, take_in

if sys.platform != "win32":
    import fcntl

log = logging.getLogger("pointsman")

_PAGE = 8192  # bytes, of a log that is begun: SQLite has less to do for a batch than with its 4096
_WAIT = 5000  # milliseconds for another process to let go


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """While one process begins a log and its key, the others wait. Where the system or the folder knows no such locks,
    nobody waits."""
    if sys.platform == "win32":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def open_log(path: Path) -> apsw.Connection:
    """For writing. Its owner alone may read the file (SQLite gives those beside it the same rights), and what is deleted
    is overwritten. Raises OSError, and apsw.Error that names the file where it is no database or a newer version's.
    Where other processes may do the same, call it inside `alone_in`."""
    _for_owner_only(path)
    try:
        _make_room(path)
        _for_owner_only(path)
        connection = _connected(path)
        try:
            for setting in (f"page_size={_PAGE}", "journal_mode=wal", "synchronous=normal", "secure_delete=on"):
                connection.execute(f"pragma {setting}").fetchall()  # apsw runs a statement only as far as it is read
            if _version(connection) != VERSION or not all(has_table(connection, name) for name in LATER):
                with connection:
                    connection.execute(TABLES)
                    connection.execute(f"pragma user_version={VERSION}")
            take_in(connection)
        except apsw.Error:
            connection.close()
            raise
    except apsw.Error as error:
        raise type(error)(said("{path}: {why}", "{path}：{why}", path=path, why=explained(error))) from None
    return connection


def read_log(path: Path) -> apsw.Connection:
    """For reading only, beside a running gateway. Raises apsw.Error."""
    connection = _connected(path, apsw.SQLITE_OPEN_READONLY)
    try:
        if 0 < (found := _version(connection)) < UNDERSTOOD:
            raise apsw.SQLError(
                said(
                    "an older version wrote it (schema {found}, this one knows {known}); the next start of the gateway "
                    "moves it aside and begins a new one",
                    "它是旧版本写的（结构 {found}，这个版本只认识 {known}）；下次启动网关时会把它移到一边，重新开始记录",
                    found=found,
                    known=VERSION,
                )
            )
    except apsw.Error:
        connection.close()
        raise
    return connection


def _connected(path: Path, flags: int = apsw.SQLITE_OPEN_READWRITE) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(_WAIT)
    return connection


def _version(connection: apsw.Connection) -> int:
    """0 where nothing was written yet. Raises apsw.SQLError where it is a newer version's."""
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
    return int(str(found))


def _make_room(path: Path) -> None:
    """Moves the log of a version that is not understood any more to log-1.sqlite, whole: what its write-ahead log holds
    is in it then. Raises apsw.BusyError where somebody has it open."""
    connection = _connected(path)
    try:
        if not 0 < (found := _version(connection)) < UNDERSTOOD:
            return
        connection.execute("pragma journal_mode=delete").fetchall()
    finally:
        connection.close()
    names = (
        f"{path.stem}-{found}{more}{path.suffix}"
        for more in itertools.chain([""], (f".{n}" for n in itertools.count(2)))
    )
    aside = next(place for place in map(path.with_name, names) if not place.exists())
    path.rename(aside)
    log.warning(
        Said(
            "the request log of an older version is now %s, and a new one begins. Nothing removes the old one by itself: "
            "delete it when you no longer need it",
            "旧版本的请求日志已移到 %s，重新开始记录。旧文件不会自动删除，不再需要时请手动删除",
        ),
        aside,
    )


def _for_owner_only(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with contextlib.suppress(OSError):  # not there, or another's: then that other may read it anyway
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
