"""A relay of bare asyncio protocols on both sides: `python relay_bare_asyncio.py PORT UPSTREAM_PORT`.

A ceiling, not a gateway: no time-outs, limits, keys, retries or log. A reply's bytes go on as they came. `/canned` is
answered here."""

import asyncio
import sys
from typing import Any

import httptools
import uvloop

CANNED = (
    b'{"id":"chatcmpl-canned","object":"chat.completion","created":1760000000,"model":"auto","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Hello! How can I help?"},"finish_reason":"stop"}]}'
)
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(CANNED) + CANNED
HEAD = b"POST %b HTTP/1.1\r\nhost: engine\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


class Engine(asyncio.Protocol):
    """A connection to the upstream; `client` is whom it works for."""

    def __init__(self, idle: "list[Engine]") -> None:
        self.idle = idle
        self.client: Client | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.parser = httptools.HttpResponseParser(self)
        self.complete = False

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)
        client = self.client
        if client is not None:
            client.transport.write(data)
        if self.complete:
            self.complete = False
            self.client = None
            self.idle.append(self)
            if client is not None:
                client.engine = None

    def on_message_complete(self) -> None:
        self.complete = True

    def connection_lost(self, error: Exception | None) -> None:
        if self in self.idle:
            self.idle.remove(self)
        if self.client is not None:
            self.client.transport.close()

    def pause_writing(self) -> None:
        if self.client is not None:
            self.client.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.client is not None:
            self.client.transport.resume_reading()


class Client(asyncio.Protocol):
    def __init__(self, idle: list[Engine], upstream: int) -> None:
        self.idle = idle
        self.upstream = upstream
        self.engine: Engine | None = None
        self.loop = asyncio.get_running_loop()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_begin(self) -> None:
        self.url = b""
        self.body: list[bytes] = []

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        if self.url == b"/canned":
            self.transport.write(ANSWER)
            return
        body = b"".join(self.body)
        request = HEAD % (self.url, len(body)) + body
        if self.idle:
            self.begin(self.idle.pop(), request)
        else:
            self.loop.create_task(self.connect(request))

    async def connect(self, request: bytes) -> None:
        _, engine = await self.loop.create_connection(lambda: Engine(self.idle), "127.0.0.1", self.upstream)
        self.begin(engine, request)

    def begin(self, engine: Engine, request: bytes) -> None:
        if self.transport.is_closing():
            self.idle.append(engine)
            return
        self.engine = engine
        engine.client = self
        engine.transport.write(request)

    def pause_writing(self) -> None:
        if self.engine is not None:
            self.engine.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.engine is not None:
            self.engine.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        if self.engine is not None:
            self.engine.client = None
            self.engine.transport.abort()


async def main(port: int, upstream: int) -> None:
    idle: list[Engine] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Client(idle, upstream), "127.0.0.1", port, backlog=2048)
    await server.serve_forever()


uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
