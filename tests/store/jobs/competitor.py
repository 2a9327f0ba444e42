"""A process of its own that has an instance of a store: `KIND WHERE WORKER`. A line that it reads says what to do: `work`
until nothing is left, or `hold` a few jobs in their execution until it is killed. It prints what it was handed out, a line
each: the job's id and the token it came with."""

from __future__ import annotations

import asyncio
import sys

from pointsman.domain.job import QUEUES, Job
from pointsman.ports.job_store import JobStore, Wanted
from store.jobs.makes import NOON, advanced, change, claimed
from store.jobs.stores import opened


async def work(store: JobStore, worker: str) -> None:
    while not all(job.over for job in await store.ls(Wanted(), 1000)):
        jobs = await told(store, worker)
        await asyncio.gather(*(do(store, job, worker) for job in jobs))
        if not jobs:
            await store.wait(QUEUES, 0.05)
    await store.close()


async def hold(store: JobStore, worker: str) -> None:
    for job in await told(store, worker):
        await begun(store, job, worker)
    print("held", flush=True)
    await asyncio.sleep(3600)


async def told(store: JobStore, worker: str) -> list[Job]:
    jobs = await claimed(store, 7, worker=worker)
    for job in jobs:
        print(job.id, job.token, flush=True)
    return jobs


async def do(store: JobStore, job: Job, worker: str) -> None:
    """Step by step, as a worker does."""
    job = await begun(store, job, worker)
    job = await advanced(store, job, "stepped", worker=worker, hold=True, at=NOON, op=name(job), data=worker.encode())
    await store.advance(job.held, change(job, "ended:ok", worker=worker, at=NOON, op=name(job), result=job.id.encode()))


async def begun(store: JobStore, job: Job, worker: str) -> Job:
    events = ("resumed",) if job.place.state == "execution" else ("admitted", "matched", "dispatched")
    return await advanced(store, job, *events, worker=worker, hold=True, at=NOON, op=name(job))


def name(job: Job) -> str:
    """Of a change of it: no other process makes one of that name."""
    return f"{job.id}.{job.token}.{job.version}"


if __name__ == "__main__":
    kind, where, worker = sys.argv[1:]
    print("ready", flush=True)
    task = {"work\n": work, "hold\n": hold}[sys.stdin.readline()]
    asyncio.run(task(opened(kind, where), worker))
