"""A request, wherever it is known: among those under way, in the job store, in the log."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pointsman import __version__
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import Job, Step, shard_of
from pointsman.domain.record import Record
from pointsman.domain.said import said
from pointsman.http.jobs.shown import shown, trace_shown
from pointsman.http.requests import Traced
from pointsman.pipeline.handle import Run
from pointsman.pipeline.request_passage import decision_of
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.recording.path import Point, path_of
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_JOBS = ("job", "batch", "webhook")


class Traces:
    """`folder` is where the log is, `store` None where no job was ever kept, `under_way` what this process serves now."""

    def __init__(self, folder: Path, store: JobStore | None, under_way: Mapping[str, Run]) -> None:
        self._folder = folder
        self._store = store
        self._under_way = under_way

    async def find(self, name: str) -> Traced | None:
        """Raises PointsmanError (503) where the log or the store cannot be read."""
        kind, digits = name.partition("_")[0], name.partition("_")[2]
        try:
            job, steps = await self._job(name if kind in _JOBS else f"job_{digits}")
        except StoreError as error:
            raise _unreadable(error.args[0]) from None
        request_id = f"req_{digits}"
        logged = await asyncio.to_thread(logged_in, self._folder, request_id)
        if job is not None:
            return of_job(job, steps, logged)
        run = self._under_way.get(request_id)
        return of_record(run.record(), ended=False) if run is not None else logged

    async def _job(self, job_id: str) -> tuple[Job | None, list[Step]]:
        job = await self._store.get(job_id) if self._store is not None else None
        return job, await self._store.trace(job_id) if self._store is not None and job else []


def of_job(job: Job, steps: list[Step], logged: Traced | None) -> Traced:
    """What the log knows of the same request goes with it."""
    decision = decision_of(job) if job.kind == "request" else None
    trace = {
        "id": job.id,
        "object": "trace",
        "request_id": f"req_{shard_of(job.id)}",
        "version": __version__,
        "path": trace_shown(steps),
        "decision": decision,
        "attempts": logged.trace["attempts"] if logged else [],
    }
    return Traced(job.caller, shown(job, steps), trace)


def logged_in(folder: Path, request_id: str) -> Traced | None:
    """As the log has it; None where it has it not, or there is no log."""
    try:
        reader = LogReader(folder)
        try:
            row = next(iter(reader.rows({"id": request_id}, None, 1)), None)
            whole = reader.whole(request_id) if row is not None else None
        finally:
            reader.close()
    except FileNotFoundError:
        return None
    except LogError as error:
        raise _unreadable(explained(error)) from None
    if row is None:
        return None
    attempts = whole.attempts if whole else tuple(msgspec.convert(row["attempts"], tuple[Attempt, ...]))
    return _traced(row, whole.decision if whole else None, attempts, ended=not row["under_way"])


def of_record(record: Record, *, ended: bool) -> Traced:
    """As it is, or was."""
    decision, times = record.decision, record.timings
    row = {
        "id": record.request.id,
        "received": record.received,
        "caller": record.request.caller,
        "endpoint": record.request.endpoint,
        "model": record.request.model,
        "stage": decision.stage if decision else None,
        "rule": decision.rule if decision else None,
        "intent": decision.intent if decision else None,
        "confidence": decision.confidence if decision else None,
        "outcome": record.outcome,
        "status": record.status,
        "error": record.error,
        "target": record.target,
        "decided_ms": times.decided,
        "ttft_ms": times.ttft,
        "total_ms": times.total,
        "input_tokens": record.input_tokens,
        "output_tokens": record.output_tokens,
        "policy": decision.policy if decision else None,
        "snapshot": decision.snapshot if decision else None,
    }
    return _traced(row, decision, record.attempts, ended=ended)


def _traced(row: dict[str, Any], decision: Decision | None, attempts: tuple[Attempt, ...], *, ended: bool) -> Traced:
    about = {name: row[name] for name in ("policy", "snapshot", "rule", "intent") if row[name]}
    points = path_of(
        row["stage"],
        row["decided_ms"],
        attempts,
        (row["outcome"], row["total_ms"]) if ended else None,
        {**about, "why": decision.reason if decision else None},
        arbitrated=decision.arbitrated if decision else bool(row["intent"]),
        asked=decision.asked if decision else 0,
    )
    last = points[-1].place
    summary = {
        "id": row["id"],
        "object": "request",
        "state": last.state,
        "disposition": last.disposition,
        "outcome": last.outcome,
        "created_at": row["received"],
        **{name: row[name] for name in _SHOWN},
        "status": row["status"] if ended else None,
        "error": row["error"] if ended else None,
    }
    received = row["received"]
    path = [
        {"number": 1, "event": "received", "state": "received", "disposition": "active", "at": received},
        *(_shown(number, point, received) for number, point in enumerate(points, 2)),
    ]
    trace = {
        "id": row["id"],
        "object": "trace",
        "request_id": row["id"],
        "version": __version__,
        "path": path,
        "decision": decision,
        "attempts": list(attempts),
    }
    return Traced(row["caller"], summary, trace)


_SHOWN = (
    *(
        "endpoint",
        "model",
        "stage",
        "rule",
        "target",
        "decided_ms",
        "ttft_ms",
        "total_ms",
        "input_tokens",
        "output_tokens",
    ),
    *("intent", "confidence", "policy", "snapshot"),
)


def _shown(number: int, point: Point, received: float) -> dict[str, Any]:
    return {
        "number": number,
        "event": point.event,
        "state": point.place.state,
        "disposition": point.place.disposition,
        "at": None if point.at_ms is None else round(received + point.at_ms / 1000, 6),
        "ms": point.at_ms,
        **point.about,
    }


def _unreadable(why: str) -> PointsmanError:
    return PointsmanError(
        said("the trace cannot be read: {why}", "无法读取轨迹：{why}", why=why),
        status=503,
        type="api_error",
        code="log_unavailable",
        retry_after=1,
    )
