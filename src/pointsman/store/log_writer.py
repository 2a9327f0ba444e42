"""Finished requests → SQLite, off the hot path: a queue, one thread, commits in groups."""

from __future__ import annotations

import logging
import queue
import threading
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.store.log_schema import open_log
from pointsman.store.seal import Seal

log = logging.getLogger("pointsman")

Prompts = Literal["sealed", "off", "full"]
_Item = tuple[Record, PolicyDocument, Snapshot]
_INSERT = f"insert or replace into requests values ({','.join('?' * 29)})"  # noqa: S608
_DAY = 86_400.0


class LogWriter:
    """`put` costs an append to a queue. When the disk is full or the writer is far behind, records are dropped and counted
    in `dropped`; requests go on. `close` writes what is queued."""

    def __init__(
        self, folder: Path, prompts: Prompts, keep: float, *, backlog: int = 20_000, linger: float = 0.05
    ) -> None:
        self._path = folder / "log.sqlite"
        self._prompts = prompts
        self._keep = keep
        self._linger = linger
        self._seal = Seal.in_folder(folder) if prompts == "sealed" else None
        self._queue: queue.Queue[_Item | None] = queue.Queue(backlog)
        self._connection = open_log(self._path)
        self._known: set[str] = set()
        self._purged = 0.0
        self.dropped = 0
        self.written = 0
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        try:
            self._queue.put_nowait((record, policy, snapshot))
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._connection.close()

    def _run(self) -> None:
        while True:
            batch, last = self._collect()
            if batch:
                try:
                    self._write(batch)
                    self.written += len(batch)
                    self.problem = None
                except Exception as error:  # a full disk, a lost file: the gateway serves on
                    self.dropped += len(batch)
                    if self.problem is None:
                        log.error("the request log cannot be written: %s", error)
                    self.problem = str(error)
            if last:
                return

    def _collect(self) -> tuple[list[_Item], bool]:
        """Waits for one item, then takes what comes within `linger` seconds, at most a thousand."""
        item = self._queue.get()
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

    def _write(self, batch: list[_Item]) -> None:
        now = time.time()
        rows = [self._row(record) for record, _, _ in batch]
        with self._connection:
            for record, policy, snapshot in batch:
                decision = record.decision
                if decision is None:
                    continue
                if decision.policy not in self._known:
                    self._once("policies", decision.policy, now, policy.encode())
                if decision.snapshot not in self._known:
                    self._once("snapshots", decision.snapshot, now, msgspec.msgpack.encode(snapshot))
            self._connection.executemany(_INSERT, rows)
            if now - self._purged > 3600:
                self._connection.execute("delete from requests where received < ?", (now - self._keep,))
                for table, column in (("policies", "policy"), ("snapshots", "snapshot")):
                    self._connection.execute(
                        f"delete from {table} where first_seen < ? and hash not in "  # noqa: S608
                        f"(select {column} from requests where {column} is not null)",
                        (now - self._keep - _DAY,),
                    )
                self._known.clear()
                self._purged = now
        self._known.update(
            value for record, _, _ in batch if (d := record.decision) for value in (d.policy, d.snapshot)
        )

    def _once(self, table: str, name: str, now: float, document: bytes) -> None:
        self._connection.execute(f"insert or ignore into {table} values (?,?,?)", (name, now, document))  # noqa: S608

    def _row(self, record: Record) -> tuple[Any, ...]:
        request, decision, times = record.request, record.decision, record.timings
        features = decision.features if decision else None
        content = None
        if self._prompts != "off":
            content = msgspec.msgpack.encode((request, decision))
            if self._seal:
                content = self._seal.close(content, request.id)
        return (
            request.id,
            record.received,
            request.endpoint,
            request.model[:200],
            request.caller,
            decision.stage if decision else None,
            decision.rule if decision else None,
            decision.action if decision else None,
            record.outcome,
            record.status,
            record.error,
            record.target,
            features.language if features else None,
            features.task_type if features else None,
            record.input_tokens if record.input_tokens is not None else features.input_tokens if features else None,
            record.output_tokens,
            record.cached_tokens,
            int(record.output_estimated),
            times.decided,
            times.ttft,
            times.total,
            decision.policy if decision else None,
            decision.snapshot if decision else None,
            decision.seed if decision else None,
            record.exact_tokens,
            msgspec.json.encode(features) if features else None,
            msgspec.json.encode(record.attempts),
            self._prompts,
            content,
        )
