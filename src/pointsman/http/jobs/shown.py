"""A job as clients see it."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.job import Job, Step, shard_of
from pointsman.domain.said import Said
from pointsman.http.jobs.kept import reply_of


def shown(job: Job, steps: list[Step] | None = None, progress: bytes | None = None) -> dict[str, Any]:
    """The job object. `result` is there once it is over; `error` says why it failed, or why its last try did, as Said."""
    place = job.place
    done, of = msgspec.msgpack.decode(progress) if progress else (None, None)
    return {
        "id": job.id,
        "object": "job",
        "kind": job.kind,
        "request_id": f"req_{shard_of(job.id)}" if job.kind in ("request", "action") and not job.parent else None,
        "priority": job.queue,
        "state": place.state,
        "disposition": place.disposition,
        "outcome": place.outcome,
        "created_at": job.created,
        "updated_at": job.updated,
        "expires_at": job.expires,
        "worker": job.worker or None,
        "generation": job.generation,
        "failures": job.failures,
        "lost": job.lost,
        "progress": {"done": done, "of": of} if done is not None else None,
        "error": {"code": job.error, "message": _why(steps)} if job.error else None,
        "webhook": job.webhook,
        "schedule": _schedule(job),
        "result": _result(job),
    }


def _schedule(job: Job) -> dict[str, str] | None:
    """Which schedule asked, and for which of its times."""
    return None if job.schedule is None else {"name": job.schedule[0], "time": job.schedule[1]}


def trace_shown(steps: list[Step]) -> list[dict[str, Any]]:
    """The path: what happened, when, why, and under which versions. Reasons are Said."""
    return [
        {
            "number": step.number,
            "event": step.event,
            "state": step.state,
            "disposition": step.disposition,
            "at": step.at,
            "worker": step.worker or None,
            "token": step.token,
            "why": Said(*step.why) if step.why else None,
            **step.about,
        }
        for step in steps
    ]


def _why(steps: list[Step] | None) -> str | None:
    wrong = (step.why for step in reversed(steps or []) if step.event in ("failed", "died", "ended"))
    why = next(wrong, None)
    return Said(*why) if why else None


def _result(job: Job) -> dict[str, Any] | None:
    if not job.result or job.kind not in ("request", "action"):
        return None
    reply = reply_of(job.result)
    kind = (reply.header(b"content-type") or b"").decode("latin-1")
    body: Any = msgspec.Raw(reply.body) if "json" in kind and reply.body else reply.body.decode(errors="replace")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in reply.headers}
    return {"status": reply.status, "headers": headers, "body": body}
