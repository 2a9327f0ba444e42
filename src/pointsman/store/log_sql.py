"""What the log needs of a database, whichever it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol


class Rows(Protocol):
    """What a statement gave."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchall(self) -> list[Any]: ...

    def fetchone(self) -> Any: ...


class Connection(Protocol):
    """One session with it. Statements are SQL that SQLite and PostgreSQL read alike, with `?` for values. Methods raise
    apsw.Error, whichever it is."""

    def execute(self, statements: str, bindings: Sequence[Any] = ()) -> Rows: ...

    def executemany(self, statements: str, sequenceofbindings: Sequence[Sequence[Any]]) -> Rows: ...

    def changes(self) -> int: ...

    @property
    def in_transaction(self) -> bool: ...

    def close(self) -> None: ...
