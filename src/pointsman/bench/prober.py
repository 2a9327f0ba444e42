"""A client that asks for `/health` every millisecond, on a connection of its own: how long the slowest answer took.

Run as `python -m pointsman.bench.prober PORT SECONDS`; prints µs."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Collection

REQUEST = b"GET /health HTTP/1.1\r\nhost: bench\r\n\r\n"
EVERY = 0.001


def start_prober(port: int, seconds: float, cores: Collection[int]) -> subprocess.Popen[str]:
    """Its standard output is one number, once the time is over."""
    command = [sys.executable, "-m", "pointsman.bench.prober", str(port), str(seconds), *map(str, cores)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603


def slowest(port: int, seconds: float) -> float:
    """µs of the slowest answer. An answer is short and comes in one piece. Raises OSError."""
    worst = 0.0
    with socket.create_connection(("127.0.0.1", port), 60.0) as client:
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            client.sendall(REQUEST)
            if not client.recv(65536):
                break
            took = time.perf_counter() - began
            worst = max(worst, took)
            if took < EVERY:
                time.sleep(EVERY - took)
    return worst * 1e6


if __name__ == "__main__":
    import os

    if sys.argv[3:]:
        os.sched_setaffinity(0, map(int, sys.argv[3:]))
    print(slowest(int(sys.argv[1]), float(sys.argv[2])))  # noqa: T201
