"""OpenAI's `/v1/batches`: many requests in one file, done when there is time."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.domain.batch import Order, encoded, order_of, progress_of, status_of
from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import LONGEST_ID, Job, Submission
from pointsman.domain.said import Said, said
from pointsman.http.exchange import Client
from pointsman.http.jobs.kept import encode, kept
from pointsman.http.jobs.read import key_of
from pointsman.http.jobs.submitting import Vet, key_reused, unavailable
from pointsman.http.openai.batch_wish import read_batch
from pointsman.http.openai.files import seen
from pointsman.http.openai.paging import limit_of, page
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import JobStore, StoreError, Wanted

_PAGE, _MOST = 20, 100  # batches of a list
CallOff = Callable[[str], Awaitable[Job | None]]
"""Has that batch called off; gives it as it is then. Raises StoreError."""


class BatchesDoor:
    """Only who asked for a batch, and an admin, may see it: to everyone else it is one that there is not. `vet` judges the
    URLs of webhooks. `keep` is how many seconds its files are kept, unless it says otherwise."""

    def __init__(
        self, store: JobStore, uploads: Uploads, vet: Vet, call_off: CallOff, clock: Clock, keep: float
    ) -> None:
        self._store = store
        self._uploads = uploads
        self._vet = vet
        self._call_off = call_off
        self._clock = clock
        self._keep = keep

    async def create(self, client: Client, data: bytes) -> None:
        """`POST /v1/batches`"""
        wish = read_batch(data)
        upload = await seen(self._uploads, client, wish.input_file, "input_file_id")
        if upload.purpose != "batch":
            why = said(*_PURPOSE, id=upload.id, purpose=upload.purpose)
            raise PointsmanError(why, code="invalid_purpose", param="input_file_id")
        if wish.webhook is not None:
            await self._vet(wish.webhook)
        now = self._clock.wall()
        order = Order(
            input_file=upload.id,
            endpoint=wish.endpoint,
            window=wish.window,
            expires=now + wish.seconds,
            keep=self._keep if wish.keep is None else wish.keep,
            ask=encode(kept(client, wish.endpoint, b"")),
            language=client.tongue,
            metadata=wish.metadata,
        )
        key = key_of(client)
        submission = Submission(
            id=f"batch_{client.request_id.removeprefix('req_')}",
            queue="batch",
            kind="batch",
            caller=client.caller.name,
            created=now,
            body=encoded(order),
            key=key,
            webhook=wish.webhook,
            digest=b"" if key is None else hashlib.sha256(b"batch\0" + data).digest(),
        )
        try:
            [done] = await self._store.submit([submission])
            if done.conflict:
                raise key_reused(key or "", done.id)
            job = await self._store.get(done.id)
        except StoreError as error:
            raise unavailable(error) from None
        if job is None:  # made under that key long ago, and kept no longer
            raise _missing(done.id)
        client.json(200, batch_object(job))

    async def all(self, client: Client) -> None:
        """`GET /v1/batches`, the newest first."""
        most, before = limit_of(client, _PAGE, _MOST), client.argument("after")
        wanted = Wanted(caller=client.caller.name, kind="batch")
        try:
            bare = await self._store.ls(wanted, most + 1, before or None)
            batches = await asyncio.gather(*(self._store.get(job.id) for job in bare))
        except StoreError as error:
            raise unavailable(error) from None
        there = [job for job in batches if job is not None]
        client.json(200, page(there, most, lambda job: job.id, batch_object))

    async def one(self, client: Client) -> None:
        """`GET /v1/batches/{id}`"""
        client.json(200, batch_object(await self._seen(client)))

    async def cancel(self, client: Client, _: bytes) -> None:
        """`POST /v1/batches/{id}/cancel`"""
        job = await self._seen(client)
        status = status_of(job)
        if job.over and status != "cancelled":
            why = said(*_OVER, id=job.id, status=status)
            raise PointsmanError(why, status=409, code="batch_over")
        try:
            called_off = await asyncio.shield(asyncio.ensure_future(self._call_off(job.id)))
        except StoreError as error:
            raise unavailable(error) from None
        client.json(200, batch_object(called_off or job))

    async def _seen(self, client: Client) -> Job:
        batch_id = client.named
        try:
            job = await self._store.get(batch_id) if len(batch_id) <= LONGEST_ID else None
        except StoreError as error:
            raise unavailable(error) from None
        if job is None or job.kind != "batch" or not (client.caller.admin or client.caller.name == job.caller):
            raise _missing(batch_id)
        return job


def batch_object(job: Job) -> dict[str, Any]:
    """As OpenAI has it; messages are Said. Until its files are made, requests that have come to their end count as
    completed, however they ended."""
    order, progress, status = order_of(job), progress_of(job), status_of(job)
    done = progress.completed + progress.failed
    problems = [
        {"code": problem.code, "line": problem.line, "message": Said(*problem.message), "param": problem.param}
        for problem in progress.problems
    ]
    if status == "failed" and not problems:
        problems = [{"code": job.error or "failed", "line": None, "message": _FAILED, "param": None}]
    ended = int(job.updated) if job.over else None
    return {
        "id": job.id,
        "object": "batch",
        "endpoint": order.endpoint,
        "errors": {"object": "list", "data": problems} if problems else None,
        "input_file_id": order.input_file,
        "completion_window": order.window,
        "status": status,
        "output_file_id": progress.output_file,
        "error_file_id": progress.error_file,
        "created_at": int(job.created),
        "in_progress_at": _moment(progress.in_progress_at),
        "expires_at": int(order.expires),
        "finalizing_at": _moment(progress.finalizing_at),
        "completed_at": ended if status == "completed" else None,
        "failed_at": ended if status == "failed" else None,
        "expired_at": ended if status == "expired" else None,
        "cancelling_at": _moment(progress.cancelling_at),
        "cancelled_at": ended if status == "cancelled" else None,
        "request_counts": {
            "total": progress.total,
            "completed": progress.completed if done else job.spent,
            "failed": progress.failed,
        },
        "metadata": order.metadata or None,
    }


def _moment(at: float | None) -> int | None:
    return None if at is None else int(at)


def _missing(batch_id: str) -> PointsmanError:
    return PointsmanError(
        said('there is no batch "{id}" of yours', "没有你的批处理“{id}”", id=batch_id[:LONGEST_ID]),
        status=404,
        type="not_found_error",
        code="batch_not_found",
    )


_PURPOSE = (
    "{id} was made with purpose={purpose}; a batch needs a file that was uploaded with purpose=batch",
    "{id} 的 purpose 是 {purpose}；批处理需要以 purpose=batch 上传的文件",
)
_OVER = ("{id} is {status} and cannot be cancelled any more", "{id} 的状态是 {status}，不能再取消")
_FAILED = Said("the batch could not be done; its trace says why", "批处理未能完成；原因见它的执行轨迹")
