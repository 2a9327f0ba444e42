"""Calls of a script that wait at the same time share a round trip, and with it the server's write to the disk."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.redis_calls import Call
from pointsman.store.jobs.redis_errors import closed

MOST = 200
"""Calls that one script makes: the server does nothing else meanwhile, some milliseconds."""
_FULL = 4 << 20  # bytes of the calls of one script, where there are several
_LANES = 2  # scripts under way at a time: while one is at the server, the next is put together
Send = Callable[[list[bytes], list[bytes]], Awaitable[Sequence[Any]]]


class Batches:
    """The calls of one script on one shard. `own` are the keys that come first; `send` takes all keys and the calls, and
    gives one reply a call. Calls that come while the lanes are taken wait for the next script. A call whose caller is
    cancelled meanwhile is made all the same."""

    def __init__(self, own: Sequence[bytes], send: Send) -> None:
        self._own = own
        self._send = send
        self._idle = _LANES
        self._waiting: deque[tuple[Sequence[Call], list[asyncio.Future[Any]]]] = deque()
        self._running: set[asyncio.Task[None]] = set()
        self._closed = False

    def calls(self, calls: Sequence[Call]) -> list[asyncio.Future[Any]]:
        """The reply of each, or StoreError. They are made by one script, in this order: at most MOST."""
        loop = asyncio.get_running_loop()
        replies: list[asyncio.Future[Any]] = [loop.create_future() for _ in calls]
        if self._closed:
            for reply in replies:
                reply.set_exception(closed())
            return replies
        self._waiting.append((calls, replies))
        if self._idle:
            self._idle -= 1
            task = loop.create_task(self._run())
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return replies

    async def close(self) -> None:
        """Once what waits is done."""
        self._closed = True
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._one()
        finally:
            self._idle += 1

    async def _one(self) -> None:
        keys, blobs, replies = self._taken()
        try:
            found = await self._send(keys, blobs)
        except BaseException as error:
            for reply in replies:
                if not reply.done():
                    reply.set_exception(StoreError(*error.args) if isinstance(error, StoreError) else closed())
            if not isinstance(error, StoreError):
                raise
        else:
            for reply, value in zip(replies, found, strict=True):
                if not reply.done():
                    reply.set_result(value)

    def _taken(self) -> tuple[list[bytes], list[bytes], list[asyncio.Future[Any]]]:
        """As much of what waits as one script may do."""
        keys, blobs, size = list(self._own), list[bytes](), 0
        replies: list[asyncio.Future[Any]] = []
        while self._waiting:
            calls, theirs = self._waiting[0]
            if blobs and (len(blobs) + len(calls) > MOST or size > _FULL):
                break
            self._waiting.popleft()
            for touched, blob in calls:
                keys += touched
                blobs.append(blob)
                size += len(blob)
            replies += theirs
        return keys, blobs, replies
