"""An embedded model that another process runs, as this one is told of it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Literal

from pointsman.app.packing import both, text_of
from pointsman.app.workers.messages import EngineState
from pointsman.domain.target import ModelFacts
from pointsman.fleet.process import ModelProcess


class ToldServer:
    """A LocalServer."""

    def __init__(self) -> None:
        self.address: str | None = None
        self.state: Literal["loading", "up", "down"] = "loading"
        self.problem: str | None = None
        self.facts = ModelFacts()
        self.load_seconds: float | None = None
        self._settled = asyncio.Event()

    def take_in(self, told: EngineState) -> None:
        self.address, self.state, self.facts = told.address, told.state, told.facts
        self.load_seconds = told.load_seconds
        self.problem = None if told.problem is None else text_of(told.problem)
        if told.state == "loading":
            self._settled.clear()
        else:
            self._settled.set()

    async def settled(self, timeout: float | None = None) -> Literal["loading", "up", "down"]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()
        return self.state


def state_of(target: str, process: ModelProcess) -> EngineState:
    """What a worker is told of it."""
    problem = None if process.problem is None else both(process.problem)
    return EngineState(target, process.state, process.address, problem, process.facts, process.load_seconds)
