"""Looks at what there is to claim, and at who shows no sign of life."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import msgspec

from pointsman.domain.job import Queue
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.redis_calls import looking
from pointsman.store.jobs.redis_jobs import signs
from pointsman.store.jobs.redis_keys import NUMBER
from pointsman.store.jobs.redis_shards import Shards, all_of
from pointsman.store.jobs.redis_watch import Watch

_LOOK = 0.5  # seconds between two looks at who shows a sign of life
_EACH = 0.0001  # seconds more for each job that is looked at, so that looking stays cheap
_HUNG = 1.0  # seconds: a look that took longer means that the server hung, and nobody could show a sign
_POLL = 0.1  # seconds between two questions to a cluster, where no single read waits for all shards


class Look(msgspec.Struct, frozen=True):
    """What one shard has that nobody was given: how many entries of each stream, the last one that somebody was given, and
    the first ones, as (entry, fields)."""

    waiting: list[int]
    last: list[bytes]
    first: list[list[tuple[bytes, list[bytes]]]]

    def count(self, queue: Queue) -> int:
        return sum(self.waiting[at] for at in places(queue))


class Looks:
    """A watch for each shard, kept up by whoever claims or waits, when it is time for a look."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self.watches = [Watch() for _ in shards.all]
        self._look_at = 0.0

    async def watch(self) -> None:
        """A look at all that is held, if it is time for one."""
        if time.monotonic() < self._look_at:
            return
        began = time.monotonic()
        self._look_at = began + _LOOK
        try:
            found = await all_of([self._shards.read(shard, looking(held=True)) for shard in self._shards.all])
        except StoreError:
            for watch in self.watches:
                watch.forget()
            raise
        now, seen = time.monotonic(), 0
        for watch, (_, _, held, _) in zip(self.watches, found, strict=True):
            if now - began > _HUNG:
                watch.forget()
            watch.see(signs(held), now)
            seen += len(held) // 2
        self._look_at = now + _LOOK + _EACH * seen

    async def all(self, first: int = 0) -> list[Look]:
        """Of each shard, with so many of the first entries."""
        found = await all_of([self._shards.read(shard, looking(first=first)) for shard in self._shards.all])
        return [Look(waiting, last, entries) for waiting, last, _, entries in found]

    async def wait(self, queues: Sequence[Queue], seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            await self.watch()
            looks = await self.all()
            now = time.monotonic()
            due = min((at for watch in self.watches if (at := watch.next(queues)) is not None), default=end)
            if now >= min(due, end) or any(look.count(queue) for look in looks for queue in queues):
                return
            pause = min(due, end, max(self._look_at, now + 0.001)) - now
            if self._shards.server.cluster or not queues:
                await asyncio.sleep(min(pause, _POLL))
            else:
                await self._listen(queues, looks[0], pause)

    async def _listen(self, queues: Sequence[Queue], look: Look, seconds: float) -> None:
        """Until there is something in one of the streams after what was given out last."""
        streams = [stream for queue in queues for stream in self._shards.keys.streams(0, queue)]
        after = [look.last[at] for queue in queues for at in places(queue)]
        block = max(1, round(seconds * 1000))
        try:
            await self._shards.server.block("XREAD", "COUNT", 1, "BLOCK", block, "STREAMS", *streams, *after)
        except StoreError:  # the next look tells whether it is more than a broken connection
            await asyncio.sleep(min(seconds, _POLL))


def places(queue: Queue) -> tuple[int, int]:
    """Of its streams among the six: given back, fresh."""
    return 2 * NUMBER[queue] - 2, 2 * NUMBER[queue] - 1
