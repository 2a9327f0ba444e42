"""Calling a batch off, and asking what one still needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from pointsman.domain.batch import encoded, order_of, progress_of
from pointsman.domain.job import Change, Job
from pointsman.domain.lifecycle import Event, step
from pointsman.domain.said import Said
from pointsman.domain.upload import Upload
from pointsman.pipeline.job_worker import Notices, call_off
from pointsman.pipeline.passage import why_of
from pointsman.ports.job_store import Fenced, JobStore, Wanted

_PHASES: tuple[Literal["waiting", "running", "parked"], ...] = ("waiting", "running", "parked")
_MOST = 1000


async def cancel(
    store: JobStore,
    batch_id: str,
    at: float,
    op: str,
    notices: Notices,
    stop: Callable[[str], None] = lambda job_id: None,
) -> Job | None:
    """Its handler learns that no more of it is wanted, calls off what is not done, and delivers what is. Gives the batch as
    it is then, None where there is none; one that is over stays as it is, and one that was not begun is over at once.

    Requests that are under way are called off here: all workers may be busy with them, and none free for the batch. `stop`
    ends the work on one."""
    job = await _marked(store, batch_id, at, op, notices)
    if job is not None and not job.over:
        for child in await store.ls(Wanted(parent=batch_id, phase="running"), _MOST):
            await call_off(store, child.id, at, f"{op}.{child.id}", notices)
            stop(child.id)
    return job


async def _marked(store: JobStore, batch_id: str, at: float, op: str, notices: Notices) -> Job | None:
    while (job := await store.get(batch_id)) is not None and not job.over:
        progress = progress_of(job)
        if progress.cancelling_at is not None:
            break
        if job.place.state != "execution":
            return await call_off(store, batch_id, at, op, notices)
        event: Event = "unparked" if job.place.disposition == "parked" else "resumed"
        change = Change(
            op=op,
            at=at,
            events=((event, None),),
            places=(step(job.place, event),),
            why=why_of(_CANCELLED),
            fence=True,
            data=encoded(replace(progress, cancelling_at=at)),
        )
        try:
            await store.advance(job.held, change)
        except Fenced:
            continue
        return await store.get(batch_id)
    return job


async def in_use(store: JobStore, upload: Upload) -> str | None:
    """The id of a batch of its caller that is not over and has that file as its input."""
    for phase in _PHASES:
        for bare in await store.ls(Wanted(caller=upload.caller, kind="batch", phase=phase), _MOST):
            batch = await store.get(bare.id)
            if batch is not None and not batch.over and order_of(batch).input_file == upload.id:
                return batch.id
    return None


_CANCELLED = Said("its caller calls it off", "调用者要求取消")
