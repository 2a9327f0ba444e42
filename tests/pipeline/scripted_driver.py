"""A model whose loads and unloads a test decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.domain.said import Said
from pointsman.ports.model_driver import LoadFailure


class ScriptedDriver:
    """`log` gets what is done, over all drivers of a test. With `by_hand` a load and an unload last until the test says
    `done`; `faults` are the failures of the next loads, `stuck` of the next unloads."""

    def __init__(self, name: str, log: list[str], *, by_hand: bool = False) -> None:
        self.name = name
        self.log = log
        self.by_hand = by_hand
        self.faults: list[LoadFailure | Exception] = []
        self.stuck: list[LoadFailure] = []
        self.there = False
        self.ended: Said | None = None
        self.at_work = 0
        self._done = asyncio.Event()

    def done(self) -> None:
        self._done.set()

    async def load(self, tell: Callable[[Said], None]) -> None:
        self.log.append(f"load {self.name}")
        tell(Said("half", "一半"))
        try:
            await self._work()
        except asyncio.CancelledError:
            self.log.append(f"cancelled {self.name}")
            raise
        if self.faults:
            raise self.faults.pop(0)
        self.there = True

    async def unload(self) -> None:
        self.log.append(f"unload {self.name}")
        await self._work()
        if self.stuck:
            raise self.stuck.pop(0)
        self.there = False

    async def resident(self) -> bool | None:
        return self.there

    async def _work(self) -> None:
        assert not self.at_work, "two at a time"
        self.at_work += 1
        try:
            if self.by_hand:
                await self._done.wait()
                self._done.clear()
            else:
                await asyncio.sleep(0)
        finally:
            self.at_work -= 1
