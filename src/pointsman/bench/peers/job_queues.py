"""Jobs that others keep: `python job_queues.py taskiq-redis|dbos URL SECONDS IN_FLIGHT`.

So many clients submit jobs with 1 KiB for so many seconds, and a worker in the same process does them, so many at a time;
the result, 1 KiB too, is kept. Printed are jobs a second until the last one is done, as `pointsman.bench.job_load jobs`
does."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable

BODY = "x" * 1024


class Count:
    """How many jobs were submitted, and how many done."""

    def __init__(self) -> None:
        self.submitted = 0
        self.done = 0


async def measured(
    submit: Callable[[], Awaitable[object]], count: Count, seconds: float, in_flight: int
) -> dict[str, float]:
    end = time.monotonic() + seconds

    async def client() -> None:
        while time.monotonic() < end:
            await submit()
            count.submitted += 1

    began = time.monotonic()
    await asyncio.gather(*(client() for _ in range(in_flight)))
    while count.done < count.submitted:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return {"per_s": count.submitted / (time.monotonic() - began)}


async def taskiq_redis(url: str, seconds: float, in_flight: int) -> dict[str, float]:
    from taskiq.api import run_receiver_task
    from taskiq_redis import RedisAsyncResultBackend, RedisStreamBroker

    count = Count()

    class Counting(RedisAsyncResultBackend):  # type: ignore[misc]
        async def set_result(self, task_id: str, result: object) -> None:
            await super().set_result(task_id, result)
            count.done += 1

    broker = RedisStreamBroker(url).with_result_backend(Counting(url, result_ex_time=600))

    @broker.task
    async def work(body: str) -> str:
        return body

    await broker.startup()
    worker = asyncio.create_task(run_receiver_task(broker, max_async_tasks=in_flight))
    try:
        return await measured(lambda: work.kiq(BODY), count, seconds, in_flight)
    finally:
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
        await broker.shutdown()


async def dbos(url: str, seconds: float, in_flight: int) -> dict[str, float]:
    from dbos import DBOS

    count = Count()
    DBOS(config={"name": "bench", "system_database_url": url, "log_level": "ERROR", "run_admin_server": False})

    @DBOS.step()
    async def step(body: str) -> str:
        return body

    @DBOS.workflow()
    async def work(body: str) -> str:
        result = await step(body)
        count.done += 1
        return result

    DBOS.launch()
    await DBOS.register_queue_async("bench", concurrency=in_flight, polling_interval_sec=0.01)
    try:
        return await measured(lambda: DBOS.enqueue_workflow_async("bench", work, BODY), count, seconds, in_flight)
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    peer = {"taskiq-redis": taskiq_redis, "dbos": dbos}[sys.argv[1]]
    json.dump(asyncio.run(peer(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))), sys.stdout)
