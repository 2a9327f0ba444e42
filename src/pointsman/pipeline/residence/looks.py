"""Whether models that were loaded are still there, and whether others are that somebody else has loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from pointsman.pipeline.residence.held import Held
from pointsman.ports.model_driver import LoadFailure

LOOK = 5.0
"""Seconds between two looks."""


class Looks:
    """`units` are all there are; `lost` and `found` hear of those that are there no more, or have come. One that is being
    loaded or unloaded is left alone. For one event loop."""

    def __init__(
        self, units: Callable[[], Iterable[Held]], lost: Callable[[Held], None], found: Callable[[Held], None]
    ) -> None:
        self._units = units
        self._lost = lost
        self._found = found
        self._watching: asyncio.Task[None] | None = None
        self._checks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Looks again and again from here on."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())

    def check(self, target: str) -> None:
        """Its engine may be gone: looks now, and not only when that is due."""
        for held in self._units():
            if target in held.unit.models and held.is_in and held.work is None:
                check = asyncio.create_task(self._look(held))
                self._checks.add(check)
                check.add_done_callback(self._checks.discard)

    def close(self) -> None:
        for task in (self._watching, *self._checks):
            if task is not None:
                task.cancel()

    async def _watch(self) -> None:
        while True:
            for held in list(self._units()):
                if held.where in ("in", "out") and held.work is None:
                    await self._look(held)
            await asyncio.sleep(LOOK)

    async def _look(self, held: Held) -> None:
        where = held.where
        there = []
        for name in held.unit.models:
            try:
                there.append(await held.drivers[name].resident())
            except LoadFailure:
                there.append(None)
        if held.where != where or held.work is not None or held not in self._units():
            return
        if where == "in" and False in there:
            self._lost(held)
        elif where == "out" and all(there):
            self._found(held)
