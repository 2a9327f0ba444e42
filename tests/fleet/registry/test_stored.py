"""Nodes in a store: what is told is found, what is not told any more is forgotten, and gateways keep what they knew."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.domain.node import NodeModel, NodeReport
from pointsman.fleet.registry.static import StaticRegistry
from pointsman.fleet.registry.stored import HEARTBEAT, TTL, StoredRegistry
from pointsman.fleet.registry.watching import Watching
from pointsman.ports.registry import RegistryFailure
from pointsman.store.ephemeral.memory import MemoryEphemeral
from pointsman.store.ephemeral.sqlite import SqliteEphemeral


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def report(name: str, *models: str, incarnation: str = "i1", beat: int = 0) -> NodeReport:
    address = f"http://{name}:8000/v1"
    return NodeReport(name, address, incarnation, beat=beat, models=tuple(NodeModel(model) for model in models))


async def test_by_model_and_until_they_are_silent() -> None:
    clock = Clock()
    registry = StoredRegistry(MemoryEphemeral(clock))
    await registry.tell(report("b", "m"))
    await registry.tell(report("a", "m", "n"))
    await registry.tell(report("c", "n"))
    await registry.tell(report("d"))
    assert [node.name for node in await registry.nodes("m")] == ["a", "b", "d"]
    assert [node.name for node in await registry.nodes("n")] == ["a", "c", "d"]
    clock.now += 2 * HEARTBEAT
    await registry.tell(report("a", "m", beat=1))
    clock.now += TTL - 2 * HEARTBEAT
    assert [node.name for node in await registry.nodes("m")] == ["a"]


async def test_one_that_leaves_does_not_take_another_of_its_name_along() -> None:
    registry = StoredRegistry(MemoryEphemeral())
    old, new = report("a", "m"), report("a", "m", incarnation="i2")
    await registry.tell(old)
    await registry.tell(new)
    await registry.leave(old)
    assert await registry.nodes("m") == (new,)
    await registry.leave(new)
    assert await registry.nodes("m") == ()


async def test_what_is_no_report_is_passed_over() -> None:
    shared = MemoryEphemeral()
    registry = StoredRegistry(shared)
    await shared.put("node/a", b"{", 60)
    await shared.put("node/b", b'{"name": 3}', 60)
    await shared.put("node/c", b'{"name":"c","address":"http://c/v1","incarnation":"i","of_the_future":1}', 60)
    assert [node.name for node in await registry.nodes("m")] == ["c"]


async def test_two_processes_of_one_machine_by_sqlite(tmp_path: Path) -> None:
    one, other = (SqliteEphemeral(tmp_path / "e.sqlite") for _ in range(2))
    await StoredRegistry(one).tell(report("a", "m"))
    assert [node.name for node in await StoredRegistry(other).nodes("m")] == ["a"]
    await one.close()
    await other.close()


async def test_a_registry_that_is_gone_says_nothing_of_the_nodes() -> None:
    heard: list[tuple[str, tuple[str, ...]]] = []
    shared = MemoryEphemeral()
    registry = StoredRegistry(shared)
    watching = Watching(registry, lambda model, nodes: heard.append((model, tuple(n.name for n in nodes))))
    watching._models = ("m",)
    await watching.look()
    await registry.tell(report("a", "m"))
    await watching.look()
    await watching.look()
    assert heard == [("m", ()), ("m", ("a",))] and watching.problem is None
    await shared.close()
    await watching.look()
    assert heard[-1] == ("m", ("a",)) and len(heard) == 2
    assert watching.problem is not None and "the store is closed" in watching.problem
    assert "存储已关闭" in watching.problem.zh
    with pytest.raises(RegistryFailure):
        await registry.tell(report("a"))
    with pytest.raises(RegistryFailure):
        await registry.leave(report("a"))
    await watching.close()


async def test_those_of_the_config() -> None:
    registry = StaticRegistry(["http://u:p@gpu-1:8000/v1", "http://gpu-2:8000/v1", "http://gpu-2:8000/v1"])
    assert [node.name for node in await registry.nodes("any")] == ["gpu-1:8000", "gpu-2:8000"]
    await registry.close()
