"""Slots that other gateways have: a request does not stand in the line for them while another target has room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from pipeline.replicas.scripted import TARGET, House
from pointsman.admission.ticket import Capacity
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.pipeline import gate
from pointsman.pipeline.gate import Gate, GateRules, Pass
from pointsman.pipeline.replicas.line import Around
from pointsman.ports.clock import SystemClock

POOL, BESIDE = TARGET.name, "m@beside"


class Scene:
    """A pool of two nodes of two slots, of which others have `outside`, and one more backend that holds one request."""

    def __init__(self) -> None:
        self.outside: dict[str, int] = {}
        self.house = House("a", "b", around=lambda: Around(None, self.outside))
        self.gate = Gate(SystemClock(), lambda: Snapshot.of(()))
        self.gate.pools = {POOL: self.house.pool}
        self.gate.install(GateRules(lambda _: {POOL: Capacity(4), BESIDE: Capacity(1)}))
        self.number = 0

    def come(self, *targets: str) -> tuple[Pass, asyncio.Task[str]]:
        self.number += 1
        one = self.gate.pass_for(Request(f"r{self.number}", "chat", "medium", ()), 10)
        return one, asyncio.create_task(one.enter(targets or (POOL, BESIDE)))


@pytest.fixture
async def scene(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    monkeypatch.setattr(gate, "LOOK", 0.02)
    found = Scene()
    await found.house.pool.probe()
    yield found
    await found.house.pool.close()


async def test_it_goes_to_the_one_that_has_room(scene: Scene) -> None:
    assert await scene.come()[1] == POOL, "nobody is there: in the order of the targets"
    scene.outside = {"a": 2, "b": 2}
    assert await scene.come()[1] == BESIDE
    _, third = scene.come()
    await asyncio.sleep(0.1)
    assert not third.done() and scene.house.pool.waiting == 1, "both are full: it stands in the line"
    scene.outside = {}
    scene.house.pool.line.look()
    assert await third == POOL


async def test_one_in_the_line_goes_where_room_comes_first(scene: Scene) -> None:
    scene.outside = {"a": 2, "b": 2}
    beside, first = scene.come()
    assert await first == BESIDE
    waits, second = scene.come()
    await asyncio.sleep(0.05)
    assert not second.done()
    beside.leave()
    assert await second == BESIDE
    assert scene.house.pool.waiting == 0 and scene.gate.inside(POOL) == (0, 0) and scene.gate.inside(BESIDE)[0] == 1
    waits.leave()
    assert scene.gate.inside(BESIDE) == (0, 0)


async def test_who_may_go_nowhere_else_waits(scene: Scene) -> None:
    scene.outside = {"a": 2, "b": 2}
    one, waiting = scene.come(POOL)
    await asyncio.sleep(0.1)
    assert not waiting.done()
    scene.outside = {"a": 1, "b": 2}
    scene.house.pool.line.look()
    assert await waiting == POOL and one.choice is not None and one.choice.node == "a"


async def test_one_that_hangs_up_in_the_line_holds_nothing(scene: Scene) -> None:
    scene.outside = {"a": 2, "b": 2}
    assert await scene.come()[1] == BESIDE
    _, waiting = scene.come()
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert scene.house.pool.waiting == 0 and not scene.house.pool.line.held and scene.gate.inside(POOL) == (0, 0)
