"""A process that submits planned jobs, does them, or revives one: by its role, until it is done or dead."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from faults import mutants
from faults.handler import Doing
from faults.plans import FAILURES, LOST, Plan, planned
from faults.slow_sync import SlowSync
from faults.strikes import Strike, Strikes, Struck, struck_files
from pointsman.pipeline.job_worker import JobWorker, Terms, revive
from pointsman.ports.clock import SystemClock
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.store.files.local import LocalFiles
from pointsman.store.jobs.sqlite import SqliteJobStore

_PATIENCE = 60.0  # seconds
STEP = 600.0  # seconds by which a clock jumps


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """`folder` has the files, the ledger, and the store where that is no URL. A worker goes on until every job is over, or
    with `forever` until it is killed. `wall`: its clock jumps ten minutes to and fro."""

    folder: str
    store: str
    name: str = "w"
    verb: Literal["submit", "work", "revive"] = "work"
    forever: bool = False
    strikes: tuple[Strike, ...] = ()
    jobs: tuple[tuple[int, Plan], ...] = ()
    job: str = ""
    lose: int = 0
    wall: Literal["true", "jumping"] = "true"
    concurrency: int = 4
    lease: float = 0.5
    poll: float = 0.05
    failures: int = FAILURES
    lost: int = LOST


class JumpingClock(SystemClock):
    """Ten minutes ahead, behind, ahead …, with every look."""

    def __init__(self) -> None:
        self._ahead = STEP

    def wall(self) -> float:
        self._ahead = -self._ahead
        return time.time() + self._ahead


def note(folder: str, *what: Any) -> None:
    """A line of the ledger; it is there even if the process dies at once."""
    handle = os.open(f"{folder}/ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, json.dumps(what).encode() + b"\n")
    os.close(handle)


def opened(store: str, strikes: Strikes | None = None) -> JobStore:
    if "://" in store:
        from pointsman.store.jobs.redis import RedisJobStore

        return RedisJobStore(store)
    vfs = SlowSync(strikes).name if strikes is not None and strikes.wants("sync") else None
    return SqliteJobStore(Path(store), vfs=vfs)


def main(role: Role) -> None:
    mutants.apply_wanted()
    asyncio.run(_Process(role).run())


class _Process:
    def __init__(self, role: Role) -> None:
        self.role = role
        self._strikes = Strikes(role.strikes)

    def note(self, *what: Any) -> None:
        note(self.role.folder, *what, self.role.name)

    async def run(self) -> None:
        role = self.role
        self._inner = opened(role.store, self._strikes)
        store: Any = Struck(self._inner, self._strikes, role.lose, self.note)
        await getattr(self, role.verb)(store)
        await self._inner.close()

    async def submit(self, store: JobStore) -> None:
        """One after another, each until it is acknowledged."""
        for number, plan in self.role.jobs:
            submission = planned(number, plan)
            async with asyncio.timeout(_PATIENCE):
                while True:
                    try:
                        await store.submit([submission])
                        break
                    except StoreError:
                        await asyncio.sleep(0.05)
            self.note("acked", submission.id)

    async def revive(self, store: JobStore) -> None:
        await revive(store, self.role.job, time.time(), os.urandom(8).hex())

    async def work(self, store: JobStore) -> None:
        role = self.role
        terms = Terms(
            concurrency=role.concurrency,
            lease=role.lease,
            poll=role.poll,
            failures=role.failures,
            lost=role.lost,
            backoff=0.02,
        )
        files = struck_files(LocalFiles(Path(role.folder, "files")), self._strikes, self.note)
        clock = JumpingClock() if role.wall == "jumping" else SystemClock()
        doing = Doing(files, Path(role.folder), role.name)
        working = asyncio.create_task(JobWorker(store, {"request": doing}, clock, terms, role.name).run())
        end = time.monotonic() + _PATIENCE
        while role.forever or not await self._all_over():
            await asyncio.sleep(0.02)
            if working.done():
                working.result()
            assert role.forever or time.monotonic() < end, "it never ends"
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    async def _all_over(self) -> bool:
        try:
            counts = await self._inner.counts()
        except StoreError:
            return False
        return not any(count for name, count in counts.items() if not name.endswith(".dead"))
