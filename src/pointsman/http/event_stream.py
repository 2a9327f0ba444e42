"""Server-sent events to one client: headers held back until there is something to say, heartbeats when there is not."""

from __future__ import annotations

import asyncio

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.http.exchange import Client, Headers, error_body

HEADERS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]
# A block of its own that starts with a colon: every SSE reader passes it over (Dify's drops the block, never the stream).
HEARTBEAT = b": waiting\n\n"


class EventStream:
    """Writes events. After `heartbeat_after` seconds without any, and then again and again, a heartbeat is sent, but only
    between two whole events. Costs one timer and no task while the engine talks."""

    def __init__(self, client: Client, heartbeat_after: float) -> None:
        self._client = client
        self._interval = heartbeat_after
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._between = True
        self._end = b""
        self._beat: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(heartbeat_after, self._tick)
        self.headers: Headers = []

    async def write(self, data: bytes) -> None:
        """Bytes of one or more events, or of a part of one. The first call sends the headers."""
        await self._settle()
        self._between = False
        if not self._client.began:
            self._client.start(200, HEADERS + self.headers)
        await self._client.write(data)
        self._last = self._loop.time()
        self._end = (self._end + data[-4:])[-4:]
        self._between = self._end.endswith((b"\n\n", b"\r\n\r\n"))

    async def finish(self, data: bytes = b"") -> None:
        self.stop()
        await self._settle()
        if not self._client.began:
            self._client.start(200, HEADERS + self.headers)
        self._client.finish(data)

    async def fail(self, error: PointsmanError) -> None:
        """As a plain error response while nothing was sent; after that as an event that ends the stream."""
        self.stop()
        await self._settle()
        client = self._client
        if not client.began:
            client.error(error)
            return
        head = b"" if self._between else b"\n\n"
        client.finish(
            head + b"data: " + msgspec.json.encode(error_body(error, client.request_id, client.tongue)) + b"\n\n"
        )

    def stop(self) -> None:
        """No more heartbeats. Safe to call twice."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def close(self) -> None:
        """Stops all; for the end of the request, whatever happened."""
        self.stop()
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)
            self._beat = None

    async def _settle(self) -> None:
        if self._beat is not None:
            await self._beat
            self._beat = None

    def _tick(self) -> None:
        due = self._last + self._interval
        now = self._loop.time()
        if now >= due - 0.001 and self._between and (self._beat is None or self._beat.done()):
            self._beat = self._loop.create_task(self._send_beat())
            due = now + self._interval
        self._timer = self._loop.call_later(max(due - now, 0.01), self._tick)

    async def _send_beat(self) -> None:
        if not self._client.began:
            self._client.start(200, HEADERS + self.headers)
        await self._client.write(HEARTBEAT)
        self._last = self._loop.time()
