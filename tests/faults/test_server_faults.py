"""Redis and Valkey: the server is killed and comes back, or another takes its place; answers of it are lost on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faults.cut_wire import cut_wire
from faults.ground import Ground, until
from faults.plans import Plan, ended, planned
from pointsman.domain.job import Job
from pointsman.ports.job_store import JobStore, StoreError, Wanted
from store.jobs.makes import advanced, claimed, sound, submission
from store.jobs.servers import Valkey, valkey

_PLANS = [Plan(steps=3, pause=0.05), Plan(fails=2), Plan(again=True), Plan(children=2), Plan(steps=1)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Valkey]:
    with valkey(tmp_path / "server") as server:
        assert isinstance(server, Valkey)
        yield server


@pytest.fixture
def ground(server: Valkey, tmp_path: Path) -> Iterator[Ground]:
    ground = Ground(tmp_path / "ground", f"{server.url}/0")
    yield ground
    ground.end()


async def test_it_is_killed_in_the_midst_of_work(server: Valkey, ground: Ground) -> None:
    workers = [ground.start(f"w{number}", forever=True, lost=99) for number in range(2)]
    client = ground.start("client", verb="submit", jobs=tuple(enumerate(_PLANS * 8)))
    for acknowledged in (5, 15, 25, 35):
        await until(lambda least=acknowledged: len(ground.noted("acked")) >= least)
        server.kill()
        await asyncio.sleep(0.05)
        server.start()
    assert await client.over() == 0
    assert await ground.run("last", lost=99) == 0
    for worker in workers:
        worker.kill()
    assert await ground.check() == {"ok": 56}


async def test_answers_are_lost_and_asked_for_again(server: Valkey, ground: Ground) -> None:
    """The client sends it a second time by itself: every one of those has been done already."""
    async with cut_wire(server.port) as wire:
        ground.store = f"redis://127.0.0.1:{wire.port}/0"
        wire.each = 7
        assert await ground.submit(*_PLANS * 2) == 0
        assert await ground.run(lost=99) == 0
        wire.each = 0
        assert await ground.check() == {"ok": 14}
        assert wire.cut > 10


async def test_a_step_whose_answer_is_lost_is_made_once(server: Valkey, ground: Ground) -> None:
    async with cut_wire(server.port) as wire:
        ground.store = f"redis://127.0.0.1:{wire.port}/0"
        store = ground.opened()
        await store.submit([submission()])
        (job,) = await claimed(store)
        for step in (("admitted", "matched", "dispatched"), *[("stepped",)] * 9):
            wire.next = 1
            job = await advanced(store, job, *step, hold=True)
        assert wire.cut == 10
        assert (await sound(store, job.id)).count("stepped") == 9
        await store.close()


class Pair:
    """A server and its replica, which is to take its place."""

    def __init__(self, servers: list[Valkey]) -> None:
        self.first, self.second = servers

    async def part(self) -> None:
        """The replica has heard all there was, and hears nothing more."""
        with self.first.client() as first, self.second.client() as client:
            await until(lambda: _heard(client.info("replication")) == first.info("replication")["master_repl_offset"])
            client.execute_command("REPLICAOF", "127.0.0.1", "1")

    def fail_over(self) -> None:
        self.first.kill()
        with self.second.client() as client:
            client.execute_command("REPLICAOF", "NO", "ONE")
            client.config_set("port", str(self.first.port))


def _heard(replication: dict[str, Any]) -> int:
    """How far a replica is; -1 where it does not hear its primary."""
    return int(replication["slave_repl_offset"]) if replication["master_link_status"] == "up" else -1


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with valkey(tmp_path / "servers", replicas=1) as servers:
        assert isinstance(servers, list)
        yield Pair(servers)


def _after(pair: Pair, folder: Path, wait: int) -> Ground:
    return Ground(folder / "ground", f"{pair.first.url}/0?wait={wait}&wait_ms=2000")


async def test_another_takes_its_place_and_nothing_is_lost(pair: Pair, tmp_path: Path) -> None:
    """A replica had confirmed all that was acknowledged. From then on there is none, so nothing is waited for."""
    ground = _after(pair, tmp_path, wait=1)
    try:
        worker = ground.start("w", forever=True, lost=99)
        client = ground.start("client", verb="submit", jobs=tuple(enumerate(_PLANS * 6)))
        await until(lambda: len(ground.noted("acked")) >= 12)
        pair.fail_over()
        client.kill()
        worker.kill()
        ground.store = _after(pair, tmp_path, wait=0).store
        assert await ground.run("last", lost=99) == 0
        assert set(await ground.check()) == {"ok"}
    finally:
        ground.end()


async def test_what_no_replica_has_is_not_acknowledged(pair: Pair, tmp_path: Path) -> None:
    store = _after(pair, tmp_path, wait=1).opened()
    await store.submit([submission(1)])
    await pair.part()
    with pytest.raises(StoreError, match="not confirmed by a replica"):
        await store.submit([submission(2)])
    pair.fail_over()
    await store.close()
    store = _after(pair, tmp_path, wait=0).opened()
    assert [job.id for job in await store.ls(Wanted(), 10)] == ["job_000001"]
    await store.close()


async def test_without_confirmation_the_last_of_it_may_be_lost_but_is_sound(pair: Pair, tmp_path: Path) -> None:
    """What was acknowledged after the replica heard the last: jobs are gone, others are where they were before. That much
    is not promised; that traces are whole and effects are made once, is."""
    ground = _after(pair, tmp_path, wait=0)
    try:
        assert await ground.submit(*[Plan()] * 5) == 0
        assert await ground.run() == 0
        assert await ground.submit(*[Plan(steps=2, gate="gate")] * 5, first=10) == 0
        worker = ground.start("w", forever=True)
        store = ground.opened()
        await until_held(store)
        await pair.part()
        (ground.folder / "gate").touch()
        assert await ground.submit(*[Plan()] * 5, first=20) == 0
        await until(lambda: len(ground.noted("published")) == 15)
        worker.kill()
        pair.fail_over()
        await store.close()
        store = ground.opened()
        there = {job.id for job in await store.ls(Wanted(), 100)}
        assert there == {planned(number, Plan()).id for number in (*range(5), *range(10, 15))}
        await store.close()
        assert await ground.run("last") == 0
        await _sound_all(ground)
        assert await ground.submit(*[Plan()] * 5, first=20) == 0  # whoever had them acknowledged sends them again
        assert await ground.run("last") == 0
        assert await ground.check() == {"ok": 15}
    finally:
        ground.end()


async def until_held(store: JobStore) -> None:
    while (await store.counts()).get("interactive.running", 0) < 4:
        await asyncio.sleep(0.01)


async def _sound_all(ground: Ground) -> None:
    store = ground.opened()
    for listed in await store.ls(Wanted(), 100):
        job = await store.get(listed.id)
        assert isinstance(job, Job)
        assert ended(job) == "ok"
        await sound(store, job.id)
    await store.close()
