"""A wire to a server that breaks after a request went through and before its answer comes back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


class CutWire:
    """Listens on `port`. Of the server's answers every `each`th is swallowed, and the connection with it (0: none is), and
    so are the `next` ones. `cut` counts them."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._answers = 0
        self._wires: set[asyncio.Task[None]] = set()
        self.port = 0
        self.each = 0
        self.next = 0
        self.cut = 0

    async def serve(self) -> asyncio.Server:
        listening = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = listening.sockets[0].getsockname()[1]
        return listening

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = asyncio.create_task(self._wire(reader, writer))
        self._wires.add(wire)
        wire.add_done_callback(self._wires.discard)

    async def _wire(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._server)
        up = asyncio.create_task(_pass_on(reader, back))
        try:
            while data := await there.read(1 << 16):
                if self._swallows():
                    self.cut += 1
                    return
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            up.cancel()
            for each in (writer, back):
                each.transport.abort()

    def _swallows(self) -> bool:
        self._answers += 1
        if self.next:
            self.next -= 1
            return True
        return bool(self.each) and self._answers % self.each == 0

    async def close(self) -> None:
        for wire in self._wires:
            wire.cancel()
        await asyncio.gather(*self._wires, return_exceptions=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()


@contextlib.asynccontextmanager
async def cut_wire(server: int) -> AsyncIterator[CutWire]:
    wire = CutWire(server)
    listening = await wire.serve()
    try:
        yield wire
    finally:
        listening.close()
        await wire.close()
