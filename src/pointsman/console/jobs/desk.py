"""What the page *Jobs* asks of the gateway."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol

import msgspec

from pointsman.domain.batch import Progress, Status
from pointsman.domain.job import Job, Step
from pointsman.domain.said import Said
from pointsman.domain.upload import Upload
from pointsman.ports.job_store import Phase, Wanted


class JobRow(msgspec.Struct, frozen=True):
    """`done` of `of` parts, None where it does not say. `why` it failed, or its last try did; `status` is a batch's."""

    job: Job
    phase: Phase
    done: int | None = None
    of: int | None = None
    why: Said | None = None
    status: Status | None = None

    @property
    def share(self) -> float | None:
        """0 to 1."""
        return self.done / self.of if self.done is not None and self.of else None


class JobWhole(msgspec.Struct, frozen=True):
    """`request_id` is the id that it has in the log. `reply` is the text of what came of it, cut where it is long; None
    where there is none, or where it is not to be shown. `late`: it is a part of a batch that is over: beginning it anew is
    of no use."""

    row: JobRow
    steps: Sequence[Step]
    request_id: str | None = None
    batch: Progress | None = None
    files: Sequence[Upload] = ()
    reply: str | None = None
    status: int | None = None
    late: bool = False


class JobDesk(Protocol):
    """Its methods raise PointsmanError (503) where the store cannot be used."""

    async def counts(self) -> Mapping[Phase, int]:
        """How many there are in each phase; of those that are over nobody counts."""

    async def rows(self, wanted: Wanted, most: int, after: str | None) -> list[JobRow]:
        """Newest first."""

    async def find(self, job_id: str) -> JobWhole | None: ...

    async def cancel(self, job_id: str) -> bool:
        """False: there is none of that id."""

    async def retry(self, job_id: str) -> bool:
        """Begins it anew where it is dead. False: there is none of that id."""

    async def retry_all(self) -> int:
        """All dead ones that are of use to somebody; how many there were."""

    async def file(self, file_id: str) -> tuple[Upload, AsyncGenerator[bytes, None]] | None:
        """A file with its content, which is to be closed."""
