"""Clients that keep a connection open and ask nothing: what they hold of memory, and of the processor."""

from __future__ import annotations

import contextlib
import socket
import time

from pointsman.bench.canned import CHAT, asked
from pointsman.bench.processes import Child
from pointsman.bench.streams import request_bytes
from pointsman.bench.usage import cpu_seconds, resident_bytes
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

SETTLING = 1.0  # seconds after the last connection was opened


def hold_idle(child: Child, connections: int, seconds: float) -> dict[str, float]:
    """Each connection has had one whole reply. Gives `added_bytes` of resident memory, `cpu_ms_per_s` while nothing is
    asked, and `quiet_ms_per_s` before there were any. Raises PointsmanError, OSError."""
    request = request_bytes(child.port, CHAT, asked(stream=False))
    quiet = cpu_seconds(child.pid)
    time.sleep(seconds)
    quiet = cpu_seconds(child.pid) - quiet
    before = resident_bytes(child.pid)
    with contextlib.ExitStack() as stack:
        for _ in range(connections):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", child.port), 20.0))
            client.sendall(request)
            _read_reply(client)
        time.sleep(SETTLING)
        added = resident_bytes(child.pid) - before
        spent = cpu_seconds(child.pid)
        time.sleep(seconds)
        spent = cpu_seconds(child.pid) - spent
    return {
        "added_bytes": float(added),
        "cpu_ms_per_s": spent * 1e3 / seconds,
        "quiet_ms_per_s": quiet * 1e3 / seconds,
    }


def _read_reply(client: socket.socket) -> None:
    data = b""
    while True:
        more = client.recv(65536)
        data += more
        head, found, body = data.partition(b"\r\n\r\n")
        if found and (not more or _complete(head.lower(), body)):
            break
        if not more:
            raise PointsmanError(said("the connection was closed", "连接被关闭"))
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise PointsmanError(said("status {line}", "状态行 {line}", line=head.split(b"\r\n", 1)[0].decode()))


def _complete(head: bytes, body: bytes) -> bool:
    if b"transfer-encoding: chunked" in head:
        return body.endswith(b"\r\n0\r\n\r\n") or body == b"0\r\n\r\n"
    length = head.partition(b"content-length:")[2].split(b"\r\n", 1)[0].strip()
    return len(body) >= int(length or 0)
