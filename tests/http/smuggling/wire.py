"""A client that sends bytes as they are, and tells what a server made of them."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import BinaryIO, NamedTuple

PROBED = b"/probe-7261"
PROBE = b"GET " + PROBED + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
"""Every server here names the path in its answer."""

PATIENCE = 5.0
"""Seconds after which a server that neither answers nor closes has failed the case."""


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Outcome(NamedTuple):
    """`answers` are those to the case, final ones only. `kept`: the connection took a further request after them."""

    answers: list[Answer]
    kept: bool

    @property
    def statuses(self) -> list[int]:
        return [answer.status for answer in self.answers]

    @property
    def refused(self) -> bool:
        return not self.answers or self.answers[0].status >= 400

    def __str__(self) -> str:
        return f"{self.statuses or 'no answer'}, {'kept' if self.kept else 'closed'}"


def play(port: int, raw: bytes, later: bytes = b"", *, dribbled: bool = False) -> Outcome:
    """Sends `raw`, `dribbled` in segments of one byte, then `later`, then, once there is an answer, a whole plain
    request that asks for the connection's end: bytes that a server has kept for later spoil it."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as sock, sock.makefile("rb") as file:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            for start in range(0, len(raw), 1 if dribbled else len(raw)):
                sock.sendall(raw[start : start + 1] if dribbled else raw)
            if later:
                time.sleep(0.05)
                sock.sendall(later)
        answers: list[Answer] = []
        while (answer := _next(file)) is not None:
            if PROBED in answer.body:
                return Outcome(answers, kept=True)
            answers.append(answer)
            if len(answers) == 1:
                with contextlib.suppress(ConnectionError):
                    sock.sendall(PROBE)
        return Outcome(answers, kept=False)


def first_answer(port: int, raw: bytes) -> Answer | None:
    """What a server says to `raw` while the client waits, whatever it does with the connection after that."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as sock, sock.makefile("rb") as file:
        with contextlib.suppress(ConnectionError):
            sock.sendall(raw)
        return _next(file)


def _next(file: BinaryIO) -> Answer | None:
    """The next final answer, None where the connection ends before it."""
    try:
        while True:
            start = file.readline()
            if not start:
                return None
            if not start.startswith(b"HTTP/"):  # the answer of HTTP/0.9 has no head
                return Answer(200, {}, start + file.read())
            status = int(start.split(b" ")[1])
            headers: dict[str, str] = {}
            while (line := file.readline()) not in (b"\r\n", b"\n", b""):
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.strip().lower()] = value.strip()
            if 100 <= status < 200:
                continue
            return Answer(status, headers, _body(file, headers, status))
    except ConnectionError:
        return None


def _body(file: BinaryIO, headers: dict[str, str], status: int) -> bytes:
    if status in (204, 304):
        return b""
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(file.readline(), 16):
            body += file.read(size)
            file.readline()
        file.readline()
        return body
    if "content-length" in headers:
        return file.read(int(headers["content-length"]))
    return file.read()
