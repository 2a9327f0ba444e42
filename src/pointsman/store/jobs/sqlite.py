"""Jobs in one SQLite file: nothing to set up, and several processes of one machine may use it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from pointsman.domain.job import Change, Held, Job, Queue, Step, Submission, Submitted
from pointsman.domain.said import Said
from pointsman.ports.job_store import Standing, StoreError, Wanted
from pointsman.store.jobs.boot import boot_id
from pointsman.store.jobs.sqlite_desk import Asked, Desk
from pointsman.store.jobs.sqlite_file import connected, opened, unable
from pointsman.store.jobs.sqlite_group import Group
from pointsman.store.jobs.sqlite_place import Place
from pointsman.store.jobs.sqlite_reads import Reads

_LOOK = 0.2  # seconds between two looks at what other processes, or time, have made claimable


class SqliteJobStore:
    """Durable means that it is in the write-ahead log and synced (`synchronous=full`). One thread writes, all that waits
    in one transaction; another reads. `clock` gives seconds since the machine was started, the same in all processes, and
    `boot` names that start: after the next one all leases and delays have run out. `vfs` names one that was registered
    with apsw. Where the file is removed or replaced, all fails until it is back. Raises StoreError."""

    def __init__(
        self,
        path: Path,
        *,
        vfs: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        boot: str | None = None,
    ) -> None:
        self._path = path
        connection = opened(path, boot_id() if boot is None else boot, vfs)
        self._place = Place(path)
        group = Group(path, connection, clock, self._place)
        try:
            self._reading = connected(path, vfs)
            self._reading.execute("pragma query_only=on")
        except apsw.Error as error:
            group.close()
            raise unable(path, error) from error
        self._writes = group.writes
        self._reads = Reads(self._reading, clock)
        self._waiting: set[asyncio.Event] = set()
        self._writer = Desk("job-writer", group.do, group.close)
        self._reader = Desk("job-reader", self._read_all, self._reading.close)

    async def check(self) -> list[Said]:
        return []

    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        submitted: list[Submitted] = await self._writer.ask(self._writes.submit, submissions)
        self._wake()
        return submitted

    async def claim(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Job]:
        jobs: list[Job] = await self._writer.ask(self._writes.claim, queues, worker, most, lease)
        return jobs

    async def advance(self, held: Held, change: Change) -> Held:
        after: Held = await self._writer.ask(self._writes.advance, held, change)
        if not change.hold or change.spawn:
            self._wake()
        return after

    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        standings: list[Standing] = await self._writer.ask(self._writes.renew, held, lease)
        return standings

    async def get(self, job_id: str) -> Job | None:
        job: Job | None = await self._reader.ask(self._reads.get, job_id)
        return job

    async def find(self, caller: str, key: str) -> str | None:
        job_id: str | None = await self._reader.ask(self._reads.find, caller, key)
        return job_id

    async def trace(self, job_id: str) -> list[Step]:
        steps: list[Step] = await self._reader.ask(self._reads.trace, job_id)
        return steps

    async def ls(self, wanted: Wanted, most: int, before: str | None = None) -> list[Job]:
        jobs: list[Job] = await self._reader.ask(self._reads.ls, wanted, most, before)
        return jobs

    async def counts(self) -> dict[str, int]:
        counts: dict[str, int] = await self._reader.ask(self._reads.counts)
        return counts

    async def purge(self, before: float, most: int = 1000) -> list[Job]:
        jobs: list[Job] = await self._writer.ask(self._writes.purge, before, most)
        return jobs

    async def wait(self, queues: Sequence[Queue], seconds: float) -> None:
        news = asyncio.Event()
        self._waiting.add(news)
        try:
            async with asyncio.timeout(seconds):
                while not await self._reader.ask(self._reads.is_due, queues):
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(_LOOK):
                            await news.wait()
                    news.clear()
        except TimeoutError:
            pass
        finally:
            self._waiting.discard(news)

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        await self._writer.ask(self._writes.put, key, value, seconds)

    async def read(self, key: str) -> bytes | None:
        value: bytes | None = await self._reader.ask(self._reads.read, key)
        return value

    async def delete(self, key: str) -> None:
        await self._writer.ask(self._writes.delete, key)

    async def scan(self, prefix: str) -> dict[str, bytes]:
        values: dict[str, bytes] = await self._reader.ask(self._reads.scan, prefix)
        return values

    async def close(self) -> None:
        """What was asked before is done."""
        self._wake()
        await self._reader.close()
        await self._writer.close()

    def _wake(self) -> None:
        """There may be something to claim."""
        for news in self._waiting:
            news.set()

    def _read_all(self, batch: Sequence[Asked]) -> None:
        try:
            self._place.check()
        except StoreError as error:
            for asked in batch:
                asked.error = StoreError(*error.args)
            return
        for asked in batch:
            try:
                asked.result = asked.what(*asked.args)
            except apsw.Error as error:
                asked.error = unable(self._path, error)
            except Exception as error:
                asked.error = error
