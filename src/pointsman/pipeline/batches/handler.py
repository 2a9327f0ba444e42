"""Doing a batch: its input is checked, then each request is a job of its own, then their replies are put into files."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec.structs import replace

from pointsman.apart import apart
from pointsman.domain.attempt import Outcome
from pointsman.domain.batch import LineProblem, Order, Progress, child_id, encoded, order_of, progress_of
from pointsman.domain.job import Job, Submission
from pointsman.domain.said import Said, said
from pointsman.pipeline.batches.check import check
from pointsman.pipeline.batches.deliver import Delivery
from pointsman.pipeline.batches.dialect import Dialect
from pointsman.pipeline.batches.input_lines import InputLine, cut
from pointsman.pipeline.job_worker import call_off
from pointsman.pipeline.passage import Finished, Passage, TryAgain, Waiting
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStoreError
from pointsman.ports.job_store import JobStore

_LOT, _LOT_BYTES = 500, 4 << 20
_AT_ONCE = 64  # jobs that are called off at a time
_PAUSE = 120.0  # seconds until a store of files is tried again


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`requests` of a batch, of at most `line` bytes each."""

    requests: int = 50_000
    line: int = 32 << 20


class BatchHandler:
    """A step that was not durable when its worker died is done again, and gives the same: jobs and files have ids that
    follow from the batch's. Each request is done by a job that others may see, wait for and call off; when the last of them
    has come to its end, the batch goes on. `stop` ends the work on a job that was called off, where it is done here."""

    def __init__(
        self,
        store: JobStore,
        uploads: Uploads,
        dialect: Dialect,
        clock: Clock,
        limits: Callable[[], Limits],
        stop: Callable[[str], None] = lambda job_id: None,
    ) -> None:
        self._store = store
        self._uploads = uploads
        self._dialect = dialect
        self._clock = clock
        self._limits = limits
        self._stop = stop

    async def handle(self, passage: Passage) -> Finished | Waiting:
        await passage.begin(_BEGUN)
        try:
            return await self._go_on(passage, order_of(passage.job), progress_of(passage.job))
        except FileNotFoundError:
            return await self._without_input(passage, progress_of(passage.job))
        except FileStoreError as error:
            raise TryAgain(error.args[0], "files_unavailable", _PAUSE) from None

    async def _go_on(self, passage: Passage, order: Order, progress: Progress) -> Finished | Waiting:
        if progress.phase == "validating":
            if progress.cancelling_at is not None:
                return _finished("cancelled", progress)
            lines = self._uploads.pieces(order.input_file)
            most, longest = self._limits().requests, self._limits().line
            checked = await check(lines, order.endpoint, self._dialect, most=most, longest=longest)
            if checked.problems:
                return _finished("failed", replace(progress, total=checked.total, problems=checked.problems))
            now = self._clock.wall()
            progress = replace(progress, phase="in_progress", total=checked.total, in_progress_at=now)
            why = said(*_SOUND, total=checked.total)
            await passage.go("stepped", why=why, data=encoded(progress), left=checked.total)
        if progress.phase == "in_progress":
            waits = passage.job.left > 0
            if not progress.spread:
                progress, waits = await self._spread(passage, order, progress), True
            if progress.cancelling_at is not None and not progress.called_off:
                await self._call_off(passage.job.id, progress.submitted)
                progress, waits = replace(progress, called_off=True), True
                await passage.go("stepped", why=_CALLED_OFF, data=encoded(progress))
            if waits:
                return Waiting()
            progress = replace(progress, phase="finalizing", finalizing_at=self._clock.wall())
            await passage.go("stepped", why=_ALL_OVER, data=encoded(progress))
        return await self._deliver(passage.job, order, progress)

    async def _spread(self, passage: Passage, order: Order, progress: Progress) -> Progress:
        """Submits what is not submitted yet. One lot at least, even where no more are wanted: a worker that lost this batch
        may still be about to submit that one, and what it submits must be known here."""
        pieces, skip = self._uploads.pieces(order.input_file), progress.submitted
        async with cut(pieces, self._limits().line, _LOT, _LOT_BYTES, skip) as lots:
            async for lot in lots:
                submissions = await apart(self._submissions, passage.job, order, progress.submitted, lot)
                await self._store.submit(submissions)
                enough = progress.cancelling_at is not None or self._clock.wall() >= order.expires
                submitted = progress.submitted + len(lot)
                progress = replace(progress, submitted=submitted, spread=enough or submitted == progress.total)
                why = said(*_SUBMITTED, submitted=submitted, total=progress.total)
                left = submitted if progress.spread else None
                await passage.go("stepped", why=why, data=encoded(progress), left=left)
                if progress.spread:
                    break
        return progress

    def _submissions(self, batch: Job, order: Order, before: int, lot: list[InputLine]) -> list[Submission]:
        now = self._clock.wall()
        submissions = []
        for number, (_, data) in enumerate(lot, before + 1):
            job_id = child_id(batch.id, number)
            line = self._dialect.read(data or b"", order.endpoint)
            submissions.append(
                Submission(
                    id=job_id,
                    queue=batch.queue,
                    kind="request",
                    caller=batch.caller,
                    created=now,
                    body=self._dialect.body(order, line, job_id),
                    parent=batch.id,
                    expires=order.expires,
                )
            )
        return submissions

    async def _call_off(self, batch_id: str, submitted: int) -> None:
        async def end(number: int) -> None:
            job_id = child_id(batch_id, number)
            await call_off(self._store, job_id, self._clock.wall(), secrets.token_hex(8), lambda job, place, at: ())
            self._stop(job_id)

        for first in range(1, submitted + 1, _AT_ONCE):
            await asyncio.gather(*map(end, range(first, min(first + _AT_ONCE, submitted + 1))))

    async def _deliver(self, batch: Job, order: Order, progress: Progress) -> Finished:
        cancelled = progress.cancelling_at is not None
        rest: Literal["cancelled", "expired"] = "cancelled" if cancelled else "expired"
        delivery = Delivery(batch, order, progress.submitted, rest, self._store, self._uploads, self._dialect)
        delivered = await delivery.make(self._limits().line, self._clock.wall())
        progress = replace(
            progress,
            output_file=delivered.output_file,
            error_file=delivered.error_file,
            completed=delivered.completed,
            failed=delivered.failed,
        )
        return _finished("cancelled" if cancelled else "expired" if delivered.expired else "ok", progress)

    async def _without_input(self, passage: Passage, progress: Progress) -> Finished:
        await self._call_off(passage.job.id, min(progress.submitted + _LOT, progress.total))
        problem = LineProblem("input_file_gone", (str(_GONE), _GONE.zh), param="input_file_id")
        return _finished("failed", replace(progress, problems=(problem,)))


def _finished(outcome: Outcome, progress: Progress) -> Finished:
    return Finished(
        outcome=outcome, result=encoded(progress), error=progress.problems[0].code if progress.problems else None
    )


_BEGUN = Said("a batch", "批处理")
_SOUND = ("its input is sound: {total} requests", "输入文件无误：共 {total} 个请求")
_SUBMITTED = ("{submitted} of {total} requests are jobs", "{total} 个请求中已有 {submitted} 个成为任务")
_CALLED_OFF = Said("what was not done is called off", "未完成的部分已取消")
_ALL_OVER = Said("all of its requests have come to their end", "所有请求都已结束")
_GONE = Said("the input file is not there any more", "输入文件已经不在了")
