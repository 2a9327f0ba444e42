"""What is asked of jobs without changing any, on a connection that only reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import apsw
import msgspec

from pointsman.domain.job import Job, Queue, Step
from pointsman.ports.job_store import Wanted
from pointsman.store.jobs.sqlite_file import DEAD, DELAYED, LEASED, OVER, PARKED, READY
from pointsman.store.jobs.sqlite_rows import BARE, WHOLE, bare, whole

_PHASES = {"waiting": (READY, DELAYED), "running": (LEASED,), "parked": (PARKED,), "over": (OVER,), "dead": (DEAD,)}
_INDEXES = {READY: "ready", DELAYED: "delayed", LEASED: "leased", PARKED: "parked", DEAD: "dead"}
_FIND = "select id from jobs where caller = ? and key = ?"
_TRACE = "select step from steps where job = (select seq from jobs where id = ?) order by number"
_COUNTS = " union all ".join(
    f"select queue, {phase}, count(*) from jobs indexed by {index} where phase = {phase} group by queue"  # noqa: S608
    for phase, index in _INDEXES.items()
)
_DUE = (
    "select exists (select 1 from jobs indexed by ready where phase = 0 and queue = ?1) "
    "or exists (select 1 from jobs indexed by leased where phase = 2 and queue = ?1 and due <= ?2) "
    "or exists (select 1 from jobs indexed by delayed where phase = 1 and queue = ?1 and due <= ?2)"
)
_READ = "select value from passing where key = ? and until > ?"
_SCAN = "select key, value from passing where key >= ? and until > ? order by key"


class Reads:
    """Each method is one statement, and so sees one moment. All raise apsw.Error."""

    def __init__(self, connection: apsw.Connection, clock: Callable[[], float]) -> None:
        self._cursor = connection.cursor()
        self._clock = clock
        self._decode = msgspec.msgpack.Decoder(Step).decode

    def get(self, job_id: str) -> Job | None:
        found = self._all(WHOLE, job_id)
        return whole(found[0]) if found else None

    def find(self, caller: str, key: str) -> str | None:
        found = self._all(_FIND, caller, key)
        return str(found[0][0]) if found else None

    def trace(self, job_id: str) -> list[Step]:
        return [self._decode(step) for (step,) in self._all(_TRACE, job_id)]

    def ls(self, wanted: Wanted, most: int, before: str | None) -> list[Job]:
        statement, values = _listing(wanted, before)
        return [bare(found) for found in self._all(statement, *values, most)]

    def counts(self) -> dict[str, int]:
        names = {phase: name for name, phases in _PHASES.items() for phase in phases}
        counts: dict[str, int] = {}
        for queue, phase, count in self._all(_COUNTS):
            name = f"{queue}.{names[phase]}"
            counts[name] = counts.get(name, 0) + count
        return counts

    def is_due(self, queues: Sequence[Queue]) -> bool:
        """Whether there is something to claim."""
        now = self._clock()
        return any(self._all(_DUE, queue, now)[0][0] for queue in queues)

    def read(self, key: str) -> bytes | None:
        found = self._all(_READ, key, self._clock())
        return bytes(found[0][0]) if found else None

    def scan(self, prefix: str) -> dict[str, bytes]:
        values: dict[str, bytes] = {}
        for key, value in self._all(_SCAN, prefix, self._clock()):
            if not key.startswith(prefix):
                break
            values[key] = value
        return values

    def _all(self, statement: str, *values: Any) -> list[Any]:
        return self._cursor.execute(statement, values).fetchall()


def _listing(wanted: Wanted, before: str | None) -> tuple[str, list[Any]]:
    """A statement, and its values but for the limit. By parent, or by a phase that few are in, or by caller, or by id:
    whichever looks at fewest."""
    phases: tuple[int | None, ...] = _PHASES[wanted.phase] if wanted.phase else (None,)
    asked = (("caller", wanted.caller), ("queue", wanted.queue), ("kind", wanted.kind), ("parent", wanted.parent))
    tests = [(f"{column} = ?", value) for column, value in asked if value is not None]
    if before is not None:
        tests.append(("id < ?", before))
    parts, values = [], []
    for phase in phases:
        if wanted.parent is not None:
            index = "jobs_by_parent"
        elif phase in _INDEXES:
            index = _INDEXES[phase]
        else:
            index = "job_by_id" if wanted.caller is None else "jobs_by_caller"
        conditions = [test for test, _ in tests] + ([] if phase is None else [f"phase = {phase}"])
        parts.append(f"{BARE} indexed by {index}" + (" where " if conditions else "") + " and ".join(conditions))
        values += [value for _, value in tests]
    return " union all ".join(parts) + " order by id desc limit ?", values
