"""Memory in use on the GPUs of this machine, and whether it came back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pointsman.fleet.gpu import NoGpu, driver_there, gpus

MARGIN = 256 << 20
"""Bytes that may stay in use: what other programs take and give back meanwhile."""
_LOOK = 0.1

Level = Callable[[], int | None]
"""Bytes in use on all cards together; None where none can be asked. Blocking, some ms."""


def card_level() -> int | None:
    """Of NVIDIA's cards, by their driver."""
    if not driver_there():
        return None
    try:
        with gpus() as found:
            return found.used
    except NoGpu:
        return None


async def came_back(level: Level, most: int, within: float) -> int | None:
    """Waits until at most `most` bytes (and the margin) are in use, at most `within` seconds. None: they are; else what
    is in use still."""
    over = time.monotonic() + within
    while True:
        used = await asyncio.to_thread(level)
        if used is None or used <= most + MARGIN:
            return None
        if time.monotonic() >= over:
            return used
        await asyncio.sleep(_LOOK)
