"""An engine that sends what a test scripts, byte for byte and in the pieces that it names; and gateways before it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from running import Running, running

DONE = b"data: [DONE]\n\n"
CHAT = "/v1/chat/completions"


@dataclass
class Asked:
    """One POST as it came. `hung_up` is set when the gateway left before the script was through."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def fields(self) -> dict[str, Any]:
        return json.loads(self.body)


Play = Callable[[asyncio.StreamWriter], Awaitable[None]]


def event(data: Any) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


async def until(holds: Callable[[], object], seconds: float = 30.0) -> None:
    """Waits until that holds."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(0.005)


def delta(content: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One chat chunk."""
    part = ({} if content is None else {"content": content}) | more
    choice = {"index": 0, "delta": part, "finish_reason": finish}
    return event({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


USAGE = event(
    {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }
)


def conversation(*texts: str) -> bytes:
    """A whole good stream of these texts."""
    return b"".join([delta("", role="assistant"), *map(delta, texts), delta(finish="stop"), DONE])


def streamed(*pieces: bytes | float | asyncio.Event, gap: float = 0.001, type: str = "text/event-stream") -> Play:
    """Each piece in a packet and an HTTP chunk of its own. A number among the pieces is a pause in seconds; at an event it
    waits for that."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {type}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
        for piece in pieces:
            if isinstance(piece, float):
                await asyncio.sleep(piece)
                continue
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                continue
            if piece:
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                await writer.drain()
            await asyncio.sleep(gap)
        writer.write(b"0\r\n\r\n")

    return play


def replied(status: int, body: bytes | Any, *headers: str, type: str = "application/json") -> Play:
    """One whole answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def play(writer: asyncio.StreamWriter) -> None:
        lines = "".join(f"{line}\r\n" for line in headers)
        writer.write(
            f"HTTP/1.1 {status} X\r\ncontent-type: {type}\r\ncontent-length: {len(data)}\r\n{lines}\r\n".encode()
        )
        writer.write(data)

    return play


class Engine:
    """Lists its model, and plays `play` to every POST. `plays` are taken first, one a request."""

    def __init__(self, model: str = "m") -> None:
        self.model = model
        self.play: Play = streamed(conversation("hello"))
        self.plays: list[Play] = []
        self.asked: list[Asked] = []
        self.open = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self.serving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Engine:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=1 << 26)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self.serving):
            task.cancel()
        await asyncio.gather(*self.serving, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def backend(self, **more: Any) -> dict[str, Any]:
        return {"engine": "openai", "model": self.model, "base_url": self.url, **more}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.serving.add(task)
        self.open += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *lines = head[:-4].split("\r\n")
                headers = {name.lower(): value for name, _, value in (entry.partition(": ") for entry in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                method, path, _ = line.split(" ")
                if method == "GET":
                    await replied(200, {"object": "list", "data": [{"id": self.model}]})(writer)
                    continue
                asked = Asked(path, headers, body)
                self.asked.append(asked)
                play = self.plays.pop(0) if self.plays else self.play
                if not await self._watched(play, reader, writer):
                    asked.hung_up.set()
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self.serving.discard(task)
            writer.transport.abort()

    @staticmethod
    async def _watched(play: Play, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """False: the gateway hung up first."""
        playing = asyncio.ensure_future(play(writer))
        watching = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((playing, watching), return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                playing.result()
                return True
            return False
        except ConnectionError:
            return False
        finally:
            for task in (playing, watching):
                task.cancel()
            await asyncio.gather(playing, watching, return_exceptions=True)


def config(*engines: Engine, **more: Any) -> dict[str, Any]:
    """A tier `medium` on these engines, in this order, the entry `auto`, and no rules."""
    backends = [engine.backend(name=f"b{number}") for number, engine in enumerate(engines, 1)]
    return {"models": {"medium": {"backends": backends}}, "rules": {"packs": []}} | more


class Door:
    """A gateway before one scripted engine, both in a thread of their own: for tests that are not coroutines."""

    def __init__(self, engine: Engine, base: str, folder: Path) -> None:
        self.engine = engine
        self.folder = folder
        self.base = base
        self.port = int(base.rpartition(":")[2])

    def connect(self, timeout: float = 10.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def post(self, path: str, body: bytes, *headers: str, chunked: bool = False) -> Reply:
        """One request on a connection of its own, written whole before anything is read, as many clients do."""
        length = "transfer-encoding: chunked" if chunked else f"content-length: {len(body)}"
        lines = "".join(f"{line}\r\n" for line in ("host: x", "content-type: application/json", length, *headers))
        sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
        return self.raw(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + sent)

    def raw(self, data: bytes) -> Reply:
        with self.connect() as sock:
            sock.sendall(data)
            return read_reply(sock)


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def read_reply(sock: socket.socket) -> Reply:
    """One whole answer; `body` without its framing."""
    file = sock.makefile("rb")
    with file:
        status = int(file.readline().split(b" ")[1])
        headers: dict[str, str] = {}
        while (line := file.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(file.readline(), 16):
                body += file.read(size)
                file.readline()
            file.readline()
        else:
            body = file.read(int(headers.get("content-length", 0)))
    return Reply(status, headers, body)


@contextlib.contextmanager
def door(**more: Any) -> Iterator[Door]:
    """`more` are sections of the config."""
    opened: list[Any] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def main() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with Engine() as engine, running(config(engine, **more), Path(folder)) as gateway:
                opened.append(Door(engine, gateway.base, Path(folder)))
                ready.set()
                await stop.wait()

    def run() -> None:
        try:
            loop.run_until_complete(main())
        except BaseException as error:
            opened.append(error)
        finally:
            ready.set()
            loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(60)
    if isinstance(opened[0], BaseException):
        raise opened[0]
    try:
        yield opened[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
    if len(opened) > 1:
        raise opened[1]


class Stream:
    """A raw client of one streamed request: sees bytes as they come, and when."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}

    async def head(self) -> int:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = head[:-4].split("\r\n")
        self.status = int(line.split(" ")[1])
        self.headers = {name.lower(): value for name, _, value in (entry.partition(": ") for entry in lines)}
        return self.status

    async def chunks(self) -> AsyncIterator[bytes]:
        if "content-length" in self.headers:
            yield await self.reader.readexactly(int(self.headers["content-length"]))
            return
        while size := int(await self.reader.readline(), 16):
            yield await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)

    async def body(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])

    async def hang_up(self) -> float:
        """Closes; returns when."""
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()
        return time.monotonic()


@contextlib.asynccontextmanager
async def asking(
    gateway: Running | str, fields: dict[str, Any], path: str = CHAT, *headers: str, within: float = 20.0
) -> AsyncIterator[Stream]:
    """Sends a request and leaves reading to the test, which has `within` seconds for it."""
    base = gateway if isinstance(gateway, str) else gateway.base
    reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]), limit=1 << 24)
    body = json.dumps(fields).encode()
    lines = "".join(
        f"{line}\r\n"
        for line in ("host: x", "content-type: application/json", f"content-length: {len(body)}", *headers)
    )
    writer.write(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
    stream = Stream(reader, writer)
    try:
        async with asyncio.timeout(within):
            yield stream
    finally:
        await stream.hang_up()


def user(text: str = "Tell me about trains.", **more: Any) -> dict[str, Any]:
    """A request that no shipped rule takes."""
    return {"model": "medium", "messages": [{"role": "user", "content": text}], **more}


def events_of(body: bytes) -> list[dict[str, Any]]:
    """The JSON of every event; heartbeats and [DONE] left out."""
    return [
        json.loads(block[6:])
        for block in body.decode().split("\n\n")
        if block.startswith("data: ") and block != "data: [DONE]"
    ]


def assert_error(error: dict[str, Any], *, src: str = "gateway", code: str | None = None) -> None:
    """The one shape of the contract, and nothing of the inside in it."""
    assert set(error) == {"error"}
    inner = error["error"]
    assert set(inner) == {"message", "type", "code", "param", "src", "request_id"}
    assert inner["src"] == src and isinstance(inner["message"], str) and inner["message"]
    assert code is None or inner["code"] == code
    assert "Traceback" not in inner["message"] and ".py" not in inner["message"]
