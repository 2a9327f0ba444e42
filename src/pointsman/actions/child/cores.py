"""Whose turn it is: as many cores as actions may have, the cheapest work first, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import os
from collections.abc import AsyncIterator

from pointsman.domain.action import ALL


def machine_cores() -> int:
    """Those that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def action_cores(workers: int = 1) -> int:
    """Those of them that actions may keep busy, in each of so many processes that serve a port: all but one, shared out."""
    return max((machine_cores() - 1) // max(workers, 1), 1)


class Cores:
    """`total` of them, for work of several. Who waits is ordered by when it came and by what it costs: what takes three
    seconds is passed by what takes one and came within two seconds after it, and by nothing later. One event loop."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._free = total
        self._waiting: list[tuple[float, int, int, asyncio.Future[None]]] = []
        self._came = 0

    @property
    def free(self) -> int:
        return self._free

    @contextlib.asynccontextmanager
    async def taken(self, cores: int, seconds: float) -> AsyncIterator[None]:
        """Holds so many, or all where that is more than there are; `seconds` of CPU time is what the work is expected to
        take."""
        wanted = self.total if cores == ALL else min(cores, self.total)
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._came += 1
        heapq.heappush(self._waiting, (loop.time() + seconds, self._came, wanted, turn))
        self._hand_out()
        try:
            await turn
        except asyncio.CancelledError:
            self._give_up(turn, wanted)
            raise
        try:
            yield
        finally:
            self._free += wanted
            self._hand_out()

    def _give_up(self, turn: asyncio.Future[None], wanted: int) -> None:
        """Its turn may have come in the moment that it was called off."""
        if turn.done() and not turn.cancelled():
            self._free += wanted
        else:
            self._waiting = [one for one in self._waiting if one[3] is not turn]
            heapq.heapify(self._waiting)
        self._hand_out()

    def _hand_out(self) -> None:
        """In order: what needs many cores is not passed by all that need few."""
        while self._waiting and self._waiting[0][2] <= self._free:
            _, _, wanted, turn = heapq.heappop(self._waiting)
            if not turn.done():  # called off in this moment
                self._free -= wanted
                turn.set_result(None)
