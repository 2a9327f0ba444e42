"""Values that are forgotten after a while. The server forgets them by its own wall clock."""

from __future__ import annotations

import asyncio
import contextlib

from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.redis_calls import putting, sweeping
from pointsman.store.jobs.redis_shards import Shards


async def put(shards: Shards, key: str, value: bytes, seconds: float) -> None:
    shard = shards.keys.shard_of_value(key)
    await shards.write(shard, putting(shards.keys, shard, key, value, seconds))


async def read(shards: Shards, key: str) -> bytes | None:
    value: bytes | None = await shards.server.command("GET", _where(shards, key))
    return value


async def delete(shards: Shards, key: str) -> None:
    await shards.server.command("UNLINK", _where(shards, key))


async def scan(shards: Shards, prefix: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for part in await asyncio.gather(*(_scan(shards, shard, prefix.encode()) for shard in shards.all)):
        found |= part
    return found


async def _scan(shards: Shards, shard: int, prefix: bytes) -> dict[str, bytes]:
    """What is listed and gone is listed no more."""
    end = b"(" + prefix + b"\xff" if prefix else b"+"  # no UTF-8 has this byte
    names = await shards.server.command("ZRANGE", shards.keys.values(shard), b"[" + prefix, end, "BYLEX")
    keys = [name.decode() for name in names]
    if not keys:
        return {}
    values = await shards.server.command("MGET", *(shards.keys.value(shard, key) for key in keys))
    gone = [key for key, value in zip(keys, values, strict=True) if value is None]
    if gone:
        with contextlib.suppress(StoreError):
            await shards.write(shard, sweeping(shards.keys, shard, gone))
    return {key: value for key, value in zip(keys, values, strict=True) if value is not None}


def _where(shards: Shards, key: str) -> bytes:
    return shards.keys.value(shards.keys.shard_of_value(key), key)
