"""What the gateway's own process costs without a model."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path

import pytest

from execution.engine import read_reply
from running import process

AT_START = 90  # MB: 78 when this was written
AT_1000 = 120
BODY = b'{"model":"auto","messages":[{"role":"user","content":"hello"}]}'
REQUEST = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY


def rss(pid: int) -> float:
    """MB (10^6 bytes)."""
    [kilobytes] = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(kilobytes) * 1024 / 1e6


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc is Linux")
def test_rss_at_start_and_with_a_thousand_idle_connections(tmp_path, record_property):
    path = tmp_path / "pointsman.yaml"
    path.write_text(
        "rules: {packs: ['builtin:smalltalk', 'builtin:ops-faq', 'builtin:code-review', 'builtin:no-drawing']}\n"
        "models: {light: {backends: [{engine: openai, model: m, base_url: 'http://127.0.0.1:9/v1'}]}}\n"
    )
    sockets: list[socket.socket] = []
    with process(["-c", str(path), "--port", "0", "--data-dir", str(tmp_path / "data")]) as gateway:
        try:
            time.sleep(0.5)
            start = rss(gateway.pid)
            port = int(gateway.base.rpartition(":")[2])
            for _ in range(1000):
                sock = socket.create_connection(("127.0.0.1", port), 10)
                sockets.append(sock)
                sock.sendall(REQUEST)
                reply = read_reply(sock)
                assert reply.status == 200 and reply.headers["x-pointsman-stage"] == "l0"
            time.sleep(0.5)
            full = rss(gateway.pid)
            sockets[0].sendall(REQUEST)
            assert read_reply(sockets[0]).status == 200, "an idle connection was closed"
        finally:
            for sock in sockets:
                sock.close()
    record_property("rss", f"{start:.1f} MB at start, {full:.1f} MB at 1,000 connections")
    print(f"RSS {start:.1f} MB at start, {full:.1f} MB at 1,000 idle connections")
    assert start <= AT_START
    assert full <= AT_1000
