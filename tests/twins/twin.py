"""A small HTTP/1.1 server on asyncio that answers as an engine was recorded to answer, and fails on demand.

    async with Twin("vllm-0.33.0") as twin:
        twin.fail("/v1/chat/completions", Fault(status=429, headers={"retry-after": "3"}))
        ... twin.base_url, twin.requests, twin.connections

Faults are taken in the order they were set, each for `times` requests to its path; after them the recordings answer."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import msgspec

RECORDINGS = Path(__file__).parent / "recordings"


class Chunk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One write of the engine: its text as it was sent, after `delay` seconds."""

    data: str
    delay: float = 0.0


class Recording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer. `when` are top-level fields of the request's JSON body that must have these values (`*`: be there);
    `chunks` go out with chunked encoding, `body` with a content-length, both byte by byte as they stand."""

    method: str
    path: str
    status: int = 200
    headers: dict[str, str] = {}
    when: dict[str, Any] = {}
    body: str = ""
    chunks: tuple[Chunk, ...] | None = None

    def answers(self, method: str, path: str, fields: dict[str, Any]) -> bool:
        return (
            (self.method, self.path) == (method, path)
            and all(name in fields for name in self.when)
            and all(value in ("*", fields[name]) for name, value in self.when.items())
        )


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the twin stands for. It closes idle connections after `keep_alive` seconds (None: never)."""

    engine: str
    version: str
    model: str
    keep_alive: float | None


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What goes wrong with one request. Delays in seconds; `reset_after` counts bytes of the body; what is not set is
    as recorded."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    delay_head: float = 0.0
    delay_chunks: float | None = None
    reset_before_head: bool = False
    reset_after: int | None = None
    hang: Literal["head", "body"] | None = None

    @classmethod
    def empty_stream(cls) -> Fault:
        """A stream that ends without one event."""
        return cls(status=200, headers={"content-type": "text/event-stream"}, body="")

    @classmethod
    def not_sse(cls) -> Fault:
        """A 200 that is no event stream, as a proxy's log-in page would be."""
        return cls(status=200, headers={"content-type": "text/html"}, body="<html>log in</html>")

    @classmethod
    def rate_limited(cls, retry_after: str = "3") -> Fault:
        return cls(
            status=429,
            headers={"content-type": "application/json", "retry-after": retry_after},
            body='{"error":{"message":"slow down","type":"rate_limit_error","param":null,"code":429}}',
        )


@dataclass
class Received:
    """One request as it came. `hung_up` is set when the client left before the answer was complete, `done` when the
    answer was written whole."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    connection: int
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


class Twin:
    def __init__(self, name: str, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.folder = RECORDINGS / name
        self.engine = msgspec.json.decode((self.folder / "engine.json").read_bytes(), type=Engine)
        self.recordings = list(load(self.folder))
        self.requests: list[Received] = []
        self.connections = 0
        self.open: set[_Connection] = set()
        self.host = host
        self.port = port
        self._faults: dict[str, list[tuple[Fault, int | None]]] = {}
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.get_running_loop().create_server(lambda: _Connection(self), self.host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Stops listening and drops every connection."""
        if self._server is not None:
            self._server.close()
            for connection in list(self.open):
                connection.transport.abort()
            await self._server.wait_closed()
            self._server = None
        await asyncio.sleep(0)

    @property
    def base_url(self) -> str:
        """`http://host:port`, without a path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def fail(self, path: str, fault: Fault, *, times: int | None = 1) -> None:
        """`times` None: for good."""
        self._faults.setdefault(path, []).append((fault, times))

    def answer(self, recording: Recording) -> None:
        """Puts one more answer before the recorded ones."""
        self.recordings.insert(0, recording)

    def scene(self, name: str) -> None:
        """Puts the recordings of a subfolder first: `loading`, `dead`."""
        self.recordings[:0] = load(self.folder / name)

    def asked(self, path: str) -> list[Received]:
        return [request for request in self.requests if request.path == path]

    def recorded(self, path: str, **fields: Any) -> bytes:
        """The body that a POST with these fields gets, as bytes."""
        recording = self.find("POST", path, fields)
        return b"".join(chunk.data.encode() for chunk in recording.chunks or ()) or recording.body.encode()

    def find(self, method: str, path: str, fields: dict[str, Any]) -> Recording:
        for recording in self.recordings:
            if recording.answers(method, path, fields):
                return recording
        return Recording(
            method, path, status=404, headers={"content-type": "application/json"}, body='{"detail":"Not Found"}'
        )

    def next_fault(self, path: str) -> Fault | None:
        waiting = self._faults.get(path)
        if not waiting:
            return None
        fault, times = waiting[0]
        if times is not None:
            waiting[:1] = [(fault, times - 1)] if times > 1 else []
        return fault


def load(folder: Path) -> Iterator[Recording]:
    """The recordings of a folder: refusals first, then those with the most (and most exact) conditions."""
    files = sorted(path for path in folder.glob("*.json") if path.name != "engine.json")
    recordings = [msgspec.json.decode(path.read_bytes(), type=Recording) for path in files]

    def rank(recording: Recording) -> tuple[bool, int]:
        return recording.status < 400, -sum(1 if value == "*" else 2 for value in recording.when.values())

    yield from sorted(recordings, key=rank)


class _Connection(asyncio.Protocol):
    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.buffer = b""
        self.current: Received | None = None
        self.task: asyncio.Task[None] | None = None
        self.idle: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.twin.connections += 1
        self.number = self.twin.connections
        self.twin.open.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.twin.open.discard(self)
        self._stop_idle()
        if self.current is not None:
            self.current.hung_up.set()
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self._stop_idle()
        self.buffer += data
        self._next()

    def _next(self) -> None:
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if self.current is not None or not separator:
            return
        line, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = line.split(" ")
        pairs = (entry.split(":", 1) for entry in lines)
        headers = tuple((name.strip().lower(), value.strip()) for name, value in pairs)
        length = int(dict(headers).get("content-length", "0"))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        self.current = Received(method, path, headers, rest[:length], self.number)
        self.twin.requests.append(self.current)
        self.task = asyncio.get_running_loop().create_task(self._reply(self.current))

    async def _reply(self, request: Received) -> None:
        fault = self.twin.next_fault(request.path) or Fault()
        recording = self.twin.find(request.method, request.path, _fields(request.body))
        await asyncio.sleep(fault.delay_head)
        if fault.hang == "head":
            await asyncio.Event().wait()
        if fault.reset_before_head:
            self._reset()
            return
        chunks = recording.chunks
        body = recording.body if fault.body is None else fault.body
        if fault.body is not None or (fault.status is not None and fault.status != recording.status):
            chunks = None
        status = recording.status if fault.status is None else fault.status
        headers = (recording.headers if fault.body is None else {}) | fault.headers
        framing = {"content-length": str(len(body.encode()))} if chunks is None else {"transfer-encoding": "chunked"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in (headers | framing).items())
        self.transport.write(f"HTTP/1.1 {status} Recorded\r\n{lines}\r\n".encode())
        if fault.hang == "body":
            await asyncio.Event().wait()
        sent = 0
        for chunk in chunks if chunks is not None else (Chunk(body),):
            await asyncio.sleep(chunk.delay if fault.delay_chunks is None else fault.delay_chunks)
            data = chunk.data.encode()
            if fault.reset_after is not None and sent + len(data) > fault.reset_after:
                self._write(data[: fault.reset_after - sent], chunks is not None)
                await asyncio.sleep(0.02)  # what went before is with the client by then
                self._reset()
                return
            self._write(data, chunks is not None)
            sent += len(data)
        if chunks is not None:
            self.transport.write(b"0\r\n\r\n")
        request.done.set()
        self.current = None
        if self.twin.engine.keep_alive is not None:
            self.idle = asyncio.get_running_loop().call_later(self.twin.engine.keep_alive, self.transport.close)
        self._next()

    def _write(self, data: bytes, chunked: bool) -> None:
        if data:
            self.transport.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)

    def _reset(self) -> None:
        sock = self.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.current = None
        self.transport.abort()

    def _stop_idle(self) -> None:
        if self.idle is not None:
            self.idle.cancel()
            self.idle = None


def _fields(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
