"""Connections to a gateway of several processes, each to a process that is known."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psutil

from running import Process

T = TypeVar("T")
CHAT = "/v1/chat/completions"


def workers(gateway: Process) -> list[int]:
    """The processes that serve, now."""
    found = []
    for child in psutil.Process(gateway.pid).children():
        try:
            if "pointsman.cli.serve_member" in child.cmdline():
                found.append(child.pid)
        except psutil.NoSuchProcess:
            pass
    return sorted(found)


class Reply:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """What the assistant said."""
        return self.json["choices"][0]["message"]["content"]


class Line:
    """One connection that is kept, and the process at its other end."""

    def __init__(self, gateway: Process) -> None:
        self.http = connected(gateway)
        self.pid = owner(gateway, self.http.sock.getsockname()[1])

    def get(self, path: str) -> Reply:
        self.http.request("GET", path)
        return Reply(self.http.getresponse())

    def post(self, path: str, data: Any = None, headers: dict[str, str] | None = None) -> Reply:
        body = b"" if data is None else json.dumps(data).encode()
        self.http.request("POST", path, body, {"content-type": "application/json", **(headers or {})})
        return Reply(self.http.getresponse())

    def say(self, text: str, **headers: str) -> Reply:
        """Asks the entry `auto`; `session="s"` is the header x-pointsman-session."""
        asked = {"model": "auto", "messages": [{"role": "user", "content": text}]}
        return self.post(CHAT, asked, {f"x-pointsman-{name}": value for name, value in headers.items()})

    def close(self) -> None:
        self.http.close()


_opened: list[http.client.HTTPConnection] = []


def connected(gateway: Process) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(urlsplit(gateway.base).netloc, timeout=60)
    connection.connect()
    _opened.append(connection)
    return connection


def close_all() -> None:
    for connection in _opened:
        connection.close()
    _opened.clear()


def owner(gateway: Process, port: int) -> int:
    """The worker that has the connection from that port."""

    def found() -> int | None:
        for pid in workers(gateway):
            try:
                if any(c.raddr and c.raddr.port == port for c in psutil.Process(pid).net_connections("tcp")):
                    return pid
            except psutil.NoSuchProcess:
                pass
        return None

    return until(found)


def one_to_each(gateway: Process, count: int = 2) -> list[Line]:
    """A line to each of `count` workers, in the order of their process ids."""
    found: dict[int, Line] = {}

    def all_of_them() -> bool:
        line = Line(gateway)
        if line.pid in found:
            line.close()
        else:
            found[line.pid] = line
        return len(found) == count

    until(all_of_them)
    return [found[pid] for pid in sorted(found)]


def until(holds: Callable[[], T | None], seconds: float = 60.0) -> T:
    """What it gives once that is something."""
    deadline = time.monotonic() + seconds
    while not (value := holds()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)
    return value


def figure(line: Line, name: str, **labels: str) -> float:
    """The sum of a metric's samples that have those labels."""
    total = 0.0
    for sample in line.get("/metrics").body.decode().splitlines():
        head, _, value = sample.rpartition(" ")
        found, _, rest = head.partition("{")
        if found == name and all(f'{key}="{text}"' in rest for key, text in labels.items()):
            total += float(value)
    return total
