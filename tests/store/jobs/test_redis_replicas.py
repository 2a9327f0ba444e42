"""A server with a replica that takes its place, with and without waiting for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pointsman.domain.said import Said
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.redis import RedisJobStore
from store.jobs.door import door
from store.jobs.makes import advanced, change, executing, one, sound, submission, submitted
from store.jobs.servers import Valkey, copied, until, valkey


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[list[Valkey]]:
    with valkey(tmp_path, replicas=1) as found:
        assert isinstance(found, list)
        yield found


@contextlib.asynccontextmanager
async def opened(port: int, options: str = "") -> AsyncIterator[RedisJobStore]:
    store = RedisJobStore(f"redis://127.0.0.1:{port}{options}")
    try:
        yield store
    finally:
        await store.close()


def promote(replica: Valkey) -> None:
    with replica.client() as client:
        client.replicaof("NO", "ONE")


async def test_what_a_replica_confirmed_is_there_after_a_failover(pair: list[Valkey]) -> None:
    primary, replica = pair
    acknowledged: list[str] = []
    async with door(primary.port) as way, opened(way.port, "?wait=1&wait_ms=5000") as store:

        async def write(first: int) -> None:
            with contextlib.suppress(StoreError):
                for number in range(first, first + 1000):
                    await store.submit([submission(number)])
                    acknowledged.append(f"job_{number:06}")

        tasks = [asyncio.create_task(write(1000 * number)) for number in range(8)]
        while len(acknowledged) < 200:
            await asyncio.sleep(0.001)
        primary.kill()
        await asyncio.gather(*tasks)
        promote(replica)
        way.target = replica.port
        way.break_all()
        for job_id in acknowledged:
            assert await store.get(job_id) is not None
            assert await sound(store, job_id) == ["submitted"]


async def test_without_a_replica_nothing_is_acknowledged(pair: list[Valkey]) -> None:
    primary, replica = pair
    async with opened(primary.port, "?wait=1&wait_ms=1500") as store:
        job = await executing(store)
        promote(replica)  # it listens to nobody any more
        with pytest.raises(StoreError) as error:
            await store.submit([submission(2)])
        (message,) = error.value.args
        assert isinstance(message, Said)
        assert "not confirmed by a replica (0 of 1)" in message
        assert "没有得到副本的确认（0/1）" in message.zh
        what = change(job, "ended:ok")
        with pytest.raises(StoreError):
            await store.advance(job.held, what)
        with replica.client() as client:
            client.replicaof("127.0.0.1", primary.port)
            while client.info("replication")["master_link_status"] != "up":
                await asyncio.sleep(0.01)
        assert (await store.advance(job.held, what)).version == 5  # under the same name, it was made
        assert await sound(store, job.id) == ["submitted", "admitted", "matched", "dispatched", "ended"]


async def test_without_waiting_it_may_be_lost(pair: list[Valkey]) -> None:
    """What `wait=1` is for."""
    primary, replica = pair
    promote(replica)
    async with opened(primary.port) as store:
        assert (await store.submit([submission()]))[0].created
    async with opened(replica.port) as store:
        assert await store.get("job_000001") is None


async def test_a_primary_that_became_a_replica(pair: list[Valkey]) -> None:
    """The address leads to another server by then."""
    primary, replica = pair
    async with door(primary.port) as way, opened(way.port) as store:
        await submitted(store, submission())
        job = await one(store)
        await asyncio.to_thread(until, lambda: copied(primary, replica))
        promote(replica)
        with primary.client() as client:
            client.replicaof("127.0.0.1", replica.port)
        with pytest.raises(StoreError) as error:
            await store.advance(job.held, change(job, "admitted"))
        assert "is a replica now and takes no writes" in str(error.value)
        way.target = replica.port
        assert (await advanced(store, job, "admitted", "matched", "ended:ok")).over
