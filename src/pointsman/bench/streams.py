"""Streams in parallel, every event of every one of them checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httptools
import uvloop

from pointsman.bench.event_check import Check, WrongStream
from pointsman.bench.load import Load, quantile
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

LONGEST = 60.0  # seconds that a stream under way is waited for at the end


class _Run:
    """What the connections of one run share. `until` is when none begins another stream (monotonic seconds)."""

    def __init__(self, request: bytes, make_check: Callable[[], Check], until: float) -> None:
        self.request = request
        self.make_check = make_check
        self.until = until
        self.latencies: list[float] = []
        self.errors = 0
        self.trouble: str = ""
        self.last = time.perf_counter()

    def wrong(self, why: str) -> None:
        self.errors += 1
        self.trouble = self.trouble or why


class _Client(asyncio.Protocol):
    """One connection: a stream after the other."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._check = run.make_check()
        self._parser = httptools.HttpResponseParser(self)
        self._busy = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport  # asyncio.Transport by its methods; uvloop's is none by its class
        self._ask()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            cause = error.__context__
            self._fail(cause.message if isinstance(cause, WrongStream) else str(error))
        except WrongStream as error:
            self._fail(error.message)

    def on_body(self, body: bytes) -> None:
        self._check.feed(body)

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() != 200:
            raise WrongStream(said("status {code}", "状态码 {code}", code=self._parser.get_status_code()))
        self._check.finish()
        self._run.last = time.perf_counter()
        self._run.latencies.append(self._run.last - self._asked)
        self._busy = False
        if time.perf_counter() < self._run.until:
            self._ask()
        else:
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if self._busy:
            self._run.wrong(Said("the connection was closed inside a stream", "连接在流的中途被关闭"))
        if not self.ended.done():
            self.ended.set_result(None)

    def _ask(self) -> None:
        self._check.restart()
        self._busy = True
        self._asked = time.perf_counter()
        self._transport.write(self._run.request)

    def _fail(self, why: str) -> None:
        self._run.wrong(why)
        self._busy = False
        self._transport.abort()


def request_bytes(port: int, path: str, body: bytes, key: str | None = None) -> bytes:
    """A POST as it goes over the wire."""
    more = f"authorization: Bearer {key}\r\n" if key else ""
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n{more}"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def load_streams(
    port: int, path: str, body: bytes, make_check: Callable[[], Check], parallel: int, seconds: float
) -> Load:
    """Opens `parallel` connections (another where the server closed one) and keeps each busy for that time. Raises
    PointsmanError where nothing was answered."""
    return uvloop.run(_load(port, request_bytes(port, path, body), make_check, parallel, seconds))


async def _load(port: int, request: bytes, make_check: Callable[[], Check], parallel: int, seconds: float) -> Load:
    began = time.perf_counter()
    run = _Run(request, make_check, began + seconds)

    async def keep_busy() -> None:
        while time.perf_counter() < run.until and run.errors < 10:
            try:
                _, client = await asyncio.get_running_loop().create_connection(lambda: _Client(run), "127.0.0.1", port)
            except OSError as error:
                run.wrong(str(error))
                return
            await client.ended

    try:
        async with asyncio.timeout(seconds + LONGEST):
            await asyncio.gather(*(keep_busy() for _ in range(parallel)))
    except TimeoutError:
        run.wrong(Said("a stream did not end", "有的流没有结束"))
    if not run.latencies:
        raise PointsmanError(run.trouble or Said("no stream was answered", "没有收到任何流"))
    micros = [latency * 1e6 for latency in run.latencies]
    return Load(
        len(micros),
        run.last - began,
        run.errors,
        quantile(micros, 0.5),
        quantile(micros, 0.99),
        max(micros),
        run.trouble,
    )
