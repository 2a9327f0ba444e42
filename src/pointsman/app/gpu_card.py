"""What there is of the GPU that models and actions share: as the config says, else as NVIDIA's driver does."""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import Callable

from pointsman.actions.gpu_turns import Card
from pointsman.config.schema import Config, parse_size
from pointsman.fleet.gpu import GpuMemory
from pointsman.fleet.room import largest_gpu

_MB = 1 << 20
_FRESH = 5.0  # seconds that what the driver said holds


class GpuCard:
    """`taken` says how many megabytes actions hold now: while they hold any, what the driver calls used is not the models'
    alone, and what it said before goes on to hold."""

    def __init__(self, config: Callable[[], Config], ask: Callable[[], GpuMemory | None] = largest_gpu) -> None:
        self._config = config
        self._ask = ask
        self._told: GpuMemory | None = None
        self._at = -_FRESH
        self.taken: Callable[[], int] = _nothing

    async def read(self) -> Card | None:
        given = self._config().admission.gpu
        models = None if given.models is None else parse_size(given.models) // _MB
        if given.memory is not None:
            return Card(platform.node(), parse_size(given.memory) // _MB, models or 0)
        if time.monotonic() - self._at >= _FRESH and (self._told is None or not self.taken()):
            self._told, self._at = await asyncio.to_thread(self._ask), time.monotonic()
        if self._told is None:
            return None
        return Card(self._told.uuid, self._told.total // _MB, self._told.used // _MB if models is None else models)


def _nothing() -> int:
    return 0
