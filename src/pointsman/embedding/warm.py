"""The embedding model kept in memory: loading it takes longer than a request may wait for it."""

from __future__ import annotations

import asyncio
import contextlib

from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Embed

_EVERY = 120.0
"""Seconds between questions that nobody else asked; less than it takes to be given back."""


class Warm:
    """For one event loop, from now until `close`."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._task = asyncio.get_running_loop().create_task(self._keep())

    async def retire(self) -> None:
        await self.close()

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _keep(self) -> None:
        while True:
            with contextlib.suppress(ActionFailed):
                await self._embed(["."], query=True)
            await asyncio.sleep(_EVERY)
