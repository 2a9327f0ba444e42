"""Where processes are started and struck down, and what is left is looked at."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from msgspec.structs import asdict

from faults.handler import EFFECTS
from faults.plans import Plan, ended, plan_of
from faults.program import Role, main, opened
from pointsman.domain.job import Job
from pointsman.ports.job_store import JobStore
from pointsman.store.files.local import LocalFiles
from store.jobs.makes import sound

PATIENCE = 60.0 if "MUTANT" not in os.environ else 10.0
"""Seconds until a test gives up; nothing passes or fails by time otherwise. What a mutant broke may never come."""
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["faults.program", "pytest", "redis.asyncio"]
)  # each begins by importing what this process was started with


class Process:
    """One that plays a role."""

    def __init__(self, role: Role) -> None:
        self.role = role
        self._process = _FORKS.Process(target=main, args=(role,), daemon=True)
        path = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), *([path] if path else [])])
        try:
            self._process.start()
        finally:
            os.environ.pop("PYTHONPATH")
            if path is not None:
                os.environ["PYTHONPATH"] = path

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def signal(self, number: signal.Signals) -> None:
        pid = self._process.pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self._process.join(PATIENCE)

    @property
    def stopped(self) -> bool:
        return psutil.Process(self._process.pid).status() == psutil.STATUS_STOPPED

    async def over(self) -> int:
        """How it went: 0, or the signal that it died of, negative."""
        await until(lambda: not self._process.is_alive())
        code = self._process.exitcode
        assert code is not None
        return code


class Ground:
    """A folder with a store of jobs (`store`: a path in it, or a URL), files, and a ledger of what was acknowledged."""

    def __init__(self, folder: Path, store: str) -> None:
        self.folder = folder
        self.store = store
        self.processes: list[Process] = []
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, name: str = "w", **role: Any) -> Process:
        process = Process(Role(folder=str(self.folder), store=self.store, name=name, **role))
        self.processes.append(process)
        return process

    async def run(self, name: str = "w", **role: Any) -> int:
        return await self.start(name, **role).over()

    async def submit(self, *plans: Plan, first: int = 0, **role: Any) -> int:
        """They are numbered from `first` on."""
        return await self.run("client", verb="submit", jobs=tuple(enumerate(plans, first)), **role)

    def end(self) -> None:
        for process in self.processes:
            process.kill()

    def noted(self, kind: str) -> list[list[Any]]:
        path = self.folder / "ledger"
        lines = path.read_text().splitlines() if path.exists() else []
        return [entry[1:] for line in lines if (entry := json.loads(line))[0] == kind]

    def opened(self) -> JobStore:
        return opened(self.store)

    @property
    def files(self) -> LocalFiles:
        return LocalFiles(self.folder / "files")

    async def check(self, *, revived: int = 0) -> Counter[str]:
        """All that must hold once all work is over. How many jobs ended in which way."""
        store = self.opened()
        try:
            jobs = {job.id: job for job in await _all(store)}
            acked = {job_id for job_id, _ in self.noted("acked")}
            assert acked <= jobs.keys(), f"acknowledged, and gone: {sorted(acked - jobs.keys())}"
            ends: Counter[str] = Counter()
            effects: dict[str, bytes] = {}
            for job in jobs.values():
                ends[_end(job)] += 1
                await sound(store, job.id)
                if job.place.state == "completed":
                    effects[f"{EFFECTS}{job.id}.{job.generation}.{plan_of(job).steps}"] = job.result
            await self._check_effects(effects)
            return ends
        finally:
            await store.close()

    async def _check_effects(self, told: dict[str, bytes]) -> None:
        """Each job that is completed has published one effect, and tells the one that is there."""
        found = {stored.key: await self.files.read(stored.key) for stored in await self.files.ls("effects")}
        assert found == told
        published = Counter(key for key, ours, _ in self.noted("published") if ours)
        assert all(count == 1 for count in published.values()), f"published twice: {published.most_common(3)}"


def _end(job: Job) -> str:
    """As planned."""
    wanted = plan_of(job).end if job.generation == 1 else "ok"
    assert ended(job) == wanted, f"{job.id} should be {wanted}: {asdict(job)}"
    return wanted


async def _all(store: JobStore) -> list[Job]:
    """With bodies and results."""
    from pointsman.ports.job_store import Wanted

    listed: list[Job] = []
    while page := await store.ls(Wanted(), 500, listed[-1].id if listed else None):
        listed += page
    found = [await store.get(job.id) for job in listed]
    return [job for job in found if job is not None]


async def until(done: Callable[[], Any], pause: float = 0.005) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(pause)
