"""A service that answers as a test scripts it, byte for byte, and an action that calls it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from actions.workshop import config_of
from pointsman.actions.bound import Bound
from pointsman.actions.child import Children
from pointsman.actions.http.action import made
from pointsman.actions.http.spec import spec_of
from pointsman.actions.once import Once
from pointsman.actions.specs import Surroundings
from pointsman.actions.tools import Tools
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.links import Links
from pointsman.outbound.calls import HttpOutbound
from pointsman.outbound.resolver import Resolve
from pointsman.store.files.local import LocalFiles


class Got(msgspec.Struct):
    """A request as it came. `target` is what stood in its first line."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Play = Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer(status: int = 200, body: Any = None, *headers: str, kind: str = "application/json") -> Play:
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body, ensure_ascii=False).encode()

    async def play(writer: asyncio.StreamWriter) -> None:
        lines = "".join(f"{line}\r\n" for line in headers)
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\n{lines}\r\n"
        writer.write(head.encode() + data)
        await writer.drain()

    return play


def raw(data: bytes) -> Play:
    """These bytes, then the end of the connection."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return play


async def dies(writer: asyncio.StreamWriter) -> None:
    """After it has read all of the request."""
    writer.transport.abort()


async def waits(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def trickles(writer: asyncio.StreamWriter) -> None:
    """A head that never ends, a byte at a time."""
    writer.write(b"HTTP/1.1 200 OK\r\nx: ")
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.01)


async def floods(writer: asyncio.StreamWriter) -> None:
    """A gigabyte, for whoever reads it."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n")
    for _ in range(16384):
        writer.write(b"[" * 65536)
        await writer.drain()


class Service:
    """Plays of `plays` first, one a request, then `play`."""

    def __init__(self, play: Play | None = None) -> None:
        self.play = play or answer(200, {"ok": True})
        self.plays: list[Play] = []
        self.got: list[Got] = []
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Service:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.got.append(Got(method, target, headers, body))
            await (self.plays.pop(0) if self.plays else self.play)(writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.close()


@contextlib.asynccontextmanager
async def calling(
    folder: Path, http: dict[str, Any], resolve: Resolve | None = None, **more: Any
) -> AsyncIterator[Bound]:
    """The action `call` of that config."""
    config = config_of({"call": {"http": http, **more}})
    spec = spec_of("call", config.actions["call"], Surroundings(config, folder))
    files, children = LocalFiles(folder / "files"), Children(folder / "work")

    async def uploaded(file_id: str, caller: str) -> None:
        return None

    tools = Tools(
        config=config,
        base=folder,
        data=folder / "data",
        files=files,
        children=children,
        outbound=lambda allowed, setting: HttpOutbound(allowed, setting, resolve=resolve),
        links=Links(b"0123456789abcdef"),
        ask_model=None,  # type: ignore[arg-type]
        embed=None,  # type: ignore[arg-type]
        uploaded=uploaded,
        sources={},
        find={}.__getitem__,
        wall=lambda: 1_000_000.0,
        keep=3600.0,
    )
    try:
        yield Bound(made(spec, config.actions["call"], tools), Once(files))
    finally:
        await children.close()


def wrong(folder: Path, http: dict[str, Any], **more: Any) -> list[Problem]:
    """What `check` has to say of it."""
    config = config_of({"call": {"http": http, **more}})
    try:
        spec_of("call", config.actions["call"], Surroundings(config, folder))
    except Problems as problems:
        return problems.problems
    return []
