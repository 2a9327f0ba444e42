"""One GET against a child on this machine, with asyncio's streams and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit


async def get(address: str, path: str, timeout: float) -> int:
    """The HTTP status of `GET {address}{path}`. Raises OSError (connection), TimeoutError after `timeout` seconds
    for the whole exchange, ValueError where the answer is no HTTP."""
    parts = urlsplit(address)
    async with asyncio.timeout(timeout):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
            head = (await reader.readline()).decode("latin-1").split()
            while await reader.read(65_536):
                pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
    if len(head) < 2 or not head[0].startswith("HTTP/") or not head[1].isdigit():
        raise ValueError(f"no HTTP answer from {address}")
    return int(head[1])


async def wait_healthy(address: str, *, every: float = 0.05) -> None:
    """Returns when GET /health answers 200. Never gives up: the caller sets the limit."""
    while True:
        with contextlib.suppress(OSError, TimeoutError, ValueError):
            if await get(address, "/health", 10.0) == 200:
                return
        await asyncio.sleep(every)
