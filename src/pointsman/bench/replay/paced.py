"""In front of an engine, a relay that makes it slower: it holds each event of a stream back for a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

_PIECE = 65_536
_END = b"\n\n"


@contextlib.asynccontextmanager
async def paced(engine: int, pause: float) -> AsyncIterator[int]:
    """The port of a relay to the engine on that port; `pause` in seconds."""

    async def serve(client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            from_engine, to_engine = await asyncio.open_connection("127.0.0.1", engine)
            asking = asyncio.create_task(_through(client, to_engine))
            try:
                await _events(from_engine, to_client, pause)
            finally:
                asking.cancel()
                to_engine.close()
        to_client.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _through(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
        writer.close()


async def _events(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pause: float) -> None:
    while data := await reader.read(_PIECE):
        await asyncio.sleep(pause * data.count(_END))
        writer.write(data)
        await writer.drain()
