"""Two gateways before machines, and a traffic that goes on whatever happens to these."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from faults.fleet.gateways import Gateway, gateways, pool, until
from faults.fleet.hosts import Host
from store.jobs.servers import Valkey

SHORT = "pieces 2 gap 0.02"


@contextlib.asynccontextmanager
async def before(
    store: Valkey, machines: list[Host], folder: Path, **more: Any
) -> AsyncIterator[tuple[Gateway, Gateway]]:
    """Two gateways that know each other, before these."""
    config = pool([host.url for host in machines], **more) | {"store": store.url}
    async with gateways(2, folder, config) as (one, two):
        for gateway in (one, two):
            for host in machines:
                await until(lambda gateway=gateway, host=host: serves(gateway, host))
            await until(lambda gateway=gateway: gateway.knows(2))
        yield one, two


async def serves(gateway: Gateway, host: Host) -> bool:
    return await gateway.health(host.node) == "up"


async def left_alone(gateway: Gateway, host: Host) -> bool:
    return await gateway.health(host.node) in ("down", "ejected")


class Traffic:
    """Short requests one after another to each gateway, four at a time, until it is left."""

    def __init__(self, sides: tuple[Gateway, Gateway]) -> None:
        self.replies: list[httpx.Response] = []
        self.times: list[tuple[float, float]] = []
        """When each was sent, and how many seconds it took."""
        self._sides = sides
        self._stop = asyncio.Event()

    async def __aenter__(self) -> Traffic:
        self._tasks = [asyncio.create_task(self._ask(side)) for side in self._sides for _ in range(2)]
        return self

    async def _ask(self, side: Gateway) -> None:
        for number in itertools.count():
            if self._stop.is_set():
                return
            sent = time.monotonic()
            self.replies.append(await side.ask(f"short {number} {SHORT}"))
            self.times.append((sent, time.monotonic() - sent))
            await asyncio.sleep(0.05)

    async def more(self, count: int = 20) -> None:
        """So many more replies have come."""
        least = len(self.replies) + count
        await until(lambda: len(self.replies) >= least or any(task.done() for task in self._tasks))

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        await asyncio.gather(*self._tasks)

    @property
    def statuses(self) -> set[int]:
        return {reply.status_code for reply in self.replies}
