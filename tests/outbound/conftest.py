"""Every asynchronous test here runs on asyncio's own loop and on uvloop, against real sockets on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
import pytest
import uvloop

import certificates


def pytest_asyncio_loop_factories(config, item):
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


class Received(msgspec.Struct):
    """A request as a receiver read it."""

    line: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """A server on loopback that reads one request a connection and answers it with `answer`, then closes; without one it
    waits until it is stopped."""

    def __init__(self, answer: bytes | None) -> None:
        self.answer = answer
        self.received: list[Received] = []
        self.connections = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._stopped = asyncio.Event()

    async def start(self, tls: ssl.SSLContext | None) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._stopped.set()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.received.append(Received(head[0], headers, body))
            if self.answer is None:
                await self._stopped.wait()
            else:
                writer.write(self.answer)
                await writer.drain()
        writer.close()


@pytest.fixture
async def receive() -> AsyncIterator[Callable[..., Awaitable[Receiver]]]:
    started: list[Receiver] = []

    async def start(answer: bytes | None, tls: ssl.SSLContext | None = None) -> Receiver:
        receiver = Receiver(answer)
        await receiver.start(tls)
        started.append(receiver)
        return receiver

    yield start
    for receiver in started:
        await receiver.stop()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> certificates.Authority:
    return certificates.Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def trusting(authority: certificates.Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority.file))
