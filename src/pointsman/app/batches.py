"""Files and batches of one process: what their endpoints need, and what does them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pointsman.app.jobs import Jobs
from pointsman.config.schema import Config, parse_size, parse_span
from pointsman.domain.upload import Upload
from pointsman.http.gateway import RequestIds
from pointsman.http.openai.batch_lines import BatchLines
from pointsman.http.openai.batches import BatchesDoor
from pointsman.http.openai.files import FilesDoor
from pointsman.pipeline.batches.cancel import in_use
from pointsman.pipeline.batches.handler import BatchHandler, Limits
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStore


class Batches:
    """`config` is the one there is now; `folder` takes what is not finished yet."""

    def __init__(self, config: Callable[[], Config], files: FileStore, folder: Path, clock: Clock) -> None:
        self.uploads = Uploads(files, folder / UNFINISHED, clock)
        self._config = config
        self._clock = clock
        self._ids = RequestIds()

    def handler(self, jobs: Jobs) -> BatchHandler:
        return BatchHandler(jobs.store, self.uploads, BatchLines(), self._clock, self._limits, jobs.stop_work)

    def files_door(self, jobs: Jobs) -> FilesDoor:
        async def used(upload: Upload) -> str | None:
            return await in_use(jobs.store, upload)

        files = self._config().files
        most, keep = parse_size(files.max_upload), parse_span(files.keep_uploads)
        return FilesDoor(self.uploads, used, self._new_id, self._clock, most=most, keep=keep)

    def door(self, jobs: Jobs) -> BatchesDoor:
        keep = parse_span(self._config().files.keep_uploads)
        return BatchesDoor(jobs.store, self.uploads, jobs.vet, jobs.call_off, self._clock, keep)

    def _new_id(self) -> str:
        return self._ids.next().removeprefix("req_")

    def _limits(self) -> Limits:
        return Limits(line=parse_size(self._config().server.max_body))


UNFINISHED = "arriving"
"""The folder, in the data folder, of uploads that are on their way and of output that is being put together."""
