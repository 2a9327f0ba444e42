"""The nodes of some models, looked for each second. What was known last holds while the registry cannot be asked: that it is
gone says nothing of the nodes, and these are probed anyway."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection

from pointsman.domain.node import NodeReport
from pointsman.domain.said import Said
from pointsman.ports.registry import Registry, RegistryFailure

log = logging.getLogger("pointsman")

EVERY = 1.0
SPARED = 6
"""Looks after the registry was gone in which nodes that it does not know (any more) are kept: what they said has expired
meanwhile, and they say it again with their next report."""


class Watching:
    """`found` hears of a model and its nodes, first as soon as they are known and then each time that they say something
    new. For one event loop."""

    def __init__(self, registry: Registry, found: Callable[[str, tuple[NodeReport, ...]], None]) -> None:
        self.problem: Said | None = None
        """Why the registry could not be asked, while it cannot."""
        self._registry = registry
        self._models: tuple[str, ...] = ()
        self._found = found
        self._last: dict[str, tuple[NodeReport, ...]] = {}
        self._spared: dict[str, int] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def follow(self, models: Collection[str]) -> None:
        """These from now on; their nodes are told anew."""
        self._models = tuple(sorted(models))
        self._last.clear()
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._watch())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._registry.close()

    async def _watch(self) -> None:
        while True:
            self._wake.clear()
            await self.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EVERY):
                    await self._wake.wait()

    async def look(self) -> None:
        """Once, now. Never raises."""
        problem: Said | None = None
        for model in self._models:
            try:
                nodes = await self._registry.nodes(model)
            except RegistryFailure as failure:
                problem = failure.said
                self._spared[model] = SPARED
                continue
            if self._spared.get(model, 0):
                self._spared[model] -= 1
                there = {node.name for node in nodes}
                nodes += tuple(node for node in self._last.get(model, ()) if node.name not in there)
            if self._last.get(model) != nodes:
                self._last[model] = nodes
                self._found(model, nodes)
        if problem is not None and self.problem is None:
            log.warning(_LOST, problem)
        elif problem is None and self.problem is not None:
            log.info(_BACK)
        self.problem = problem


_LOST = Said(
    "the registry of nodes cannot be asked, those known last are kept: %s",
    "无法查询节点登记，沿用最后一次得知的节点：%s",
)
_BACK = Said("the registry of nodes answers again", "节点登记恢复应答")
