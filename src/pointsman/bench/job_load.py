"""`python -m pointsman.bench.job_load WHAT STORE SECONDS`: load on a store of jobs, in a process of its own.

`advance`: 64 jobs under way at a time, each submitted, claimed, taken through three more durable steps and ended; its
figures are of the steps. `jobs`: 64 clients submit jobs for so many seconds, while a worker of the gateway's does them;
jobs a second until the last one is done. `hang`: a worker that takes jobs, says so and never ends any. `submit`: one
job. Prints JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from pointsman.bench.load import quantile
from pointsman.domain.job import Submission
from pointsman.domain.lifecycle import Event, step
from pointsman.pipeline.job_worker import JobWorker, Terms
from pointsman.pipeline.passage import Finished, Passage
from pointsman.ports.clock import SystemClock
from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.by_url import open_url

IN_FLIGHT = 64
LEASE = 2.0  # seconds of a job that `hang` holds
_STEPS: tuple[Event, ...] = ("admitted", "missed", "dispatched")
_BODY = b"x" * 1024
_CLOCK = SystemClock()


class Worked:
    """What a real handler does, without the work: one durable step, and the end."""

    async def handle(self, passage: Passage) -> Finished:
        await passage.begin("bench")
        return Finished(result=_BODY)


class Hanging:
    async def handle(self, passage: Passage) -> Finished:
        await passage.begin("bench")
        sys.stdout.write("took\n")
        sys.stdout.flush()
        await asyncio.sleep(3600)
        raise AssertionError


def submission(number: int) -> Submission:
    return Submission(
        id=f"job_{time.time_ns():016x}{number:04x}",
        queue="interactive",
        kind="request",
        caller="bench",
        created=time.time(),
        body=_BODY,
    )


async def advance(store: JobStore, seconds: float) -> dict[str, float]:
    took: list[float] = []
    end = time.monotonic() + seconds

    async def go(passage: Passage) -> None:
        for event in _STEPS:
            began = time.perf_counter()
            await passage.go(event)
            took.append(time.perf_counter() - began)
        began = time.perf_counter()
        await passage.make(passage.change((("ended", "ok"),), (step(passage.place, "ended", "ok"),)))
        took.append(time.perf_counter() - began)

    async def client(number: int) -> None:
        while time.monotonic() < end:
            await store.submit([submission(number)])
            for job in await store.claim(("interactive",), "bench", 1, 60.0):
                await go(Passage(job, store, _CLOCK, "bench"))

    began = time.monotonic()
    await asyncio.gather(*map(client, range(IN_FLIGHT)))
    return _figures(took, time.monotonic() - began)


async def jobs(store: JobStore, seconds: float) -> dict[str, float]:
    end = time.monotonic() + seconds
    worker = JobWorker(store, {"request": Worked()}, _CLOCK, Terms(concurrency=IN_FLIGHT), "bench")
    working = asyncio.create_task(worker.run())
    submitted = 0

    async def client(number: int) -> None:
        nonlocal submitted
        while time.monotonic() < end:
            await store.submit([submission(number)])
            submitted += 1

    began = time.monotonic()
    await asyncio.gather(*map(client, range(IN_FLIGHT)))
    while any((await store.counts()).values()):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    spent = time.monotonic() - began
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return {"per_s": submitted / spent}


def _figures(took: list[float], spent: float) -> dict[str, float]:
    p50, p99 = (quantile(took, share) * 1e3 for share in (0.5, 0.99))
    return {"per_s": len(took) / spent, "p50_ms": p50, "p99_ms": p99}


async def hang(store: JobStore, seconds: float) -> dict[str, float]:
    terms = Terms(concurrency=1, lease=LEASE, poll=0.1)
    await JobWorker(store, {"request": Hanging()}, _CLOCK, terms, "hanging").run()
    return {}


async def submit(store: JobStore, seconds: float) -> dict[str, float]:
    await store.submit([submission(0)])
    return {}


async def main(what: str, url: str, seconds: float) -> None:
    store = open_url(url, Path("/"))
    try:
        told = await {"advance": advance, "jobs": jobs, "hang": hang, "submit": submit}[what](store, seconds)
        sys.stdout.write(json.dumps(told) + "\n")
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
