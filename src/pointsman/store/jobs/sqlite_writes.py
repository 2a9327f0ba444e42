"""What changes jobs, inside a transaction that somebody else begins and ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import apsw
import msgspec
from msgspec.structs import replace

from pointsman.domain.job import Change, Held, Job, Queue, Submission, Submitted
from pointsman.ports.job_store import Fenced, Standing
from pointsman.store.jobs.changes import changed, child_ended, first_step, held_on
from pointsman.store.jobs.sqlite_file import LEASED, OVER
from pointsman.store.jobs.sqlite_rows import (
    ADDED,
    BODY,
    DATA,
    MOVED,
    RESULT,
    ROW,
    SLOTS,
    STAYED,
    Row,
    added,
    blobs,
    row_of,
)

_MOST_KEPT = 4096  # rows in memory
_STEP = "insert into steps values (?,?,?)"
_BLOB = "insert into blobs values (?,?) on conflict (slot) do update set value = excluded.value"
_BLOBS = f"select slot - {SLOTS} * ?1, value from blobs where slot between {SLOTS} * ?1 and {SLOTS} * ?1 + {RESULT}"  # noqa: S608
_BY_ID = ROW + " where id = ?"
_BY_KEY = "select id, digest from jobs where caller = ? and key = ?"
_LATE = ROW + " indexed by delayed where phase = 1 and queue = ? and due <= ?"
_EXPIRED = ROW + " indexed by leased where phase = 2 and queue = ? and due <= ? order by due limit ?"
_READY = ROW + " indexed by ready where phase = 0 and queue = ? order by created, seq limit ?"
_CHILDLESS = "not exists (select 1 from jobs child where child.parent = jobs.id)"
_NOT_NEEDED = "not exists (select 1 from jobs needing where needing.id = jobs.parent and needing.ended is null)"
_ENDED = ROW + f" where ended < ? and {_CHILDLESS} and {_NOT_NEEDED} order by ended limit ?"
_REMOVE = (
    f"delete from blobs where slot between {SLOTS} * ?1 and {SLOTS} * ?1 + {RESULT}",  # noqa: S608
    "delete from steps where job = ?1",
    "delete from jobs where seq = ?1",
)
_FORGET = "delete from passing where until <= ?"
_PUT = "insert or replace into passing values (?,?,?)"
_DELETE = "delete from passing where key = ?"


class Writes:
    """Each method checks before it changes anything, so that what it raises harms no other in the transaction.

    Rows that were seen stay in memory as long as no other connection writes: `begin` says whether one did, and `forget`
    is called when a transaction was undone. What is changed is written by `flush`, all of a kind at once; `claim` and
    `purge` search the file, and flush first."""

    def __init__(self, connection: apsw.Connection, clock: Callable[[], float]) -> None:
        self._cursor = connection.cursor()
        self._connection = connection
        self._clock = clock
        self._now = 0.0
        self._encode = msgspec.msgpack.Encoder().encode
        self._seen: int | None = None
        self._rows: dict[str, Row] = {}
        self._dirty: dict[int, Row] = {}
        self._wanted = 0
        self._stock: dict[Queue, deque[Row]] = {}
        self._steps: list[tuple[int, int, bytes]] = []
        self._blobs: list[tuple[int, bytes]] = []

    def begin(self) -> None:
        """Once the transaction has its lock."""
        self._now = self._clock()
        [(version,)] = self._all("pragma data_version")
        if version != self._seen or len(self._rows) > _MOST_KEPT:
            self._rows.clear()
        self._seen = version

    def forget(self) -> None:
        for kept in (self._rows, self._dirty, self._steps, self._blobs):
            kept.clear()

    def flush(self) -> None:
        stayed = [row.stayed() for row in self._dirty.values() if not row.moved]
        moved = [row.as_moved() for row in self._dirty.values() if row.moved]
        for statement, values in ((STAYED, stayed), (MOVED, moved), (_STEP, self._steps), (_BLOB, self._blobs)):
            if values:
                self._cursor.executemany(statement, values)
        for row in self._dirty.values():
            row.moved = False
            if row.phase >= OVER:
                self._rows.pop(row.job.id, None)
        for kept in (self._dirty, self._steps, self._blobs):
            kept.clear()

    def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        return [self._submit(submission) for submission in submissions]

    def advance(self, held: Held, change: Change) -> Held:
        row = self._row(held.id)
        if row is None:
            raise Fenced(held.id)
        if row.op == change.op:
            return row.led_to
        before = row.job
        if held.version != before.version or held.token != before.token:
            raise Fenced(held.id)
        after, steps = changed(before, change)
        encoded = [(row.seq, step.number, self._encode(step)) for step in steps]
        row.job = after
        if not held_on(before, after, change):
            at_once = change.delay <= 0 or len(steps) > len(change.events)
            row.give_back(None if at_once else self._now + change.delay)
        row.op, row.led_to = change.op, after.held
        self._steps += encoded
        self._blobs += blobs(row.seq, change)
        self._dirty[row.seq] = row
        for submission in change.spawn:
            self._submit(submission)
        if after.over and not row.counted:
            row.counted = True
            if after.parent is not None:
                self._count(after.parent, change.at)
        return row.led_to

    def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        return [self._renew(one, self._now + lease) for one in held]

    def expect(self, most: int) -> None:
        """So many jobs at most are going to be claimed before the transaction ends, and nothing else is done in it but to
        purge."""
        self.flush()
        self._wanted = most
        self._stock.clear()

    def claim(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Job]:
        rows: list[Row] = []
        for queue in queues:
            if len(rows) >= most:
                break
            if queue not in self._stock:
                self._stock[queue] = self._claimable(queue, self._wanted)
            stock = self._stock[queue]
            rows += [stock.popleft() for _ in range(min(most - len(rows), len(stock)))]
        self._wanted -= len(rows)
        for row in rows:
            lost = row.job.lost + (row.phase == LEASED)
            row.job = replace(row.job, token=row.job.token + 1, worker=worker, lost=lost)
            row.phase, row.due, row.moved = LEASED, self._now + lease, True
            self._dirty[row.seq] = row
        return [self._with_blobs(row) for row in rows]

    def purge(self, before: float, most: int) -> list[Job]:
        """Those without children first; then their parents have none."""
        self.flush()
        gone: list[Job] = []
        while len(gone) < most:
            found = self._all(_ENDED, before, most - len(gone))
            if not found:
                break
            for row in map(row_of, found):
                self._remove(row)
                gone.append(row.job)
        return gone

    def put(self, key: str, value: bytes, seconds: float) -> None:
        self._cursor.execute(_FORGET, (self._now,))
        self._cursor.execute(_PUT, (key, value, self._now + seconds))

    def delete(self, key: str) -> None:
        self._cursor.execute(_DELETE, (key,))

    def _all(self, statement: str, *values: Any) -> list[Any]:
        return self._cursor.execute(statement, values).fetchall()

    def _submit(self, submission: Submission) -> Submitted:
        self._cursor.execute(ADDED, added(submission))
        if not self._connection.changes():
            return self._there(submission)
        seq = self._connection.last_insert_rowid()
        self._steps.append((seq, 1, self._encode(first_step(submission))))
        self._blobs.append((SLOTS * seq + BODY, submission.body))
        return Submitted(submission.id, created=True)

    def _there(self, submission: Submission) -> Submitted:
        """What stands in its way."""
        if self._row(submission.id) is not None:
            return Submitted(submission.id, created=False)
        [(job_id, digest)] = self._all(_BY_KEY, submission.caller, submission.key)
        return Submitted(job_id, created=False, conflict=digest != submission.digest)

    def _row(self, job_id: str) -> Row | None:
        row = self._rows.get(job_id)
        if row is None:
            found = self._all(_BY_ID, job_id)
            row = self._keep(found[0]) if found else None
        return row

    def _keep(self, found: tuple[Any, ...]) -> Row:
        """The row in memory, where there is one: it may be ahead of the file."""
        row = self._rows.get(found[0])
        if row is None:
            row = self._rows[found[0]] = row_of(found)
        return row

    def _count(self, parent: str, at: float) -> None:
        """One more of the parent's children has come to its end."""
        row = self._row(parent)
        if row is None:
            return
        row.job, steps = child_ended(row.job, at)
        if steps:
            self._steps += [(row.seq, step.number, self._encode(step)) for step in steps]
            row.give_back(None)
        self._dirty[row.seq] = row

    def _renew(self, held: Held, due: float) -> Standing:
        row = self._row(held.id)
        if row is None or row.phase != LEASED or row.job.token != held.token:
            return "lost"
        row.due, row.moved = due, True
        self._dirty[row.seq] = row
        return "held"

    def _claimable(self, queue: Queue, most: int) -> deque[Row]:
        self._ripen(queue)
        expired = self._all(_EXPIRED, queue, self._now, most)
        ready = self._all(_READY, queue, most - len(expired))
        return deque(map(self._keep, [*expired, *ready]))

    def _ripen(self, queue: Queue) -> None:
        """Those whose delay has run out take their place among the others."""
        for found in self._all(_LATE, queue, self._now):
            row = self._keep(found)
            row.give_back(None)
            self._dirty[row.seq] = row
        self.flush()

    def _with_blobs(self, row: Row) -> Job:
        parts = dict(self._all(_BLOBS, row.seq))
        return replace(row.job, body=parts.get(BODY, b""), data=parts.get(DATA, b""), result=parts.get(RESULT, b""))

    def _remove(self, row: Row) -> None:
        self._rows.pop(row.job.id, None)
        for statement in _REMOVE:
            self._cursor.execute(statement, (row.seq,))
