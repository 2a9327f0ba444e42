"""What gateways of one store tell each other of the nodes that they share: that they are there, how many requests they have
at each node, and which nodes they have ejected."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Mapping

import msgspec

from pointsman.domain.said import Said
from pointsman.pipeline.replicas.line import Around
from pointsman.pipeline.replicas.pool import Pool
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError

log = logging.getLogger("pointsman")

EVERY = 1.0
"""Seconds between two looks."""
TTL = 6.0
"""Seconds after which a gateway that says nothing is taken for gone, and what it held for free."""
_HERE, _EJECTED = "peer/", "ejected/"
_ALONE = Around()
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, dict[str, int]]).decode


class Peers:
    """For one event loop. `pools` are those of this gateway by the names of their targets."""

    def __init__(self, shared: Ephemeral | None) -> None:
        self.shared = shared
        self.me = secrets.token_hex(4)
        self._pools: dict[str, Pool] = {}
        self._others: dict[str, dict[str, dict[str, int]]] = {}
        """gateway → pool → node → requests"""
        self._heard: set[tuple[str, str]] = set()
        self._works = True
        self._task: asyncio.Task[None] | None = None
        self._telling: set[asyncio.Task[None]] = set()

    def install(self, pools: Mapping[str, Pool]) -> None:
        """These from now on. What is told and heard begins with the first."""
        self._pools = dict(pools)
        for pool in pools.values():
            pool.line.failed = self._broken
            pool.ejected = self._tell_ejected
        if self._pools and self._task is None and self.shared is not None:
            self._task = asyncio.create_task(self._look(self.shared))

    def around(self, pool: str) -> Around:
        """Who else uses it."""
        if not self._works:
            return _ALONE
        others = {name: counts[pool] for name, counts in self._others.items() if pool in counts}
        outside: dict[str, int] = {}
        for counts in others.values():
            for node, count in counts.items():
                outside[node] = outside.get(node, 0) + count
        return Around((self.me, *others), outside)

    @property
    def gateways(self) -> int:
        """So many are known, this one included."""
        return 1 + len(self._others)

    async def close(self) -> None:
        tasks = [*self._telling, *([] if self._task is None else [self._task])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._task is not None and self.shared is not None:
            with contextlib.suppress(StoreError):
                await self.shared.delete(_HERE + self.me)

    # Inside

    async def _look(self, shared: Ephemeral) -> None:
        while True:
            try:
                held = {name: dict(pool.line.held) for name, pool in self._pools.items()}
                await shared.put(_HERE + self.me, _encode(held), TTL)
                self._others = {
                    name: _decode(value)
                    for key, value in (await shared.scan(_HERE)).items()
                    if (name := key.removeprefix(_HERE)) != self.me
                }
                self._hear(await shared.scan(_EJECTED))
                self._works = True
            except (StoreError, msgspec.DecodeError) as error:
                self._broken(error)
            for pool in list(self._pools.values()):
                pool.line.look_again()
            await asyncio.sleep(EVERY)

    def _hear(self, ejected: Mapping[str, bytes]) -> None:
        now = set()
        for key, value in ejected.items():
            name, _, node = key.removeprefix(_EJECTED).rpartition("\0")
            pool = self._pools.get(name)
            if pool is not None:
                now.add((name, node))
                if (name, node) not in self._heard:
                    pool.ejected_elsewhere(node, int(value) if value.isdigit() else 1)
        self._heard = now

    def _tell_ejected(self, name: str, node: str, trips: int, seconds: float) -> None:
        if self.shared is None:
            return
        self._heard.add((name, node))
        task = asyncio.create_task(self._put(self.shared, f"{_EJECTED}{name}\0{node}", trips, seconds))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _put(self, shared: Ephemeral, key: str, trips: int, seconds: float) -> None:
        with contextlib.suppress(StoreError):
            await shared.put(key, b"%d" % trips, seconds)

    def _broken(self, error: Exception) -> None:
        if self._works:
            log.warning(_FAILS, error.args[0])
        self._works = False


_FAILS = Said(
    "the store that gateways share nodes by cannot be used, each goes by what it sees: %s",
    "网关之间共享节点信息的存储暂不可用，各网关各自判断：%s",
)
