"""A port that leads to another one, and can be shut, moved, or told to lose an answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Door:
    """`target` may be changed at any time: connections from then on lead there. With `lose`, the next answer that contains
    these bytes does not come through: its connection breaks in its place."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.lost = 0
        self.lose: bytes | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, there_writer}
        for source, sink, back in ((reader, there_writer, False), (there_reader, writer, True)):
            task = asyncio.create_task(self._carry(source, sink, back, (writer, there_writer)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        back: bool,
        both: tuple[asyncio.StreamWriter, ...],
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                if back and self.lose is not None and self.lose in data:
                    self.lose = None
                    self.lost += 1
                    break
                sink.write(data)
                await sink.drain()
        for writer in both:
            writer.close()
            self._writers.discard(writer)

    def break_all(self) -> None:
        for writer in list(self._writers):
            writer.close()


@contextlib.asynccontextmanager
async def door(target: int) -> AsyncIterator[Door]:
    one = Door(target)
    server = await asyncio.start_server(one._enter, "127.0.0.1", 0)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        server.close()
        one.break_all()
        await asyncio.gather(*one._tasks, return_exceptions=True)
