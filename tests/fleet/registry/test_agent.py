"""What `pointsman node` says of an engine, and how it comes and goes."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import pointsman.app.node as node
import pointsman.fleet.registry.stored as stored
from pipeline.replicas.scripted import Engine
from pointsman.app.node import Agent
from pointsman.domain.errors import Problem
from pointsman.domain.node import NodeModel, NodeReport
from pointsman.fleet.gpu import GpuStatus
from pointsman.fleet.node import Node, NodeState
from pointsman.fleet.registry.stored import StoredRegistry
from pointsman.ports.backend import EngineLoad
from pointsman.store.ephemeral.memory import MemoryEphemeral
from pointsman.store.ephemeral.sqlite import SqliteEphemeral


class Machine(Node):
    """One that is always the same."""

    def __init__(self) -> None:
        """Reads nothing."""

    def read(self) -> NodeState:
        return NodeState(0.25, 6, 8, (GpuStatus("u", "H200", 0.5, 10, 20, 40.0, 100.0),))

    def close(self) -> None:
        """Holds nothing."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "HEARTBEAT", 0.02)
    monkeypatch.setattr(node, "NOTICED", 0.05)


REPORT = NodeReport("gpu-1", "http://gpu-1:8000/v1", "", engine="vllm")


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not there():
            await asyncio.sleep(0.005)


async def test_what_it_says(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    engine, shared, stop = Engine(REPORT, slots=4), MemoryEphemeral(), asyncio.Event()
    engine.told = EngineLoad(3, 1)
    registry = StoredRegistry(shared)
    agent = Agent(registry, engine, REPORT, (), Machine)
    running = asyncio.create_task(agent.run(stop, 5.0))
    await until(lambda: agent.report.beat >= 3)
    (told,) = await registry.nodes("m")
    assert told.models == (NodeModel("m"),) and told.incarnation and not told.draining
    assert (told.slots, told.in_flight, told.queue, told.cpu, told.memory) == (4, 3, 1, 0.25, 8)
    assert told.gpus[0].name == "H200" and told.gpus[0].memory == 20
    engine.state = engine.state.__class__(engine.state.target, "down", problem="the engine died")
    await until(lambda: agent.report.models[0].state == "down")
    assert "the engine died" in caplog.text and agent.report.problem == "the engine died"
    engine.state = engine.state.__class__(engine.state.target, "up")
    await until(lambda: agent.report.models[0].state == "ready")
    stop.set()
    await until(lambda: agent.report.draining)
    await asyncio.sleep(0.1)
    assert not running.done(), "its engine still works on three"
    engine.told = EngineLoad(0, 0)
    await running
    assert await registry.all() == () and engine.closed
    assert "node gpu-1 is leaving" in caplog.text and "node gpu-1 has left" in caplog.text


async def test_an_engine_that_does_not_come_to_an_end() -> None:
    engine, stop = Engine(REPORT), asyncio.Event()
    engine.told = EngineLoad(1, 0)
    stop.set()
    registry = StoredRegistry(MemoryEphemeral())
    await Agent(registry, engine, REPORT, (), Machine).run(stop, 0.05)
    assert await registry.all() == ()


async def test_models_as_they_are_named(caplog: pytest.LogCaptureFixture) -> None:
    engine, shared, stop = Engine(REPORT), MemoryEphemeral(), asyncio.Event()
    registry = StoredRegistry(shared)
    agent = Agent(registry, engine, REPORT, (NodeModel("small", id="/m.gguf"),), Machine)
    running = asyncio.create_task(agent.run(stop, 0.0))
    await until(lambda: agent.report.beat)
    assert [each.name for each in await registry.nodes("small")] == ["gpu-1"] and await registry.nodes("m") == ()
    stop.set()
    await running


async def test_a_wall_clock_that_is_a_year_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes of one machine, of which the node's steps to and fro: it is there, and gone a while after its end."""
    monkeypatch.setattr(stored, "TTL", 0.3)
    own, gateways = (SqliteEphemeral(tmp_path / "e.sqlite") for _ in range(2))
    right, off = time.time, itertools.cycle((-31_536_000.0, 31_536_000.0))
    monkeypatch.setattr(time, "time", lambda: right() + next(off))
    agent = Agent(StoredRegistry(own), Engine(REPORT), REPORT, (), Machine)
    running = asyncio.create_task(agent.run(asyncio.Event(), 0.0))
    registry = StoredRegistry(gateways)
    await until(lambda: agent.report.beat >= 20)
    assert [each.name for each in await registry.all()] == ["gpu-1"]
    running.cancel()  # killed: it does not say that it leaves
    monkeypatch.setattr(StoredRegistry, "leave", StoredRegistry.tell)
    await asyncio.gather(running, return_exceptions=True)
    async with asyncio.timeout(10):
        while await registry.all():
            await asyncio.sleep(0.02)
    await own.close()
    await gateways.close()


async def test_a_store_that_is_gone_is_told_once_and_found_again(caplog: pytest.LogCaptureFixture) -> None:
    engine, shared, stop = Engine(REPORT), MemoryEphemeral(), asyncio.Event()
    shared._closed = True
    agent = Agent(StoredRegistry(shared), engine, REPORT, (), Machine)
    running = asyncio.create_task(agent.run(stop, 0.0))
    await until(lambda: agent.report.beat >= 4)
    assert caplog.text.count("gateways do not hear of this node") == 1
    shared._closed = False
    await until(lambda: agent.report.beat >= 7)
    assert [each.name for each in await StoredRegistry(shared).all()] == ["gpu-1"]
    stop.set()
    await running


async def test_a_name_that_is_taken() -> None:
    shared = MemoryEphemeral()
    await StoredRegistry(shared).tell(NodeReport("gpu-1", "http://other/v1", "i"))
    with pytest.raises(Problem, match='another node is called "gpu-1", at http://other/v1'):
        await Agent(StoredRegistry(shared), Engine(REPORT), REPORT, (), Machine).run(asyncio.Event(), 0.0)
