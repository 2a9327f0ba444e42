"""A relay as a plain ASGI application under uvicorn, with a small pool of its own to the upstream:
`python relay_bare_asgi.py PORT UPSTREAM_PORT`.

A ceiling, not a gateway: no time-outs, limits, keys, retries or log. `/canned` is answered here."""

import asyncio
import sys
from typing import Any

import httptools
import uvicorn

CANNED = (
    b'{"id":"chatcmpl-canned","object":"chat.completion","created":1760000000,"model":"auto","choices":[{"index":0,'
    b'"message":{"role":"assistant","content":"Hello! How can I help?"},"finish_reason":"stop"}]}'
)
HEAD = b"POST %b HTTP/1.1\r\nhost: engine\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


class Engine(asyncio.Protocol):
    """A connection to the upstream. `parts` hold what came of the body; `news` is set when there is more to look at."""

    def __init__(self) -> None:
        self.news = asyncio.Event()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.parser = httptools.HttpResponseParser(self)
        self.broken = False

    def ask(self, request: bytes) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.parts: list[bytes] = []
        self.begun = self.complete = False
        self.news.clear()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() not in (b"transfer-encoding", b"connection", b"keep-alive"):
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.begun = True

    def on_body(self, body: bytes) -> None:
        self.parts.append(body)
        self.news.set()

    def on_message_complete(self) -> None:
        self.complete = True
        self.news.set()

    def connection_lost(self, error: Exception | None) -> None:
        self.broken = True
        self.news.set()


class Relay:
    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.idle: list[Engine] = []

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        if scope["path"] == "/canned":
            headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(CANNED))]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": CANNED})
            return
        engine = await self.connection()
        engine.ask(HEAD % (scope["raw_path"], len(body)) + body)
        try:
            await self.relay(engine, send)
        except BaseException:
            engine.transport.abort()
            raise
        if engine.complete and not engine.broken:
            self.idle.append(engine)

    async def connection(self) -> Engine:
        while self.idle:
            engine = self.idle.pop()
            if not engine.broken:
                return engine
        _, engine = await asyncio.get_running_loop().create_connection(Engine, "127.0.0.1", self.upstream)
        return engine

    @staticmethod
    async def relay(engine: Engine, send: Any) -> None:
        started = False
        while True:
            await engine.news.wait()
            engine.news.clear()
            if engine.broken and not engine.complete:
                raise ConnectionError
            if not started:
                started = True
                status = engine.parser.get_status_code()
                await send({"type": "http.response.start", "status": status, "headers": engine.headers})
            data, engine.parts = b"".join(engine.parts), []
            done = engine.complete
            await send({"type": "http.response.body", "body": data, "more_body": not done})
            if done:
                return


if __name__ == "__main__":
    uvicorn.run(
        Relay(int(sys.argv[2])),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=2048,
    )
