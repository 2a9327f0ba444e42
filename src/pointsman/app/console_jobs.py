"""Jobs as the console's pages ask for them: every caller's."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncGenerator, Iterator, Mapping

import msgspec

from pointsman.app.jobs import Jobs
from pointsman.console.jobs.desk import JobRow, JobWhole
from pointsman.console.jobs.page import PHASES
from pointsman.domain.batch import order_of, progress_of, status_of
from pointsman.domain.job import Job, Step, shard_of
from pointsman.domain.said import Said
from pointsman.domain.upload import Upload
from pointsman.http.jobs.kept import reply_of
from pointsman.http.jobs.submitting import unavailable
from pointsman.pipeline.job_list import every, newest, phase_of
from pointsman.pipeline.job_worker import revive
from pointsman.pipeline.passage import PROGRESS
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.file_store import FileStoreError
from pointsman.ports.job_store import Phase, StoreError, Wanted

LONGEST = 20_000  # characters of a reply that are shown
_TEXTS = ("json", "text/")


class ConsoleJobs:
    """`quotes`: what was said may be shown."""

    def __init__(self, jobs: Jobs, uploads: Uploads, *, quotes: bool) -> None:
        self._jobs = jobs
        self._uploads = uploads
        self._quotes = quotes

    async def counts(self) -> Mapping[Phase, int]:
        with _told():
            found = await self._jobs.store.counts()
        counts: dict[Phase, int] = {}
        for name, many in found.items():
            phase = name.rpartition(".")[2]
            for known in PHASES:
                if phase == known:
                    counts[known] = counts.get(known, 0) + many
        return counts

    async def rows(self, wanted: Wanted, most: int, after: str | None) -> list[JobRow]:
        with _told():
            found = await newest(self._jobs.store, wanted, most, after)
            return list(await asyncio.gather(*map(self._row, found)))

    async def find(self, job_id: str) -> JobWhole | None:
        with _told():
            job = await self._jobs.store.get(job_id)
            if job is None:
                return None
            steps = await self._jobs.store.trace(job_id)
            row = await self._row(job, steps)
            parent = None if job.parent is None else await self._jobs.store.get(job.parent)
        asked = job.kind in ("request", "action") and job.parent is None
        reply, status = self._reply(job)
        return JobWhole(
            row,
            steps,
            request_id=f"req_{shard_of(job.id)}" if asked else None,
            batch=progress_of(job) if job.kind == "batch" else None,
            files=await self._files(job) if job.kind == "batch" else (),
            reply=reply,
            status=status,
            late=job.parent is not None and (parent is None or parent.over),
        )

    async def cancel(self, job_id: str) -> bool:
        with _told():
            return await asyncio.shield(asyncio.ensure_future(self._jobs.call_off(job_id))) is not None

    async def retry(self, job_id: str) -> bool:
        with _told():
            return await revive(self._jobs.store, job_id, time.time(), secrets.token_hex(8)) is not None

    async def retry_all(self) -> int:
        store, many = self._jobs.store, 0
        with _told():
            dead = await every(store, Wanted(phase="dead"))
            parents = {job.parent: await store.get(job.parent) for job in dead if job.parent is not None}
            over = {name for name, parent in parents.items() if parent is None or parent.over}
            for job in dead:
                if job.parent not in over:
                    many += await revive(store, job.id, time.time(), secrets.token_hex(8)) is not None
        return many

    async def file(self, file_id: str) -> tuple[Upload, AsyncGenerator[bytes, None]] | None:
        try:
            upload = await self._uploads.find(file_id)
        except FileStoreError as error:
            raise unavailable(StoreError(*error.args)) from None
        return None if upload is None else (upload, self._uploads.pieces(file_id))

    # Inside

    async def _row(self, job: Job, steps: list[Step] | None = None) -> JobRow:
        """A list has neither the body of a job nor what came of it: a batch is read whole. Raises StoreError."""
        store, status, why = self._jobs.store, None, None
        done: int | None = None
        of: int | None = None
        if job.kind == "batch":
            whole = job if steps is not None else await store.get(job.id) or job
            progress, status = progress_of(whole), status_of(whole)
            done, of = progress.completed + progress.failed, progress.total or None
            if of is not None and not job.over:
                done = min(max(job.spent, done), of)
        elif not job.over and (found := await store.read(PROGRESS + job.id)):
            done, of = msgspec.msgpack.decode(found)
        if job.error:
            way = await store.trace(job.id) if steps is None else steps
            told = next((step.why for step in reversed(way) if step.event in ("failed", "died", "ended")), None)
            why = Said(*told) if told else None
        return JobRow(job, phase_of(job), done, of, why, status)

    async def _files(self, job: Job) -> list[Upload]:
        progress = progress_of(job)
        names = (order_of(job).input_file, progress.output_file, progress.error_file)
        try:
            found = [await self._uploads.find(name) for name in names if name is not None]
        except FileStoreError:
            return []
        return [upload for upload in found if upload is not None]

    def _reply(self, job: Job) -> tuple[str | None, int | None]:
        if not job.result or job.kind not in ("request", "action"):
            return None, None
        reply = reply_of(job.result)
        kind = (reply.header(b"content-type") or b"").decode("latin-1")
        if not self._quotes or not any(each in kind for each in _TEXTS):
            return None, reply.status
        text = reply.body.decode(errors="replace")
        return (text if len(text) <= LONGEST else text[:LONGEST] + " …"), reply.status


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """What the store cannot do is said as a client of the gateway is told it."""
    try:
        yield
    except StoreError as error:
        raise unavailable(error) from None
