"""Hundreds of jobs, some failing and some deadly, while workers and clients are killed at random moments."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter

import pytest

from faults.ground import PATIENCE, Ground, Process
from faults.plans import FAILURES, Plan, Way
from faults.strikes import Strike
from pointsman.ports.job_store import JobStore, StoreError

_WORKERS = 3
_WAYS: tuple[Way, ...] = ("matched", "missed", "arbitrated", "asked")


def _plan(chance: random.Random) -> Plan:
    way, pause, steps = chance.choice(_WAYS), chance.uniform(0.0, 0.05), chance.randint(0, 3)
    kind = chance.choices(("good", "fails", "dead", "kills", "again", "parent"), (70, 8, 5, 4, 8, 5))[0]
    return Plan(
        way=way,
        pause=pause,
        steps=steps,
        fails={"fails": FAILURES - 1, "dead": 99}.get(kind, 0),
        kills=int(kind == "kills"),
        again=kind == "again",
        children=3 if kind == "parent" else 0,
    )


class Chaos:
    """`jobs` in portions, and after each of them some process is killed. Clients are killed, too, and say the same again."""

    def __init__(self, ground: Ground, jobs: int, kills: int, deadly: int, seed: int) -> None:
        self._ground = ground
        self._chance = random.Random(seed)
        plans = [_plan(self._chance) for _ in range(jobs - deadly)]
        for _ in range(deadly):
            plans.insert(self._chance.randrange(len(plans)), Plan(kills=99))
        self.plans = plans
        self._kills = kills
        self._names = 0
        self._workers: list[Process] = []
        self.killed = 0

    async def run(self) -> None:
        self._man()
        portion = -(-len(self.plans) // self._kills)
        for kill in range(self._kills):
            await self._submit(range(len(self.plans))[kill * portion : (kill + 1) * portion])
            await asyncio.sleep(self._chance.uniform(0.0, 0.3))
            self._strike()
            self._man()
        store = self._ground.opened()
        end = time.monotonic() + PATIENCE
        while not await _all_over(store):
            assert time.monotonic() < end, await store.counts()
            self._man()
            await asyncio.sleep(0.05)
        await store.close()
        for worker in self._workers:
            worker.kill()

    def _strike(self) -> None:
        alive = [worker for worker in self._workers if worker.alive]
        if alive:
            self._chance.choice(alive).kill()
            self.killed += 1

    def _man(self) -> None:
        """As many workers as there should be."""
        self._workers = [worker for worker in self._workers if worker.alive]
        while len(self._workers) < _WORKERS:
            self._names += 1
            self._workers.append(self._ground.start(f"w{self._names}", forever=True))

    async def _submit(self, numbers: range) -> None:
        jobs = tuple((number, self.plans[number]) for number in numbers)
        if not jobs:
            return
        if self._chance.random() < 0.2:
            strike = Strike(self._chance.choice(("before", "after")), "submit", self._chance.randint(1, len(jobs)))
            await self._ground.run("client", verb="submit", jobs=jobs, strikes=(strike,))
            self.killed += 1
        await self._ground.run("client", verb="submit", jobs=jobs)


async def _all_over(store: JobStore) -> bool:
    try:
        counts = await store.counts()
    except StoreError:
        return False
    return not any(count for name, count in counts.items() if not name.endswith(".dead"))


def expected(plans: list[Plan]) -> Counter[str]:
    return Counter(plan.end for plan in plans) + Counter(ok=sum(plan.children for plan in plans))


@pytest.mark.parametrize(
    ("jobs", "kills", "deadly"),
    [pytest.param(100, 15, 1, id="100"), pytest.param(400, 60, 3, id="400", marks=pytest.mark.slow)],
)
async def test_all_are_done_or_dead_as_planned(ground: Ground, jobs: int, kills: int, deadly: int) -> None:
    chaos = Chaos(ground, jobs, kills, deadly, seed=jobs)
    await chaos.run()
    assert await ground.check() == expected(chaos.plans)
    assert len(ground.noted("acked")) >= jobs
    assert chaos.killed >= kills
    assert expected(chaos.plans)["worker_lost"] == deadly
