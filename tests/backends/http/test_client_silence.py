"""Connections to a machine that is cut off end, though nobody says so."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest

from pointsman.backends.http import Pool
from pointsman.backends.http.connect import ASKED, SILENT
from pointsman.ports.backend import Call


@pytest.mark.skipif(sys.platform != "linux", reason="these options are Linux's")
async def test_the_kernel_is_told_to_look() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    pool = Pool(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert await (await pool.open(Call("/", b"", method="GET"))).read() == b"ok"
    (connection,) = pool._idle
    sock = connection._transport.get_extra_info("socket")
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == ASKED
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == SILENT * 1000
    await pool.close()
    server.close()
