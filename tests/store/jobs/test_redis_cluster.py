"""A cluster whose nodes fail over, whose slots are elsewhere, that is down."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from pointsman.domain.job import QUEUES, Submission
from pointsman.ports.job_store import StoreError, Wanted
from pointsman.store.jobs.redis import RedisJobStore
from pointsman.store.jobs.redis_keys import SHARDS, Keys
from store.jobs.makes import advanced, change, child, one, sound, submission, submitted, until
from store.jobs.servers import Cluster, Valkey, valkey_cluster


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with valkey_cluster(tmp_path, primaries=3, replicas=1) as found:
        yield found


@contextlib.asynccontextmanager
async def opened(cluster: Cluster, options: str = "") -> AsyncIterator[RedisJobStore]:
    store = RedisJobStore(cluster.url + options)
    try:
        yield store
    finally:
        await store.close()


def many(count: int = 60) -> list[Submission]:
    """In all shards."""
    return [submission(number, queue=QUEUES[number % 3]) for number in range(count)]


async def ended(store: RedisJobStore, count: int) -> None:
    """Work goes on as soon as the cluster does."""
    over: set[str] = set()

    async def some() -> bool:
        with contextlib.suppress(StoreError):
            for job in await store.claim(QUEUES, "w", 10, 5.0):
                await store.advance(job.held, change(job, "admitted", "matched", "ended:ok", op=f"end-{job.id}"))
        with contextlib.suppress(StoreError):
            over.update(job.id for job in await store.ls(Wanted(phase="over"), count))
        return len(over) == count

    await until(some, 60.0)


def test_all_keys_of_a_shard_are_in_one_slot() -> None:
    keys = Keys("a", SHARDS)
    assert len({key_slot(own[0]) for own in keys.own}) == SHARDS
    for shard in range(SHARDS):
        names = [*keys.own[shard], keys.job(shard, "job_1"), keys.trace(shard, "job_{x}"), keys.caller(shard, "{y}")]
        names += [keys.children(shard, "job_1"), keys.name(shard, "}", "{"), keys.value(shard, "{}")]
        assert len({key_slot(name) for name in names}) == 1


def test_a_family_is_in_one_shard() -> None:
    keys = Keys("a", SHARDS)
    for number in range(100):
        shard = keys.shard(f"job_{number}")
        assert {keys.shard(f"job_{number}.17"), keys.shard(f"webhook_{number}")} == {shard}
    assert len({keys.shard(f"job_{number}") for number in range(1000)}) == SHARDS


async def test_a_child_of_another_shard_is_refused(cluster: Cluster) -> None:
    async with opened(cluster) as store:
        with pytest.raises(ValueError, match="do not begin with the same digits"):
            await store.submit([child("job_000001", 1, id="job_000002.000001")])


async def test_a_primary_that_dies_is_replaced(cluster: Cluster) -> None:
    """What its replica has is not lost: what is submitted is acknowledged when that has it."""
    async with opened(cluster, "?wait=1&wait_ms=8000") as store:
        await submitted(store, *many())
    async with opened(cluster) as store:  # who replaces it has no replica
        cluster.nodes[1].kill()
        await ended(store, 60)
        for each in many():
            assert await sound(store, each.id) == ["submitted", "admitted", "matched", "ended"]


async def test_a_primary_that_steps_down(cluster: Cluster) -> None:
    """Its slots are its replica's from then on, and it says so (MOVED)."""
    async with opened(cluster, "?wait=1&wait_ms=2000") as store:
        await submitted(store, *many(20))
        for replica in cluster.nodes[3:]:
            with replica.client() as client:
                client.execute_command("CLUSTER FAILOVER")
        await until(lambda: roles(cluster), 30.0)
        await submitted_at_last(store, many(60)[20:])
        await ended(store, 60)


async def roles(cluster: Cluster) -> bool:
    found = []
    for node in cluster.nodes:
        with node.client() as client:
            found.append(client.info("replication")["role"])
    return found == ["slave"] * 3 + ["master"] * 3


async def submitted_at_last(store: RedisJobStore, sent: list[Submission]) -> None:
    async def made() -> bool:
        with contextlib.suppress(StoreError):
            await store.submit(sent)
            return True
        return False

    await until(made, 30.0)


async def test_a_slot_on_its_way_to_another_node(cluster: Cluster) -> None:
    """Nobody has moved its keys yet, or all of them (ASK): no call is lost, none is made twice."""
    async with opened(cluster) as store:
        job = (await submitted(store, submission(1)))[0]
        taken = await one(store)
        slot = key_slot(store._keys.job(store._keys.shard(job.id), job.id))
        source = next(node for node in cluster.nodes[:3] if _owns(node, slot))
        target = next(node for node in cluster.nodes[:3] if node is not source)
        names = [(_id(node), node) for node in (source, target)]
        with source.client() as here, target.client() as there:
            there.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", names[0][0])
            here.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", names[1][0])
            keys = here.execute_command("CLUSTER GETKEYSINSLOT", slot, 1000)
            here.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
            for client in (there, here):
                client.execute_command("CLUSTER SETSLOT", slot, "NODE", names[1][0])

        async def goes_on() -> bool:
            with contextlib.suppress(StoreError):
                await store.advance(taken.held, what)
                return True
            return False

        what = change(taken, "admitted", "matched", "ended:ok")
        await until(goes_on)
        assert await sound(store, job.id) == ["submitted", "admitted", "matched", "ended"]


def _owns(node: Valkey, slot: int) -> bool:
    with node.client() as client:
        return any(
            first <= slot <= last and owner[1] == node.port
            for first, last, owner, *_ in client.execute_command("CLUSTER SLOTS")
        )


def _id(node: Valkey) -> bytes:
    with node.client() as client:
        return client.execute_command("CLUSTER MYID")


async def test_a_cluster_that_is_down(cluster: Cluster) -> None:
    async with opened(cluster) as store:
        job = (await submitted(store, submission(1)))[0]
        for node in cluster.nodes:
            node.kill()
        with pytest.raises(StoreError) as error:
            await store.get(job.id)
        assert "无法连接" in error.value.args[0].zh
        await asyncio.gather(*(asyncio.to_thread(node.start) for node in cluster.nodes))

        async def back() -> bool:
            with contextlib.suppress(StoreError):
                return await store.get(job.id) == job
            return False

        await until(back, 60.0)
        await until(lambda: ends(store))


async def ends(store: RedisJobStore) -> bool:
    with contextlib.suppress(StoreError):
        return (await advanced(store, await one(store), "ended:ok")).over
    return False
