"""What is done to models: each is loaded, emptied and unloaded by its driver, one thing at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from pointsman.domain.said import Said, said
from pointsman.pipeline.residence.book import Book
from pointsman.pipeline.residence.floor import Floor
from pointsman.pipeline.residence.held import Cause, Held, Reason
from pointsman.ports.clock import Clock
from pointsman.ports.model_driver import LoadFailure

log = logging.getLogger("pointsman")

UNCONFIRMED = 5.0
"""Seconds before a model is asked again to go whose memory nobody could say is free."""


class Counted(Protocol):
    """Who counts."""

    def model_loaded(self, target: str, cause: Cause, seconds: float) -> None: ...

    def model_failed(self, target: str, cause: Cause) -> None: ...

    def model_gone(self, target: str, reason: Reason) -> None: ...


class Hands:
    """Drivers are never called at the same time for one model, whoever calls."""

    def __init__(self, clock: Clock, floor: Floor, book: Book, counted: Counted) -> None:
        self._clock = clock
        self._floor = floor
        self._book = book
        self._counted = counted
        self._locks: dict[str, asyncio.Lock] = {}

    async def load(self, held: Held, cause: Cause) -> None:
        """All models of a unit, or none of them: then it raises LoadFailure, or CancelledError."""
        loaded: list[str] = []
        try:
            for name in held.unit.models:
                async with self._lock(name):
                    began = self._clock.monotonic()
                    await held.drivers[name].load(partial(self._book.progress, name))
                    took = float(f"{self._clock.monotonic() - began:.3g}")
                loaded.append(name)
                self._book.loaded(name, took)
                self._counted.model_loaded(name, cause, took)
        except BaseException as error:
            if isinstance(error, Exception):
                self._counted.model_failed(held.unit.models[len(loaded)], cause)
            await self._unload(held, loaded)
            raise

    async def empty(self, held: Held, reason: Reason, longest: float) -> None:
        """Returns when nobody is inside. For the sake of others nobody is cut off, however long it takes; where an operator
        asked, it returns after `longest` seconds in any case."""
        waiting = asyncio.gather(*(self._floor.emptied(name) for name in held.unit.models))
        try:
            done, _ = await asyncio.wait([waiting], timeout=longest)
            if done:
                return
            if reason in ("asked", "restart"):
                log.warning(_CUT_OFF, held.unit.name, longest)
                return
            log.warning(_LONG, held.unit.name, longest)
            await waiting
        finally:
            waiting.cancel()

    async def unload(self, held: Held) -> None:
        """Returns when the memory of all its models is known to be free, however long that takes."""
        await self._unload(held, held.unit.models)

    async def _unload(self, held: Held, models: Sequence[str]) -> None:
        while True:
            if await self._let_go(held, models):
                return
            await asyncio.sleep(UNCONFIRMED)

    async def _let_go(self, held: Held, models: Sequence[str]) -> bool:
        free = True
        for name in reversed(models):
            try:
                async with self._lock(name):
                    await held.drivers[name].unload()
            except LoadFailure as failure:
                free = False
                log.warning(Said("%s: %s", "%s：%s"), name, failure.said)
                self._book.trouble(name, failure.said)
            except Exception as error:  # a driver that is broken does not make its memory free
                free = False
                log.exception("unloading %s", name)
                self._book.trouble(name, said("{name}: {why}", "{name}：“{why}”", name=name, why=error))
        return free

    def _lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())


_LONG = Said(
    "%s still serves after %.0f s, while others wait for its memory", "%s 在 %.0f 秒后仍在回复，而其他模型在等它的内存"
)
_CUT_OFF = Said("%s still serves after %.0f s; its replies are cut off", "%s 在 %.0f 秒后仍在回复，现在中断")
