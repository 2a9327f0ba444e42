"""One streamed chat over HTTP, and what became of it, as its client saw it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from typing import Any, Literal

import httptools
import msgspec

from pointsman.bench.admission.arrivals import Arrival, prompt_of

Outcome = Literal["ok", "shed", "error", "timeout", "lost"]
"""`shed`: told that it is too much (429, 503 of an overload); `error`: told of anything else; `timeout`: the client gave up;
`lost`: the connection ended and nobody said why."""
_SHED = ("queue_full", "shed")
_PLACE = re.compile(rb": waiting; ahead=(\d+)(?:; wait=(\d+))?")


class Reply(msgspec.Struct):
    """Times are seconds since the request came (`sent`, on the monotonic clock). `first` content; `placed` when it was first
    told where it stands, and then `estimate` seconds; `admitted` when it stood there no more."""

    arrival: Arrival
    sent: float
    outcome: Outcome = "lost"
    status: int | None = None
    code: str | None = None
    request_id: str | None = None
    first: float | None = None
    total: float | None = None
    tokens: int = 0
    input_tokens: int = 0
    placed: float | None = None
    estimate: float | None = None
    admitted: float | None = None


class _Reading:
    """Takes the bytes of one response apart. `done` where the reply came to its end, or an error was told."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.done = self.over = False
        self.parser = httptools.HttpResponseParser(self)
        self._rest = b""
        self._body = b""
        self._streams = False

    def on_header(self, name: bytes, value: bytes) -> None:
        lower = name.lower()
        if lower == b"x-pointsman-request-id":
            self.reply.request_id = value.decode()
        elif lower == b"content-type":
            self._streams = b"event-stream" in value

    def on_headers_complete(self) -> None:
        self.reply.status = self.parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        if not self._streams:
            self._body += body
            return
        *lines, self._rest = (self._rest + body).split(b"\n")
        for line in lines:
            self._line(line)

    def on_message_complete(self) -> None:
        self.over = True
        if not self._streams:
            with contextlib.suppress(msgspec.DecodeError):
                self._failed(msgspec.json.decode(self._body).get("error"))

    def _line(self, line: bytes) -> None:
        reply, now = self.reply, time.monotonic() - self.reply.sent
        if line.startswith(b":"):
            if place := _PLACE.match(line):
                if reply.placed is None:
                    reply.placed, reply.estimate = now, float(place[2]) if place[2] else None
            elif reply.placed is not None and reply.admitted is None:
                reply.admitted = now
        elif line == b"data: [DONE]":
            self.done, reply.outcome = True, "ok"
        elif line.startswith(b"data: "):
            event = msgspec.json.decode(line[6:])
            if event.get("error"):
                self._failed(event["error"])
                return
            if reply.placed is not None and reply.admitted is None:
                reply.admitted = now
            if usage := event.get("usage"):
                reply.tokens, reply.input_tokens = usage["completion_tokens"], usage["prompt_tokens"]
            if reply.first is None and any(choice["delta"].get("content") for choice in event["choices"]):
                reply.first = now

    def _failed(self, error: Any) -> None:
        reply, self.done = self.reply, True
        reply.code = str(error.get("code")) if isinstance(error, dict) else str(error)
        shed = reply.code in _SHED
        reply.outcome = "shed" if shed else "error"


async def ask(
    port: int, arrival: Arrival, seed: int, patience: float, before: asyncio.Semaphore | None = None
) -> Reply:
    """Asks now, once it has its turn at `before`, and gives up after `patience` seconds without a first content, or where
    the reply pauses for so long."""
    reply = Reply(arrival, time.monotonic())
    try:
        async with asyncio.timeout(patience) as limit, before or contextlib.nullcontext():
            await _talk(port, reply, seed, patience, limit)
    except TimeoutError:
        reply.outcome = "timeout"
    except (OSError, httptools.HttpParserError, msgspec.DecodeError):
        if reply.outcome == "ok":
            reply.outcome = "lost"
    reply.total = time.monotonic() - reply.sent
    return reply


async def _talk(port: int, reply: Reply, seed: int, patience: float, limit: asyncio.Timeout) -> None:
    arrival, loop = reply.arrival, asyncio.get_running_loop()
    body = msgspec.json.encode(
        {
            "model": "medium",
            "user": arrival.caller,
            "messages": [{"role": "user", "content": prompt_of(arrival, seed)}],
            "max_tokens": arrival.reply,
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": 0,
            "ignore_eos": True,
        }
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        reading = _Reading(reply)
        while not (reading.over or reading.done):
            data = await reader.read(65_536)
            if not data:
                break
            reading.parser.feed_data(data)
            if reply.first is not None:
                limit.reschedule(loop.time() + patience)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
