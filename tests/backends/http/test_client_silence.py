"""Connections to a machine that is cut off end, though nobody says so."""

from __future__ import annotations

import socket
import sys

import pytest
from scripted_upstream import answering, sized

from pointsman.backends.http.connect import ASKED, SILENT
from pointsman.ports.backend import Call


@pytest.mark.skipif(sys.platform != "linux", reason="these options are Linux's")
async def test_the_kernel_is_told_to_look(serve, pool_of):
    pool = pool_of(await serve(answering(sized(b"ok"))))
    assert await (await pool.open(Call("/", b"", method="GET"))).read() == b"ok"
    (connection,) = pool._idle
    sock = connection._transport.get_extra_info("socket")
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == ASKED
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == SILENT * 1000
