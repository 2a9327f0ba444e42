"""What became of a batch's requests → the file of its output, and that of its errors."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Literal

import msgspec

from pointsman.domain.batch import Order, child_id
from pointsman.domain.job import Job
from pointsman.domain.upload import Upload
from pointsman.pipeline.batches.dialect import Dialect, Fate
from pointsman.pipeline.batches.input_lines import cut
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.job_store import JobStore

_LOT, _LOT_BYTES = 64, 1 << 20


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """Ids of the files, None where nothing is in one; how many requests succeeded, failed, and (of the latter) ran out of
    time."""

    output_file: str | None
    error_file: str | None
    completed: int
    failed: int
    expired: int


class Delivery:
    """Of one batch, whose requests have all come to their end. `rest`: what became of those that were never jobs."""

    def __init__(
        self,
        batch: Job,
        order: Order,
        submitted: int,
        rest: Literal["cancelled", "expired"],
        store: JobStore,
        uploads: Uploads,
        dialect: Dialect,
    ) -> None:
        self._batch = batch
        self._order = order
        self._submitted = submitted
        self._rest = Fate(rest)
        self._store = store
        self._uploads = uploads
        self._dialect = dialect
        self._output = _Sheet(uploads.scratch)
        self._errors = _Sheet(uploads.scratch)
        self._expired = 0

    async def make(self, longest: int, at: float) -> Delivered:
        """In the order of the input, in bounded memory. The files have the same ids whenever they are made, and the first of
        each that is published stays. Raises FileNotFoundError (the input is gone), StoreError, FileStoreError, OSError."""
        try:
            number = 0
            pieces = self._uploads.pieces(self._order.input_file)
            async with cut(pieces, longest, _LOT, _LOT_BYTES) as lots:
                async for lot in lots:
                    ids = [child_id(self._batch.id, number + place) for place in range(1, len(lot) + 1)]
                    fates = await asyncio.gather(*map(self._fate, ids[: max(self._submitted - number, 0)]))
                    fates += [self._rest] * (len(lot) - len(fates))
                    await asyncio.to_thread(self._write, [data or b"" for _, data in lot], ids, fates)
                    number += len(lot)
            return Delivered(
                output_file=await self._publish(self._output, "output", at),
                error_file=await self._publish(self._errors, "errors", at),
                completed=self._output.count,
                failed=self._errors.count,
                expired=self._expired,
            )
        finally:
            await asyncio.shield(asyncio.to_thread(self._close))

    async def _fate(self, job_id: str) -> Fate:
        job = await self._store.get(job_id)
        if job is None:
            return Fate("failed", code="job_lost")
        if job.result:
            return Fate("replied", job.result)
        if job.place.outcome in ("cancelled", "expired"):
            return Fate(job.place.outcome)
        trace = await self._store.trace(job_id)
        return Fate(
            "failed", code=job.error or "failed", why=next((step.why for step in trace[::-1] if step.why), None)
        )

    def _write(self, lines: Sequence[bytes], ids: Sequence[str], fates: Sequence[Fate]) -> None:
        for data, job_id, fate in zip(lines, ids, fates, strict=True):
            name = self._dialect.read(data, self._order.endpoint).name
            result = self._dialect.result(self._order, name, job_id, fate)
            (self._output if result.ok else self._errors).write(result.line)
            self._expired += fate.kind == "expired"

    async def _publish(self, sheet: _Sheet, what: str, at: float) -> str | None:
        path = await asyncio.to_thread(sheet.finish)
        if path is None:
            return None
        upload = Upload(
            id=f"file-{self._batch.id.partition('_')[2]}-{what}",
            size=sheet.size,
            created=at,
            filename=f"{self._batch.id}_{what}.jsonl",
            purpose="batch_output",
            caller=self._batch.caller,
            expires=at + self._order.keep,
        )
        return (await self._uploads.keep(upload, path)).id

    def _close(self) -> None:
        self._output.close()
        self._errors.close()


class _Sheet:
    """A file that is made with its first line."""

    def __init__(self, folder: Path) -> None:
        self.count = 0
        self.size = 0
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._path: Path | None = None

    def write(self, line: bytes) -> None:
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = tempfile.NamedTemporaryFile(dir=self._folder, prefix="batch-", delete=False)  # noqa: SIM115
            self._path = Path(self._file.name)
        self._file.write(line)
        self.count += 1
        self.size += len(line)

    def finish(self) -> Path | None:
        if self._file is not None:
            self._file.close()
        return self._path

    def close(self) -> None:
        """Removes it, unless somebody took it."""
        with contextlib.suppress(OSError):
            if self._file is not None:
                self._file.close()
        with contextlib.suppress(OSError):
            if self._path is not None:
                self._path.unlink(missing_ok=True)
