"""Reports as the gateway asks for them: each in a child process that can be killed, its file published when it is done."""

from __future__ import annotations

import datetime
import secrets
import zoneinfo
from pathlib import Path
from typing import Literal

import msgspec

from pointsman.actions.child import Children, Limits, Work
from pointsman.actions.report.failure import of_a_report
from pointsman.actions.report.job import Job, Outcome, Proof, Proofed
from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan, ReportSpec
from pointsman.ports.action import ActionFailed
from pointsman.ports.file_store import FileStore

GIB = 1 << 30
REPORTS = "reports/"  # how keys of their files begin
LARGEST = 4 * GIB  # bytes of a file that the child writes: of a million rows, and of what DuckDB puts aside
REPORT = Work("pointsman.actions.report.ready:carry_out", Job, Outcome, extra="pointsman[report]", warm=True)
PROOF = Work("pointsman.actions.report.proof:proof", Proof, Proofed, extra="pointsman[report]")
VALUES = Work("pointsman.actions.report.make:carry_out", Job, Outcome, extra="pointsman[report]")


class ReportRunner:
    """Makes reports by `children` and publishes them in `files`. `timeout` is for one, in seconds, without the wait for its
    turn; `memory` limits the child's address space in bytes, on Linux (None: no limit). `demo` is where the demo's database
    is kept.

    Keys of files cannot be guessed. A file that was being published when the call was cancelled may stay, until it is
    purged, under a key that nobody knows."""

    def __init__(
        self,
        files: FileStore,
        children: Children,
        demo: Path,
        *,
        timeout: float = 60.0,
        memory: int | None = GIB,
    ) -> None:
        self._files = files
        self._children = children
        self._demo = demo
        self._limits = Limits(seconds=timeout, memory=memory, file_size=LARGEST)

    async def run(
        self, plan: ReportPlan, spec: ReportSpec, source: SourceSettings, now: datetime.datetime
    ) -> ReportFile:
        """Makes the report; the result's `path` is the key of its file. `now` has a zone: that of the report's days.
        Raises ActionFailed, with the code "empty" where no row matches; FileStoreError."""
        async with self._children.folder() as folder:
            job = self._job("report", spec, source, now, plan)
            file = (await self._done(REPORT, job, folder)).file
            assert file is not None
            key = f"{REPORTS}{secrets.token_hex(24)}.{plan.format}"
            await self._files.publish(key, folder / file.path)
        return msgspec.structs.replace(file, path=key)

    async def values_of(
        self, source: SourceSettings, spec: ReportSpec, now: datetime.datetime
    ) -> dict[str, tuple[DimensionValue, ...]]:
        """The values, as text, and their synonyms, of every dimension that says where to read them: of 5,000 rows each
        at most. Raises ActionFailed."""
        async with self._children.folder() as folder:
            outcome = await self._done(VALUES, self._job("values", spec, source, now), folder)
        return outcome.values or {}

    async def _done(self, work: Work[Job, Outcome], job: Job, folder: Path) -> Outcome:
        try:
            return await self._children.run(work, job, folder, self._limits)
        except ActionFailed as failed:
            raise of_a_report(failed, self._limits.seconds) from None

    def _job(
        self,
        task: Literal["report", "values"],
        spec: ReportSpec,
        source: SourceSettings,
        now: datetime.datetime,
        plan: ReportPlan | None = None,
    ) -> Job:
        if now.tzinfo is None:
            raise ValueError("now has no time zone")
        if source.demo and source.folder is None:
            source = msgspec.structs.replace(source, folder=str(self._demo.absolute()))
        zone = now.tzinfo.key if isinstance(now.tzinfo, zoneinfo.ZoneInfo) else None
        return Job(task=task, spec=spec, source=source, now=now, plan=plan, zone=zone)
