"""Several processes on one file."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pointsman.domain.job import QUEUES
from pointsman.ports.job_store import Wanted
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import ids, sound, submission, submitted

_TESTS = Path(__file__).parents[2]


class Others:
    """Processes on the same file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.started: list[subprocess.Popen[str]] = []

    def start(self, verb: str, what: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "store.jobs.sqlite_process", str(self._path), verb, what]
        environment = {**os.environ, "PYTHONPATH": str(_TESTS)}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def end(self) -> None:
        for process in self.started:
            process.kill()
            process.communicate()


@pytest.fixture
def others(tmp_path: Path) -> Iterator[Others]:
    others = Others(tmp_path / "jobs.sqlite")
    yield others
    others.end()


async def test_all_submit_and_each_job_is_done_once(others: Others, tmp_path: Path) -> None:
    submitting = [others.start("submit", str(first)) for first in (1000, 2000, 3000)]
    assert [process.wait(60) for process in submitting] == [0, 0, 0]
    working = [others.start("work", worker) for worker in ("ann", "bob", "cid")]
    assert [process.wait(60) for process in working] == [0, 0, 0]
    store = SqliteJobStore(tmp_path / "jobs.sqlite")
    jobs = await store.ls(Wanted(phase="over"), 1000)
    assert len(jobs) == 600
    assert {(job.token, job.version, job.lost) for job in jobs} == {(1, 3, 0)}
    workers = set()
    for job in jobs[::20]:
        assert await sound(store, job.id) == ["submitted", "admitted", "ended"]
        workers |= {step.worker for step in (await store.trace(job.id))[1:]}
    assert workers <= {"ann", "bob", "cid"}
    assert await store.counts() == {}
    await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
async def test_what_a_killed_process_had_others_get(others: Others, tmp_path: Path) -> None:
    store = SqliteJobStore(tmp_path / "jobs.sqlite")
    await submitted(store, *(submission(number) for number in range(3)))
    process = others.start("hold", "ann")
    assert process.stdout is not None
    had = (await asyncio.to_thread(process.stdout.readline)).split()
    process.kill()
    process.wait()
    assert len(had) == 3
    got = []
    while len(got) < 3:
        await store.wait(QUEUES, 60.0)
        got += await store.claim(QUEUES, "bob", 3, 3600.0)
    assert sorted(ids(got)) == sorted(had)
    assert {(job.lost, job.token, job.worker) for job in got} == {(1, 2, "bob")}
    await store.close()


async def test_work_that_another_process_submits_is_noticed(others: Others, tmp_path: Path) -> None:
    store = SqliteJobStore(tmp_path / "jobs.sqlite")
    waiting = asyncio.create_task(store.wait(QUEUES, 60.0))
    others.start("submit", "1000")
    await waiting
    assert await store.claim(QUEUES, "ann", 1, 3600.0)
    await store.close()
