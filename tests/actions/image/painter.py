"""A server that draws what a test wants, and misbehaves as it wants."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from actions.image import recorded
from execution.engine import Play, replied


class Asked:
    def __init__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def fields(self) -> Any:
        return json.loads(self.body)


class Painter:
    """Answers as the WebUI and as OpenAI do. `plays` replace the answer to a path. While `slow`, a drawing goes on until it
    is interrupted, or `finish` is set. `drawing` is the task that is drawn; `knows_tasks`: it has
    `/internal/progress`. While `hangs`, it takes orders and says nothing."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.plays: dict[str, Play] = {}
        self.pictures: dict[str, bytes] = {}
        self.image = recorded.png
        self.grid = False
        self.links = False
        self.slow = False
        self.hangs = False
        self.knows_tasks = True
        self.share = 0.4
        self.drawing: str | None = None
        self.begun = asyncio.Event()
        self.finish = asyncio.Event()
        self.interrupted = asyncio.Event()
        self.port = 0
        self.open = 0
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def of(self, path: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path.partition("?")[0] == path]

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Painter]:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 26)
        self.port = self._server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            self._server.close()
            for task in list(self._serving):
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self.open += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *lines = head[:-4].split("\r\n")
                headers = {name.lower(): value for name, _, value in (entry.partition(": ") for entry in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                method, path, _ = line.split(" ")
                asked = Asked(method, path, headers, body)
                self.asked.append(asked)
                if self.hangs and method == "POST" and "progress" not in path:
                    await reader.read()
                    return
                play = self.plays.get(path.partition("?")[0]) or await self._answer(asked)
                await play(writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self._serving.discard(task)
            with contextlib.suppress(Exception):
                writer.transport.abort()

    async def _answer(self, asked: Asked) -> Play:
        match asked.method, asked.path.partition("?")[0]:
            case "POST", "/sdapi/v1/txt2img":
                return await self._drawn(asked.fields)
            case "GET", "/sdapi/v1/progress":
                return replied(200, recorded.progress(self.share if self.drawing else 0, 1 if self.drawing else 0))
            case "POST", "/internal/progress" if self.knows_tasks:
                mine = asked.fields["id_task"] == self.drawing
                return replied(200, recorded.task(active=mine, share=self.share if mine else None))
            case "POST", "/sdapi/v1/interrupt":
                self.interrupted.set()
                return replied(200, {})
            case "POST", "/v1/images/generations":
                return await self._generated(asked.fields)
            case "GET", path if path in self.pictures:
                return replied(200, self.pictures[path], type="image/png")
            case _:
                return replied(404, {"detail": "Not Found"})

    async def _drawn(self, fields: dict[str, Any]) -> Play:
        self.drawing = fields["force_task_id"]
        self.begun.set()
        try:
            if self.slow:
                ends = [asyncio.ensure_future(event.wait()) for event in (self.interrupted, self.finish)]
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                for end in ends:
                    end.cancel()
        finally:
            self.drawing = None
        size = fields["width"], fields["height"]
        images = [self.image(*size) for _ in range(fields["n_iter"])]
        grid = recorded.png(size[0] * 2, size[1]) if self.grid else None
        return replied(200, recorded.txt2img(fields, images, grid=grid))

    async def _generated(self, fields: dict[str, Any]) -> Play:
        self.begun.set()
        if self.slow:
            await self.finish.wait()
        width, _, height = fields["size"].partition("x")
        images = [self.image(int(width), int(height)) for _ in range(fields["n"])]
        if not self.links:
            return replied(200, recorded.generations(images))
        self.pictures = {f"/generated-images/b64{n}.png": image for n, image in enumerate(images)}
        return replied(200, recorded.localai([f"{self.host}{path}" for path in self.pictures]))


def flood(size: int) -> Play:
    """A JSON answer with base64 that never ends within reason."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n".encode())
        writer.write(b'{"images":["')
        piece = b"A" * (1 << 16)
        for _ in range(size // len(piece)):
            writer.write(piece)
            await writer.drain()

    return play


def hanging() -> Play:
    """It takes the request and says nothing."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    return play


def broken(data: bytes) -> Play:
    """These bytes, and the connection ends."""

    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        raise ConnectionError

    return play
