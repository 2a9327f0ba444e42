"""Finished requests → SQLite, off the hot path: a queue, one thread, commits in groups."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from pathlib import Path
from typing import Any

import apsw
import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.store.log_row import INSERT, Prompts, row_of
from pointsman.store.log_schema import NAME, all_or_nothing, explained, open_log
from pointsman.store.retention import Retention
from pointsman.store.seal import KEY, Seal

log = logging.getLogger("pointsman")

_Item = tuple[Record, PolicyDocument, Snapshot]
_Row = tuple[_Item, tuple[Any, ...]]
_ALL_FAIL = (  # no record is at fault: the next one would fare as the last
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
)


class LogWriter:
    """`put` costs an append to a queue. A record that cannot be kept (the disk is full, the writer far behind, the log
    closed, the record itself at fault) is counted in `dropped`, alone; requests go on. `problem` says what keeps all
    records from being written. Where log or key were removed, new ones are begun. What is older than `keep` seconds
    is removed. `close` writes what is queued.

    Raises OSError, ValueError (a key that is none), apsw.Error (a file that is no log)."""

    def __init__(
        self, folder: Path, prompts: Prompts, keep: float, *, backlog: int = 20_000, linger: float = 0.05
    ) -> None:
        self._folder = folder
        self._prompts = prompts
        self._retention = Retention(keep)
        self._linger = linger
        self._queue: queue.Queue[_Item | None] = queue.Queue(backlog)
        self._lock = threading.Lock()  # of `_closed` and `dropped`
        self._closed = False
        self._known: set[str] = set()
        self._purge_at = 0.0
        self.dropped = 0
        self.written = 0
        self.problem: str | None = None
        self._open()
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        with self._lock:
            if not self._closed:
                with contextlib.suppress(queue.Full):
                    self._queue.put_nowait((record, policy, snapshot))
                    return
            self.dropped += 1

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put(None)
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._connection.close()

    def _open(self) -> None:
        self._seal = Seal.in_folder(self._folder) if self._prompts == "sealed" else None
        self._connection = open_log(self._folder / NAME)
        self._known.clear()
        self._files = self._identity()

    def _identity(self) -> list[tuple[int, int] | None]:
        """Which files log and key are, to see whether somebody took them away."""
        found: list[tuple[int, int] | None] = []
        for name in (NAME, KEY) if self._seal else (NAME,):
            try:
                status = (self._folder / name).stat()
            except OSError:
                found.append(None)
            else:
                found.append((status.st_dev, status.st_ino))
        return found

    def _run(self) -> None:
        last = False
        while not last:
            batch, last = self._collect()
            if batch:
                self._store(batch)
            if time.monotonic() >= self._purge_at:
                self._purge()

    def _collect(self) -> tuple[list[_Item], bool]:
        """Waits for one item, then takes what comes within `linger` seconds, at most a thousand. Nothing where it is
        time to remove what is old. True: it was the last."""
        try:
            item = self._queue.get(timeout=max(self._purge_at - time.monotonic(), 1.0))
        except queue.Empty:
            return [], False
        if item is None:
            return [], True
        batch = [item]
        time.sleep(self._linger)
        while len(batch) < 1000:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
            if item is None:
                return batch, True
            batch.append(item)
        return batch, False

    def _store(self, batch: list[_Item]) -> None:
        try:
            self._reopen_if_lost()
        except Exception as error:
            self._fail(error, len(batch))
            return
        rows = self._rows(batch)
        try:
            self._write(rows)
        except _ALL_FAIL as error:
            self._fail(error, len(rows))
        except Exception:  # one of them is at fault; the others must not pay for it
            for row in rows:
                self._write_alone(row)
        else:
            self.problem = None

    def _rows(self, batch: list[_Item]) -> list[_Row]:
        rows: list[_Row] = []
        for item in batch:
            try:
                rows.append((item, row_of(item[0], item[1], self._prompts, self._seal)))
            except Exception as error:
                self._drop_one(item, error)
        return rows

    def _write_alone(self, row: _Row) -> None:
        try:
            self._write([row])
        except Exception as error:
            self._drop_one(row[0], error)

    def _write(self, rows: list[_Row]) -> None:
        now = time.time()
        seen: set[str] = set()
        with all_or_nothing(self._connection):
            for (record, policy, snapshot), values in rows:
                self._connection.execute(INSERT, values)
                if (decision := record.decision) is None:
                    continue
                if decision.policy not in self._known and decision.policy not in seen:
                    self._once("policies", decision.policy, now, policy.encode())
                if decision.snapshot not in self._known and decision.snapshot not in seen:
                    self._once("snapshots", decision.snapshot, now, msgspec.msgpack.encode(snapshot))
                seen |= {decision.policy, decision.snapshot}
        self._known |= seen
        self.written += len(rows)

    def _once(self, table: str, name: str, now: float, document: bytes) -> None:
        self._connection.execute(f"insert or ignore into {table} values (?,?,?)", (name, now, document))  # noqa: S608

    def _reopen_if_lost(self) -> None:
        if self._identity() == self._files:
            return
        log.warning(
            Said(
                "log or key in %s were removed or replaced; the request log is begun anew",
                "%s 里的日志或密钥被删除或替换了；请求日志重新开始",
            ),
            self._folder,
        )
        with contextlib.suppress(apsw.Error):
            self._connection.close()
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._open()

    def _purge(self) -> None:
        try:
            wait = self._retention.purge(self._connection, time.time())
        except Exception as error:
            log.warning(
                Said("old requests cannot be removed from the log: %s", "旧请求无法从日志中删除：%s"), explained(error)
            )
            wait = 60.0
        self._known.clear()
        self._purge_at = time.monotonic() + wait

    def _fail(self, error: Exception, lost: int) -> None:
        """A full disk, a lost folder: the gateway serves on."""
        self._drop(lost)
        if self.problem is None:
            log.error(Said("the request log cannot be written: %s", "请求日志无法写入：%s"), explained(error))
        self.problem = explained(error)

    def _drop(self, count: int) -> None:
        with self._lock:
            self.dropped += count

    def _drop_one(self, item: _Item, error: Exception) -> None:
        self._drop(1)
        log.warning(
            Said("request %r cannot be kept in the log: %s", "请求 %r 无法写入日志：%s"),
            item[0].request.id,
            type(error).__name__,
        )
