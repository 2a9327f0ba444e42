"""What others would write of a request, in the thread that answered it: a line of Python's logging, or a row in SQLite."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot

Put = Callable[[Record, PolicyDocument, Snapshot], None]
_INSERT = "insert into requests values (?,?,?,?,?,?,?,?,?,?,?,?,?)"
_TABLE = """
create table requests (
  id text primary key, received real, caller text, model text, stage text, rule text, outcome text, status integer,
  target text, input_tokens integer, output_tokens integer, total_ms real, request text
)
"""


class Lines:
    """A JSON line a request in the plain, with no thread, batch or seal: what `logging.FileHandler` does by itself."""

    def __init__(self, folder: Path) -> None:
        self._handler = logging.FileHandler(folder / "requests.jsonl", encoding="utf-8")
        self._handler.setFormatter(logging.Formatter("%(message)s"))
        self._log = logging.Logger("requests")
        self._log.addHandler(self._handler)

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        self._log.info(json.dumps(msgspec.to_builtins(record), ensure_ascii=False))

    def close(self) -> None:
        self._handler.close()


class Rows:
    """A row a request in the plain, in a transaction of its own that waits for no disk (WAL, `synchronous=normal`)."""

    def __init__(self, folder: Path) -> None:
        self._connection = apsw.Connection(str(folder / "requests.sqlite"))
        for setting in ("journal_mode=wal", "synchronous=normal"):
            self._connection.execute(f"pragma {setting}").fetchall()
        self._connection.execute(_TABLE)

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        request, decision = record.request, record.decision
        row = (
            request.id, record.received, request.caller, request.model, decision and decision.stage,
            decision and decision.rule, record.outcome, record.status, record.target, record.input_tokens,
            record.output_tokens, record.timings.total, msgspec.json.encode(request).decode(),
        )  # fmt: skip
        self._connection.execute(_INSERT, row)

    def close(self) -> None:
        self._connection.close()
