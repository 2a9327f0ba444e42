"""Jobs in a store of the default kind, as a gateway would have left them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pointsman.domain.batch import Order, Progress, encoded
from pointsman.domain.job import Job
from pointsman.http.auth import Caller
from pointsman.http.jobs.kept import KeptReply, KeptRequest, encode
from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import change, submission

T = TypeVar("T")
WORKER = "w:1"


def on(folder: Path, work: Callable[[JobStore], Awaitable[T]]) -> T:
    """Does it to the store in that data folder."""

    async def run() -> T:
        store = SqliteJobStore(folder / "jobs.sqlite")
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def job_in(folder: Path, job_id: str) -> Job | None:
    return on(folder, lambda store: store.get(job_id))


async def kept(store: JobStore, job_id: str, **other: Any) -> None:
    request = KeptRequest(
        path="/v1/chat/completions",
        body=b'{"model":"auto","messages":[{"role":"user","content":"tell nobody"}]}',
        caller=Caller("ann"),
        request_id=f"req_{job_id.partition('_')[2]}",
        received=1.0,
    )
    await store.submit([submission(**{"id": job_id, "body": encode(request), **other})])


async def moved(store: JobStore, job_id: str, *events: str, **other: Any) -> Job:
    """Claimed, and brought on by these events; the last one gives it back."""
    claimed = await store.claim(["interactive", "batch", "webhook"], WORKER, 100, 3600.0)
    job = next(job for job in claimed if job.id == job_id)
    for each in claimed:
        if each.id != job_id:
            await store.advance(each.held, change(each, "failed", worker=WORKER))
    await store.advance(job.held, change(job, *events, worker=WORKER, **other))
    after = await store.get(job_id)
    assert after is not None
    return after


async def done(store: JobStore, job_id: str, text: str = "fine") -> Job:
    reply = KeptReply(200, ((b"content-type", b"application/json"),), msgspec.json.encode({"text": text}))
    return await moved(store, job_id, "admitted", "matched", "dispatched", "ended:ok", result=encode(reply))


async def dead(store: JobStore, job_id: str) -> Job:
    why = ("the engine is gone", "引擎不见了")
    return await moved(store, job_id, "admitted", "missed", "dispatched", "died", why=why, error="connect", failures=3)


def order() -> bytes:
    return encoded(
        Order(
            input_file="file-in",
            endpoint="/v1/chat/completions",
            window="24h",
            expires=2e9,
            keep=60.0,
            ask=b"",
            language="en",
        )
    )


async def batch(store: JobStore, batch_id: str, children: int) -> None:
    """A batch that waits for so many requests, of which none was begun."""
    await store.submit([submission(id=batch_id, kind="batch", queue="batch", body=order())])
    data = encoded(Progress(phase="in_progress", total=children, submitted=children, spread=True))
    await moved(store, batch_id, "admitted", "matched", "dispatched", "parked", data=data, left=children)
    digits = batch_id.partition("_")[2]
    for number in range(1, children + 1):
        await kept(store, f"job_{digits}.{number}", queue="batch", parent=batch_id)
