"""GETs against a server on this machine, with asyncio's streams and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit

import msgspec

MOST = 8 << 20
_NONE = (404, 405, 501)
"""What a server says of an endpoint that it has not."""
_KEYED = (401, 403)


class _Listed(msgspec.Struct):
    id: str


class _List(msgspec.Struct):
    data: list[_Listed] | None = None


async def get(address: str, path: str, timeout: float, headers: tuple[tuple[str, str], ...] = ()) -> tuple[int, bytes]:
    """The HTTP status and the body of `GET {address}{path}`; without `http://` in front of it there is no address. HTTP/1.0,
    so that no body comes in chunks. Raises OSError (connection), TimeoutError after `timeout` seconds for the whole
    exchange, ValueError where the answer is no HTTP."""
    parts = urlsplit(address)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    async with asyncio.timeout(timeout):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
        try:
            writer.write(f"GET {path} HTTP/1.0\r\nHost: {parts.netloc}\r\n{lines}Connection: close\r\n\r\n".encode())
            await writer.drain()
            head = (await reader.readline()).decode("latin-1").split()
            while (await reader.readline()).strip():
                pass
            body = b""
            while len(body) < MOST and (part := await reader.read(65_536)):
                body += part
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
    if len(head) < 2 or not head[0].startswith("HTTP/") or not head[1].isdigit():
        raise ValueError(f"no HTTP answer from {address}")
    return int(head[1]), body


async def wait_healthy(address: str, *, every: float = 0.05) -> None:
    """Returns when GET /health answers 200, or, of a server that has no such thing, GET /v1/models (a key may be wanted).
    Never gives up: the caller sets the limit."""
    while True:
        with contextlib.suppress(OSError, TimeoutError, ValueError):
            status, _ = await get(address, "/health", 10.0)
            if status == 200:
                return
            if status in _NONE + _KEYED:
                status, _ = await get(address, "/v1/models", 10.0)
                if status == 200 or status in _KEYED + _NONE:
                    return
        await asyncio.sleep(every)


async def listed_models(address: str, api_key: str | None) -> list[str] | None:
    """The names under GET /v1/models; None where the server lists none, or in no form that can be read."""
    headers = (("Authorization", f"Bearer {api_key}"),) if api_key else ()
    try:
        status, body = await get(address, "/v1/models", 10.0, headers)
        found = msgspec.json.decode(body, type=_List).data if status == 200 else None
    except (OSError, TimeoutError, ValueError, msgspec.DecodeError):
        return None
    return [each.id for each in found] if found else None
