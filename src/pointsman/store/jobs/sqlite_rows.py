"""A row of the table of jobs, there and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from pointsman.domain.job import Change, Held, Job, Submission
from pointsman.domain.lifecycle import Place
from pointsman.store.jobs.sqlite_file import DEAD, DELAYED, OVER, PARKED, READY

BODY, DATA, RESULT = range(3)
"""What a blob is of its job."""
SLOTS = 4
_JOB = (
    "id, queue, kind, caller, created, updated, key, parent, expires, webhook, state, disposition, outcome, asked, "
    "version, token, generation, worker, failures, lost, left, spent, error"
)
BARE = f"select {_JOB} from jobs"  # noqa: S608
_BLOBS = ", ".join(f"(select value from blobs where slot = {SLOTS} * seq + {part})" for part in (BODY, DATA, RESULT))  # noqa: S608
WHOLE = f"select {_JOB}, {_BLOBS} from jobs where id = ?"  # noqa: S608
ROW = f"select {_JOB}, seq, phase, due, op, led_version, led_token, counted from jobs"  # noqa: S608
"""Before more of a statement; what comes back goes into `bare`, `whole` and `row_of`."""
ADDED = (
    "insert into jobs (id, queue, kind, caller, created, key, digest, parent, expires, webhook, updated, phase, due, "
    "state, disposition, asked, version, token, generation, worker, failures, lost, left, spent, op, led_version, "
    "led_token, counted) values (?,?,?,?,?,?,?,?,?,?,?5,0,0,'received','active',0,1,0,1,'',0,0,0,0,'',0,0,0) "
    "on conflict do nothing"
)
_KEPT = (
    "updated=?, state=?, disposition=?, outcome=?, asked=?, version=?, token=?, generation=?, worker=?, failures=?, "
    "lost=?, left=?, spent=?, error=?, op=?, led_version=?, led_token=?, counted=?"
)
STAYED = f"update jobs set {_KEPT} where seq=?"  # noqa: S608
MOVED = f"update jobs set {_KEPT}, phase=?, due=?, ended=? where seq=?"  # noqa: S608
"""Indexes are of phase, due and ended alone: a step that leaves these as they are touches none."""


@dataclass(slots=True)
class Row:
    """`job` is without body, data and result. `moved`: phase or due are not what the file has."""

    seq: int
    job: Job
    phase: int
    due: float
    op: str
    led_to: Held
    counted: bool
    moved: bool = False

    def give_back(self, due: float | None) -> None:
        """Nobody's from now on; to be claimed at once, or from the moment `due` on."""
        self.job = replace(self.job, worker="")
        if self.job.over:
            self.phase = DEAD if self.job.place.disposition == "dead" else OVER
        elif self.job.place.disposition == "parked":
            self.phase = PARKED
        else:
            self.phase = READY if due is None else DELAYED
        self.due = due or 0.0
        self.moved = True

    def stayed(self) -> tuple[Any, ...]:
        return *self._kept(), self.seq

    def as_moved(self) -> tuple[Any, ...]:
        ended = self.job.updated if self.phase in (OVER, DEAD) else None
        return *self._kept(), self.phase, self.due, ended, self.seq

    def _kept(self) -> tuple[Any, ...]:
        job, place, led_to = self.job, self.job.place, self.led_to
        return (
            job.updated,
            place.state,
            place.disposition,
            place.outcome,
            place.asked,
            job.version,
            job.token,
            job.generation,
            job.worker,
            job.failures,
            job.lost,
            job.left,
            job.spent,
            job.error,
            self.op,
            led_to.version,
            led_to.token,
            self.counted,
        )


def row_of(found: Sequence[Any]) -> Row:
    seq, phase, due, op, version, token, counted = found[23:]
    return Row(seq, bare(found), phase, due, op, Held(found[0], version, token), bool(counted))


def bare(found: Sequence[Any]) -> Job:
    """Without body, data and result."""
    return _job(found, b"", b"", b"")


def whole(found: Sequence[Any]) -> Job:
    return _job(found, *(part or b"" for part in found[23:]))


def _job(found: Sequence[Any], body: bytes, data: bytes, result: bytes) -> Job:
    return Job(
        id=found[0],
        queue=found[1],
        kind=found[2],
        caller=found[3],
        created=found[4],
        updated=found[5],
        key=found[6],
        parent=found[7],
        expires=found[8],
        webhook=found[9],
        place=Place(found[10], found[11], found[12], found[13]),
        version=found[14],
        token=found[15],
        generation=found[16],
        worker=found[17],
        failures=found[18],
        lost=found[19],
        left=found[20],
        spent=found[21],
        error=found[22],
        body=body,
        data=data,
        result=result,
    )


def added(submission: Submission) -> tuple[Any, ...]:
    return (
        submission.id,
        submission.queue,
        submission.kind,
        submission.caller,
        submission.created,
        submission.key,
        submission.digest,
        submission.parent,
        submission.expires,
        submission.webhook,
    )


def blobs(seq: int, change: Change) -> list[tuple[int, bytes]]:
    """What a change writes beside the row."""
    parts = ((DATA, change.data), (RESULT, change.result))
    return [(SLOTS * seq + part, value) for part, value in parts if value is not None]
