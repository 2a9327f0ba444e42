"""Two processes on one store: each job is handed out once, and done."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.domain.job import QUEUES
from pointsman.ports.job_store import Wanted
from store.jobs.makes import SHORT, claimed, folded, ids, sound, submission, there
from store.jobs.stores import SHARED, Grounds

TESTS = Path(__file__).parents[2]
JOBS = 200
pytestmark = pytest.mark.parametrize("grounds", SHARED, indirect=True)


class Competitor:
    """Told what to do by lines; `lines` is what it said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self.lines: list[str] = []

    async def line(self) -> str:
        return (await self._out.readline()).decode().strip()

    def tell(self, what: str) -> None:
        self._in.write(f"{what}\n".encode())

    async def done(self) -> None:
        """It is at its end."""
        while line := await self.line():
            self.lines.append(line)
        assert await self.process.wait() == 0

    async def holding(self) -> None:
        while (line := await self.line()) != "held":
            assert line
            self.lines.append(line)


@contextlib.asynccontextmanager
async def competitor(grounds: Grounds, worker: str) -> AsyncIterator[Competitor]:
    """One that is ready and waits to be told."""
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "store.jobs.competitor", grounds.kind, grounds.where, worker),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        made = Competitor(process)
        assert await made.line() == "ready"
        yield made
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def test_two_processes_share_the_work(grounds: Grounds) -> None:
    store = await grounds.open()
    names = [f"job_{number:06}" for number in range(JOBS)]
    await store.submit([submission(number, queue=QUEUES[number % 3]) for number in range(JOBS)])
    async with competitor(grounds, "w1") as first, competitor(grounds, "w2") as second:
        for each in (first, second):
            each.tell("work")
        await asyncio.gather(first.done(), second.done())
    assert sorted(line.split()[0] for line in first.lines + second.lines) == names
    for worker, lines in (("w1", first.lines), ("w2", second.lines)):
        for line in lines:
            name, token = line.split()
            job, steps = await there(store, name), await store.trace(name)
            assert (job.place.outcome, job.data, job.result) == ("ok", worker.encode(), name.encode())
            assert (job.lost, job.failures, job.version) == (0, 0, 6)
            assert folded(steps).state == "completed"
            assert [each.event for each in steps[1:]] == ["admitted", "matched", "dispatched", "stepped", "ended"]
            assert {(each.worker, each.token) for each in steps[1:]} == {(worker, int(token))}
    assert await claimed(store, JOBS) == []


async def test_what_a_killed_process_had_goes_to_the_other(grounds: Grounds) -> None:
    """Its leases are cut short by hand, so that nobody waits for them."""
    store = await grounds.open()
    await store.submit([submission(number) for number in range(40)])
    async with competitor(grounds, "doomed") as doomed, competitor(grounds, "heir") as heir:
        doomed.tell("hold")
        await doomed.holding()
        doomed.process.kill()
        await doomed.process.wait()
        had = await store.ls(Wanted(phase="running"), 100)
        assert sorted(ids(had)) == [line.split()[0] for line in doomed.lines]
        assert await store.renew([job.held for job in had], SHORT) == ["held"] * 7
        heir.tell("work")
        await heir.done()
    assert len(heir.lines) == 40
    for job in await store.ls(Wanted(), 100):
        events = await sound(store, job.id)
        assert job.place.outcome == "ok"
        assert job.lost == (job.id in ids(had)) == ("resumed" in events)
