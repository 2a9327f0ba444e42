"""An upstream that does on each connection what a test's script says, well-behaved or hostile."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import struct
import time
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import msgspec


class Request(msgspec.Struct):
    line: str
    headers: dict[str, str]
    body: bytes
    raw: bytes


class Peer:
    """The server's end of one connection. `number` counts connections from 0."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        self.reader = reader
        self.writer = writer
        self.number = number

    async def request(self) -> Request | None:
        """The next request, or None when the client has gone."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
            line, *lines = head.decode("latin-1")[:-4].split("\r\n")
            headers = {name.lower(): value for name, _, value in (entry.partition(": ") for entry in lines)}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return Request(line, headers, body, head + body)

    async def send(self, *parts: bytes, gap: float = 0.002) -> None:
        """Each part in a segment of its own: the client has read one before it gets the next."""
        for number, part in enumerate(parts):
            if number:
                await asyncio.sleep(gap)
            self.writer.write(part)
            await self.writer.drain()

    async def gone(self, within: float = 2.0) -> float:
        """Seconds until the client's end is closed or reset; what it sends before that is ignored."""
        start = time.monotonic()
        async with asyncio.timeout(within):
            try:
                while await self.reader.read(65536):
                    pass
            except ConnectionError:
                pass
        return time.monotonic() - start

    def reset(self) -> None:
        """RST instead of FIN."""
        with socket.socket(fileno=os.dup(self.writer.get_extra_info("socket").fileno())) as twin:
            twin.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Script = Callable[[Peer], Awaitable[None]]


class Upstream:
    """Runs `script` once a connection, closes the connection after it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._problems: list[Exception] = []
        self._writers: set[asyncio.StreamWriter] = set()
        self.url = ""
        self.port = 0
        self.connections = 0
        self.ended = 0

    async def start(
        self, *, host: str = "127.0.0.1", path: str | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        if path is not None:
            self._server = await asyncio.start_unix_server(self._run, path)
            self.url = f"http+unix://{quote(path, safe='')}"
            return
        self._server = await asyncio.start_server(self._run, host, 0, ssl=tls)
        self.port = self._server.sockets[0].getsockname()[1]
        place = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if tls else 'http'}://{place}:{self.port}"

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        number, self.connections = self.connections, self.connections + 1
        try:
            await self._script(Peer(reader, writer, number))
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        except Exception as problem:
            self._problems.append(problem)
        finally:
            self.ended += 1
            self._tasks.discard(task)
            writer.close()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0.01)
        if self._problems:
            raise ExceptionGroup("the upstream's script failed", self._problems)


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def sized(body: bytes, *lines: str) -> bytes:
    return head(f"content-length: {len(body)}", *lines) + body


CHUNKED = head("content-type: text/event-stream", "transfer-encoding: chunked")


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%b\r\n%b\r\n" % (len(data), extension, data)


def answering(*parts: bytes, gap: float = 0.002) -> Script:
    """A script that sends the same parts to every request."""

    async def script(peer: Peer) -> None:
        while await peer.request() is not None:
            await peer.send(*parts, gap=gap)

    return script


def once(*parts: bytes, gap: float = 0.002) -> Script:
    """A script that answers one request with these parts, then closes."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(*parts, gap=gap)

    return script
