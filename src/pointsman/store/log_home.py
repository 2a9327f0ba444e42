"""Where the log of a data folder is: beside its key in SQLite, or in PostgreSQL, where several gateways write one."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.store.content_files import ContentFiles, Kept, Piece
from pointsman.store.log_file import alone_in, open_log
from pointsman.store.log_schema import NAME
from pointsman.store.log_sql import Connection
from pointsman.store.owner import Owner, bury

ELSEWHERE = "log.store"
"""In the data folder, for its owner only: the URL of the log where it is not beside the key."""


class Contents(Protocol):
    """As ContentFiles."""

    def put(self, pieces: Sequence[Piece] | None, *, sealed: bool) -> Kept: ...

    def done(self) -> None: ...

    def undo(self) -> None: ...

    def close(self) -> None: ...

    def wipe(self, kept: Iterable[Kept]) -> None: ...

    def clear(self, before: float) -> None: ...


class Home(Protocol):
    """As one process sees it, which is called `name` there and lives from `open` to `release`, or until it dies."""

    name: str
    sole: bool
    """Whether no other process can write into it."""

    def alone(self) -> AbstractContextManager[None]:
        """While one process begins a log and its key, others wait."""

    def open(self) -> Connection:
        """To write; begins the log where there is none. Inside `alone`. Raises OSError, apsw.Error."""

    def contents(self) -> Contents: ...

    def bury(self) -> None:
        """What is left of processes that are dead. Inside `alone`."""

    def identity(self) -> tuple[int, int] | None:
        """Which log it is, to see whether somebody took it away."""

    def release(self) -> None: ...


class InFolder:
    """In SQLite, and what was asked in files beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = str(folder / NAME)
        self._owner = Owner(folder)
        self.name = self._owner.name
        self.sole = sys.platform == "win32"

    def alone(self) -> AbstractContextManager[None]:
        return alone_in(self._folder)

    def open(self) -> Connection:
        connection = open_log(self._folder / NAME)
        try:
            self._owner.claim()
        except BaseException:
            connection.close()
            raise
        return connection

    def contents(self) -> Contents:
        return ContentFiles(self._folder, self.name)

    def bury(self) -> None:
        bury(self._folder, self.name)

    def identity(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._path)  # noqa: PTH116  # a path of the system's costs a third of a Path, and this is each batch
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def release(self) -> None:
        self._owner.release()


def settle(folder: Path, url: str | None) -> None:
    """The log of that folder is there from now on; None: in the folder. Raises OSError."""
    path = folder / ELSEWHERE
    if url is None:
        path.unlink(missing_ok=True)
    elif url_of(folder) != url:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = folder / f"{ELSEWHERE}.{os.getpid()}"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(url)
        fresh.replace(path)


def url_of(folder: Path) -> str | None:
    """Where the log of that folder is, if it is elsewhere."""
    with contextlib.suppress(OSError):
        return (folder / ELSEWHERE).read_text("utf-8").strip() or None
    return None


def home_of(folder: Path) -> Home:
    """Raises PointsmanError where what it needs is not installed."""
    url = url_of(folder)
    if url is None:
        return InFolder(folder)
    with needing_pg8000():
        from pointsman.store.postgres_log.home import InPostgres
    return InPostgres(url)


@contextlib.contextmanager
def needing_pg8000() -> Iterator[None]:
    """Around imports of `postgres_log`. Raises PointsmanError where what these need is not installed."""
    try:
        yield
    except ImportError:
        en, zh = "a log in PostgreSQL needs pg8000: {how}", "把日志放在 PostgreSQL 里需要 pg8000：{how}"
        raise PointsmanError(said(en, zh, how="pip install 'pointsman[sql]'")) from None
