"""Every shard's calls, to be written or read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

from pointsman.store.jobs.redis_batch import Batches
from pointsman.store.jobs.redis_calls import Call, reading
from pointsman.store.jobs.redis_jobs import BARE
from pointsman.store.jobs.redis_keys import SHARDS, Keys
from pointsman.store.jobs.redis_server import Script, Server

T = TypeVar("T")
_WRITE = Script("redis_write", writes=True)
_READ = Script("redis_read", writes=False)


async def all_of(parts: Sequence[Awaitable[T]]) -> Sequence[T]:
    """What each gives, at the same time; a single one, as there mostly is, without a task of its own."""
    return [await parts[0]] if len(parts) == 1 else await asyncio.gather(*parts)


class Shards:
    """`write` and `read` give the reply of one call, raised as StoreError where it has none."""

    def __init__(self, server: Server, prefix: str) -> None:
        self.server = server
        self.keys = Keys(prefix, SHARDS if server.cluster else 1)
        self.all = range(self.keys.shards)
        self._writes = [self._batches(_WRITE, shard) for shard in self.all]
        self._reads = [self._batches(_READ, shard) for shard in self.all]

    def _batches(self, script: Script, shard: int) -> Batches:
        def send(keys: list[bytes], calls: list[bytes]) -> Awaitable[Sequence[Any]]:
            return self.server.script(script, keys, calls)

        return Batches(self.keys.own[shard], send)

    def write(self, shard: int, call: Call) -> asyncio.Future[Any]:
        return self._writes[shard].calls([call])[0]

    def write_in_order(self, shard: int, calls: Sequence[Call]) -> list[asyncio.Future[Any]]:
        """At most MOST calls, made by one script."""
        return self._writes[shard].calls(calls)

    def read(self, shard: int, call: Call) -> asyncio.Future[Any]:
        return self._reads[shard].calls([call])[0]

    async def found(self, shard: int, ids: Sequence[str], fields: Sequence[str] = BARE) -> list[list[Any]]:
        """Those fields of each job, then its element of `held`; None for what there is not."""
        reply: list[list[Any]] = await self.read(shard, reading(self.keys, shard, ids, fields)) if ids else []
        return reply

    async def close(self) -> None:
        await asyncio.gather(*(batches.close() for batches in (*self._writes, *self._reads)))
        await self.server.close()
