"""Watching a registry that was gone: what nodes said there has expired, and no node is given up for it."""

from __future__ import annotations

from pointsman.domain.node import NodeReport
from pointsman.domain.said import Said
from pointsman.fleet.registry.watching import SPARED, Watching
from pointsman.ports.registry import RegistryFailure

ONE, TWO = (NodeReport(name, f"http://{name}/v1", "i") for name in ("one", "two"))


class Answers:
    """`now` is what it answers; None: it cannot be asked."""

    def __init__(self) -> None:
        self.now: tuple[NodeReport, ...] | None = (ONE, TWO)

    async def nodes(self, model: str) -> tuple[NodeReport, ...]:
        if self.now is None:
            raise RegistryFailure(Said("gone", "不在"))
        return self.now

    async def close(self) -> None:
        pass


async def test_a_node_is_given_up_only_when_it_had_time_to_say_that_it_is_there() -> None:
    registry, heard = Answers(), list[set[str]]()
    watching = Watching(registry, lambda _, nodes: heard.append({node.name for node in nodes}))
    watching._models = ("m",)
    await watching.look()
    registry.now = None
    await watching.look()
    assert watching.problem is not None
    registry.now = ()
    await watching.look()
    assert watching.problem is None and heard == [{"one", "two"}]
    registry.now = (ONE,)
    for _ in range(SPARED - 1):
        await watching.look()
        assert heard[-1] == {"one", "two"}
    await watching.look()
    assert heard[-1] == {"one"}
    registry.now = ()
    await watching.look()
    assert heard[-1] == set(), "where nothing was gone, a node that has left is gone at once"
