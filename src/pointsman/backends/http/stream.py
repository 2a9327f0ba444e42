"""A response on its way in: what the connection has read and the consumer has not."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from pointsman.backends.http.limits import CHUNK_COST
from pointsman.domain.said import said
from pointsman.ports.backend import BackendFailure


class Source(Protocol):
    """The connection under a stream, as the stream sees it."""

    def resume(self) -> None:
        """Read from the socket again."""

    def abandon(self) -> None:
        """Nobody wants the rest: drop the socket now."""


class HttpStream:
    """`ports.Stream` over one exchange; also the iterator that `chunks()` gives, for one consumer at a time.

    Chunks come as they were read off the wire, less the chunked framing; what arrived before a failure is delivered
    before the failure is raised. The connection goes back to the pool as soon as the response is complete on our side,
    read or not. A consumer that is cancelled while it waits, and `close()` before the end, abort the connection at
    once; after that, iterating raises BackendFailure("reset"), never a silent end."""

    __slots__ = (
        "_decoded",
        "_fault",
        "_loop",
        "_low_water",
        "_raw",
        "_sink",
        "_source",
        "_waiter",
        "buffered",
        "ended",
        "failure",
        "name",
        "paused",
        "queue",
        "status",
    )

    def __init__(self, source: Source, name: str, loop: asyncio.AbstractEventLoop, low_water: int) -> None:
        self.status = 0
        self.name = name
        self.queue: deque[bytes] = deque()
        self.buffered = 0
        """Bytes of body in the queue."""
        self.paused = False
        self.ended = False
        self.failure: BackendFailure | None = None
        self._source: Source | None = source
        self._low_water = low_water
        self._loop = loop
        self._raw: list[tuple[bytes, bytes]] = []
        self._decoded: list[tuple[str, str]] | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._sink: Callable[[bytes], bool] | None = None
        self._fault: BaseException | None = None

    # The consumer's side

    @property
    def headers(self) -> list[tuple[str, str]]:
        """All headers in the order of arrival, names in lower case, values as Latin-1."""
        if self._decoded is None:
            self._decoded = [(n.decode("latin-1").lower(), v.decode("latin-1").strip(" \t")) for n, v in self._raw]
        return self._decoded

    def header(self, name: str) -> str | None:
        """The value of the first header of this name, or None."""
        wanted = name.lower().encode("latin-1")
        size = len(wanted)
        for key, value in self._raw:
            if len(key) == size and key.lower() == wanted:
                return value.decode("latin-1").strip(" \t")
        return None

    def chunks(self) -> HttpStream:
        """The body's chunks, each bytes of one read. Raises BackendFailure where the response breaks off."""
        return self

    def __aiter__(self) -> HttpStream:
        return self

    async def __anext__(self) -> bytes:
        queue = self.queue
        while not queue:
            if self.ended:
                if self.failure is not None:
                    raise self.failure
                raise StopAsyncIteration
            news = self.news()
            try:
                await news
            except BaseException:
                self.close()
                raise
        return self._next()

    async def pour(self, sink: Callable[[bytes], bool], room: Callable[[], Awaitable[None]]) -> None:
        """Hands every chunk to `sink`, most of them in the very call that reads them off the wire: nobody is woken up for
        each. Where `sink` answers False, what comes next waits here until `room` returns, and the engine with it. Returns at
        the end of the response; raises BackendFailure where it breaks off, and what `sink` raises."""
        try:
            while True:
                while self.queue:
                    if not sink(self._next()):
                        await room()
                if self.ended:
                    break
                self._sink = sink
                await self.news()
                if self._sink is None and not self.ended:
                    await room()
                self._sink = None
        except BaseException:
            self._sink = None
            self.close()
            raise
        self._sink = None
        if self._fault is not None:
            raise self._fault
        if self.failure is not None:
            raise self.failure

    def _next(self) -> bytes:
        chunk = self.queue.popleft()
        self.buffered -= len(chunk)
        if self.paused and self.buffered + len(self.queue) * CHUNK_COST <= self._low_water:
            self.paused = False
            if self._source is not None:
                self._source.resume()
        return chunk

    async def read(self, limit: int = 32 << 20) -> bytes:
        """The whole (rest of the) body. More than `limit` bytes closes the stream: BackendFailure("protocol")."""
        if self.ended and self.failure is None and len(self.queue) == 1 and self.buffered <= limit:
            return await self.__anext__()  # the usual case of a small answer
        parts: list[bytes] = []
        size = 0
        async for chunk in self:
            size += len(chunk)
            if size > limit:
                self.close()
                message = said(
                    "{name} answered with more than {limit} bytes",
                    "{name} 的应答超过了 {limit} 字节",
                    name=self.name,
                    limit=limit,
                )
                raise BackendFailure("protocol", message, sent=True)
            parts.append(chunk)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Done with the response. Before its end, the connection is aborted at once and what is buffered is dropped.
        Safe at any time, any number of times; it does not block."""
        if self.ended and not self.queue:
            return
        source = self._source
        if not self.ended or self.failure is None:
            message = said(
                "the gateway closed its stream from {name} early", "网关提前关闭了来自 {name} 的流", name=self.name
            )
            self.finish(BackendFailure("reset", message, sent=True))
        self.queue.clear()
        self.buffered = 0
        if source is not None:
            source.abandon()

    # The connection's side

    def begin(self, status: int, raw: list[tuple[bytes, bytes]]) -> None:
        """The head is complete."""
        self.status = status
        self._raw = raw
        self.wake()

    def push(self, data: bytes) -> None:
        """A piece of the body."""
        sink = self._sink
        if sink is not None:
            try:
                if sink(data):
                    return
            except Exception as fault:  # the consumer's own: it is raised there
                self._fault = fault
                self.close()
                return
            self._sink = None
            self.wake()
            return
        self.queue.append(data)
        self.buffered += len(data)
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def finish(self, failure: BackendFailure | None = None) -> None:
        """No more will come: the response is complete, or it failed."""
        self.ended = True
        self.failure = failure
        self.paused = False
        self._source = None
        self.wake()

    def news(self) -> asyncio.Future[None]:
        """Done when anything happens: head, body, end, or room to write."""
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            raise RuntimeError("two consumers wait for one stream")
        self._waiter = waiter = self._loop.create_future()
        return waiter

    def wake(self) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
