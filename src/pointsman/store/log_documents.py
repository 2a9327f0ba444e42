"""Policies and snapshots in the log: once per hash, and told now and then that they are still in use."""

from __future__ import annotations

import time

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.target import Snapshot
from pointsman.store.log_batch import Batch
from pointsman.store.log_sql import Connection

_HOUR = 3600.0
_Table = dict[str, PolicyDocument] | dict[str, Snapshot]


class Documents:
    """Those that batches name. Once an hour is enough for retention to know that one is in use."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], float] = {}

    def write(self, connection: Connection, batch: Batch) -> list[tuple[str, str]]:
        """Writes what is news. Returns what `written` is to be told when the transaction has ended well. Raises
        apsw.Error."""
        news: list[tuple[str, str]] = []
        tables: tuple[tuple[str, _Table], ...] = (("policies", batch.policies), ("snapshots", batch.snapshots))
        for table, documents in tables:
            for name, document in documents.items():
                if time.monotonic() - self._told.get((table, name), -_HOUR) >= _HOUR:
                    _write(connection, table, name, document)
                    news.append((table, name))
        return news

    def written(self, news: list[tuple[str, str]]) -> None:
        now = time.monotonic()
        self._told.update((name, now) for name in news)

    def forget(self) -> None:
        """The log may have them no more."""
        self._told.clear()


def _write(connection: Connection, table: str, name: str, document: PolicyDocument | Snapshot) -> None:
    now = time.time()
    told = f"update {table} set used = case when used > ? then used else ? end where hash = ?"  # noqa: S608
    connection.execute(told, (now, now, name))
    if not connection.changes():
        data = document.encode() if isinstance(document, PolicyDocument) else msgspec.msgpack.encode(document)
        connection.execute(f"insert into {table} (hash, used, document) values (?,?,?)", (name, now, data))  # noqa: S608
