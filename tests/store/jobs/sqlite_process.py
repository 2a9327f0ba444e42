"""A process of its own on a file of jobs: `submit N`, `work WORKER` until there is nothing, `hold` and die by the test."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pointsman.domain.job import QUEUES
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import change, submission


async def main(path: str, verb: str, what: str) -> None:
    store = SqliteJobStore(Path(path))
    if verb == "submit":
        await asyncio.gather(*(store.submit([submission(int(what) + number)]) for number in range(200)))
    elif verb == "hold":
        jobs = await store.claim(QUEUES, what, 3, 0.2)
        print(*(job.id for job in jobs), flush=True)
        await asyncio.sleep(3600)
    else:
        while jobs := await store.claim(QUEUES, what, 7, 3600.0):
            await asyncio.gather(
                *(
                    store.advance(
                        job.held,
                        change(job, "admitted", "ended:ok", op=f"{job.id}.{job.token}", worker=what, at=job.created),
                    )
                    for job in jobs
                )
            )
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
