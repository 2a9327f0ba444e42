"""Ephemeral values in Redis or Valkey, for gateways on many machines. The server forgets them by its own wall clock."""

from __future__ import annotations

import asyncio
from typing import Any

from pointsman.store.jobs.redis_server import Script, Server
from pointsman.store.jobs.redis_url import read_url

_STEP = Script("ephemeral", writes=False, package=__package__)
"""Nothing waits for replicas: whoever reads an old value has lost nothing."""
_AT_ONCE = 16
"""Calls, and so connections."""


class RedisEphemeral:
    """`url` as for jobs; the prefix of its keys, and `~`, keep them apart. In a cluster all of them are in one slot. A
    connection is made with the first call; a server that is gone is found again when it is back."""

    def __init__(self, url: str) -> None:
        place = read_url(url)
        self._server = Server(place)
        self._turn = asyncio.Semaphore(_AT_ONCE)
        tag = b"{%s:~}:" % place.prefix.encode()
        self._names, self._ends, self._tag = tag + b"names", tag + b"ends", tag + b"value:"

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        await self._step("put", key, seconds, value)

    async def get(self, key: str) -> bytes | None:
        async with self._turn:
            value: bytes | None = await self._server.command("GET", self._tag + key.encode())
        return value

    async def delete(self, key: str) -> None:
        await self._step("delete", key, 0)

    async def scan(self, prefix: str) -> dict[str, bytes]:
        begin = prefix.encode()
        end = b"(" + begin + b"\xff" if begin else b"+"  # no UTF-8 has this byte
        async with self._turn:
            names = await self._server.command("ZRANGE", self._names, b"[" + begin, end, "BYLEX")
            if not names:
                return {}
            values = await self._server.command("MGET", *(self._tag + name for name in names))
        return {name.decode(): value for name, value in zip(names, values, strict=True) if value is not None}

    async def add(self, key: str, amount: int, seconds: float) -> int:
        total: int = await self._step("add", key, seconds, amount)
        return total

    async def swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        return bool(await self._step("swap", key, seconds, value, int(expected is not None), expected or b""))

    async def close(self) -> None:
        await self._server.close()

    async def _step(self, what: str, key: str, seconds: float, *more: Any) -> Any:
        name = key.encode()
        lasting = max(round(seconds * 1000), 1)
        keys = (self._names, self._ends, self._tag + name)
        async with self._turn:
            return await self._server.script(_STEP, keys, (what, name, lasting, *more))
