"""Reports as the gateway asks for them: each in a child process that can be killed, its file published when it is done."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import os
import secrets
import shutil
import sys
import time
import zoneinfo
from pathlib import Path
from typing import Literal

import msgspec

from pointsman.actions.report.failure import OUT_OF_MEMORY, ReportFailure, failure, out_of_memory, timed_out
from pointsman.actions.report.job import Job, Outcome
from pointsman.actions.report.settings import SourceSettings
from pointsman.child_process import killed, spawned
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan, ReportSpec
from pointsman.ports.file_store import FileStore

COMMAND = (sys.executable, "-m", "pointsman.actions.report.child")
GIB = 1 << 30
REPORTS = "reports/"  # how keys of their files begin
GRACE = 2.0  # seconds that the child has over its own time-out, to say so itself
ENDING = 2.0  # seconds for a child that has closed its end to be gone
MAX_OUTCOME = 16 << 20  # bytes
_LEFT = 86_400.0  # seconds after which a job's folder is surely nobody's any more
# libraries that would reserve address space or take cores by the number of processors
_MODEST = {"MALLOC_ARENA_MAX": "2", "RAYON_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class ReportRunner:
    """Makes reports in the folder `work` (created, readable by this user alone) and publishes them in `files`, at most
    `concurrency` at a time; others wait their turn. `places` are taken instead, one for each, where other processes make
    reports too. `timeout` is for one job without that wait, in seconds; `memory` limits the child's address space in bytes,
    on Linux (None: no limit). `demo` is where the demo's database is kept: default, the folder `demo` beside `work`.

    One event loop, which runs in the main thread: Linux ties the child to the thread that spawned it. Keys of files
    cannot be guessed. Cancelling a call kills its child and waits for it; a file that was being published then may stay,
    until it is purged, under a key that nobody knows."""

    def __init__(
        self,
        files: FileStore,
        work: Path,
        *,
        concurrency: int = 1,
        places: contextlib.AbstractAsyncContextManager[None] | None = None,
        timeout: float = 60.0,
        memory: int | None = GIB,
        demo: Path | None = None,
    ) -> None:
        self._files = files
        self._work = work
        self._demo = demo or work.parent / "demo"
        self._timeout = timeout
        self._memory = memory
        self._places = places or asyncio.Semaphore(concurrency)

    async def run(
        self, plan: ReportPlan, spec: ReportSpec, source: SourceSettings, now: datetime.datetime
    ) -> ReportFile:
        """Makes the report; the result's `path` is the key of its file. `now` has a zone: that of the report's days.
        Raises ReportFailure, with kind "empty" where no row matches; FileStoreError."""
        async with self._places:
            outcome, work = await self._job("report", plan, spec, source, now)
            try:
                assert outcome.file is not None
                key = f"{REPORTS}{secrets.token_hex(24)}.{plan.format}"
                await self._files.publish(key, work / outcome.file.path)
            finally:
                await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        return msgspec.structs.replace(outcome.file, path=key)

    async def values_of(
        self, source: SourceSettings, spec: ReportSpec, now: datetime.datetime
    ) -> dict[str, tuple[DimensionValue, ...]]:
        """The values, as text, and their synonyms, of every dimension that says where to read them: of 5,000 rows each
        at most. Raises ReportFailure."""
        async with self._places:
            outcome, work = await self._job("values", None, spec, source, now)
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        return outcome.values or {}

    def tidy(self) -> None:
        """Removes what reports of a day ago left behind whose gateway was killed."""
        old = time.time() - _LEFT
        with contextlib.suppress(FileNotFoundError):
            for path in list(self._work.iterdir()):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime < old:
                        shutil.rmtree(path, ignore_errors=True)

    async def _job(
        self,
        task: Literal["report", "values"],
        plan: ReportPlan | None,
        spec: ReportSpec,
        source: SourceSettings,
        now: datetime.datetime,
    ) -> tuple[Outcome, Path]:
        """The good outcome and the job's folder, which the caller removes; otherwise raises and leaves none."""
        if now.tzinfo is None:
            raise ValueError("now has no time zone")
        if source.demo and source.folder is None:
            source = msgspec.structs.replace(source, folder=str(self._demo.absolute()))
        work = self._work.absolute() / secrets.token_hex(16)
        self._work.mkdir(mode=0o700, parents=True, exist_ok=True)
        work.mkdir(mode=0o700)
        job = Job(
            task=task,
            spec=spec,
            source=source,
            folder=str(work),
            now=now,
            seconds=self._timeout,
            parent=os.getpid(),
            plan=plan,
            zone=now.tzinfo.key if isinstance(now.tzinfo, zoneinfo.ZoneInfo) else None,
            memory=self._memory,
        )
        try:
            outcome = await self._child(msgspec.json.encode(job) + b"\n", work)
            if outcome.error is not None:
                raise ReportFailure(outcome.error)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
        return outcome, work

    async def _child(self, line: bytes, work: Path) -> Outcome:
        pipe = asyncio.subprocess.PIPE
        log = work / "child.log"
        environment = {**os.environ, **_MODEST, "TMPDIR": str(work), "PYTHONIOENCODING": "utf-8"}
        with log.open("wb") as errors:
            process = await spawned(
                *COMMAND,
                stdin=pipe,
                stdout=pipe,
                stderr=errors,
                env=environment,
                limit=MAX_OUTCOME,
                start_new_session=True,
            )
        try:
            async with asyncio.timeout(self._timeout + GRACE):
                answer = await _ask(process, line)
        except TimeoutError:
            raise timed_out(self._timeout) from None
        finally:
            await killed(process)
        try:
            return msgspec.json.decode(answer, type=Outcome)
        except msgspec.DecodeError:
            raise _crashed(process.returncode, log) from None


async def _ask(process: asyncio.subprocess.Process, line: bytes) -> bytes:
    """Sends the job and waits for the line that comes back, empty where the child ends without one. stdin stays open:
    its end would end the child."""
    assert process.stdin and process.stdout
    with contextlib.suppress(OSError):  # it ended already; its log says why
        process.stdin.write(line)
        await process.stdin.drain()
    try:
        answer = await process.stdout.readline()
    except ValueError:  # longer than MAX_OUTCOME
        return b""
    if not answer:  # it is ending: how, is told by its own status, not by our kill
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), ENDING)
    return answer


def _crashed(status: int | None, log: Path) -> ReportFailure:
    """The child ended without an outcome; its last words tell whether memory was why."""
    try:
        said = log.read_bytes()[-4000:].decode("utf-8", "replace").strip()
    except OSError:
        said = ""
    if any(words in said.lower() for words in OUT_OF_MEMORY):
        return out_of_memory()
    return failure(
        "crashed",
        "生成报表的进程意外结束，没有生成文件。详细原因已写入日志。",
        "The process that makes reports ended unexpectedly, so no file was made. The details are in the log.",
        f"status {status}: {said.splitlines()[-1][:300] if said else 'no last words'}",
    )
