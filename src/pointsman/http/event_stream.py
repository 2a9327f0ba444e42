"""Server-sent events to one client: headers held back until there is something to say, heartbeats when there is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from pointsman.admission.ticket import Place
from pointsman.domain.errors import PointsmanError
from pointsman.http.decision_headers import header_text
from pointsman.http.exchange import Client, error_body
from pointsman.http.header_lines import header_lines

HEADERS = header_lines(
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
)
# A block of its own that starts with a colon: every SSE reader passes it over (Dify's drops the block, never the stream).
HEARTBEAT = b": waiting\n\n"


def nowhere() -> Place | None:
    """It stands in no queue."""
    return None


class EventStream:
    """Writes events. After `heartbeat_after` seconds without any, and then again and again, a heartbeat is sent, but only
    between two whole events. Costs one timer and no task. `place` says where it stands in a queue, for the heartbeat and for
    the headers that go with the first one."""

    def __init__(self, client: Client, heartbeat_after: float, place: Callable[[], Place | None] = nowhere) -> None:
        self._client = client
        self._place = place
        self._interval = heartbeat_after
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._end = b"\n\n"
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(heartbeat_after, self._tick)
        self.headers = b""

    def write(self, data: bytes) -> bool:
        """Bytes of one or more events, or of a part of one. The first call sends the headers. False: the client reads too
        slowly; see `Client.room`."""
        if not self._client.began:
            self._client.start(200, HEADERS + self.headers)
        self._last = self._loop.time()
        self._end = data if len(data) >= 4 else (self._end + data)[-4:]
        return self._client.write(data)

    def finish(self, data: bytes = b"") -> None:
        self.stop()
        if not self._client.began:
            self._client.start(200, HEADERS + self.headers)
        self._client.finish(data)

    def fail(self, error: PointsmanError) -> None:
        """As a plain error response while nothing was sent; after that as an event that ends the stream."""
        self.stop()
        client = self._client
        if not client.began:
            client.extra += self.headers
            client.error(error)
            return
        head = b"" if self._between() else b"\n\n"
        client.finish(
            head + b"data: " + msgspec.json.encode(error_body(error, client.request_id, client.tongue)) + b"\n\n"
        )

    def stop(self) -> None:
        """No more heartbeats. Safe to call twice."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _between(self) -> bool:
        return self._end.endswith((b"\n\n", b"\r\n\r\n"))

    def _beat(self) -> None:
        place = self._place()
        if place is None:
            self.write(HEARTBEAT)
            return
        wait = b"" if place.wait is None else b"; wait=%d" % round(place.wait)
        told = b"ahead=%d%b%b" % (place.ahead, wait, _loading(place))
        if not self._client.began:
            self.headers += header_lines((b"x-pointsman-queue", told))
        self.write(b": waiting; %b\n\n" % told)

    def _tick(self) -> None:
        due = self._last + self._interval
        now = self._loop.time()
        if now >= due - 0.001 and self._between():
            self._beat()
            due = now + self._interval
        self._timer = self._loop.call_later(max(due - now, 0.01), self._tick)


def _loading(place: Place) -> bytes:
    """What is loaded meanwhile: for how many seconds it has been, and how many it takes as a rule."""
    loading = place.loading
    if loading is None:
        return b""
    told = b"; loading=" + header_text(loading.target)
    if loading.since is not None:
        told += b"; for=%d" % loading.since
    if loading.usual is not None:
        told += b"; usual=%.2g" % loading.usual
    return told
