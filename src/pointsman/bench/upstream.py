"""An engine that only recites: vLLM's API as far as gateways use it, canned bytes, one process.

Run as `python -m pointsman.bench.upstream PORT [--events N] [--size BYTES]
[--hosts N]`: it listens on 127.0.0.1 to 127.0.0.N. `GET /bench` gives its `Counts` as JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
from dataclasses import asdict, dataclass
from typing import Any

import httptools
import uvloop

from pointsman.bench.canned import EVENTS, MODEL, payloads, whole
from pointsman.parent_death import die_with_parent

_STREAM = re.compile(rb'"stream"\s*:\s*true')


@dataclass
class Counts:
    """Since the start: connections that were accepted, completions sent as one object, and as a stream."""

    accepted: int = 0
    wholes: int = 0
    streams: int = 0


class Recital:
    """The bytes that are sent. A stream is a list of writes: the first one has the head, the last `[DONE]` and the end."""

    def __init__(self, events: int = EVENTS, size: int = 0) -> None:
        self.whole = _answer(whole(size))
        self.stream = _writes(payloads(events))
        self.stream_with_usage = _writes(payloads(events, usage=True))
        self.counts = Counts()
        listed = {"object": "list", "data": [{"id": MODEL, "object": "model", "max_model_len": 8_000_000}]}
        self.gets = {
            b"/health": _answer(b""),
            b"/v1/models": _answer(json.dumps(listed).encode()),
            b"/version": _answer(b'{"version":"0.33.0"}'),
        }
        self.missing = _answer(b'{"error":{"message":"not found"}}', b"404 Not Found")


class Upstream(asyncio.Protocol):
    """One connection. Requests are answered in turn; a client that sends the next one early waits."""

    def __init__(self, recital: Recital) -> None:
        self._recital = recital
        self._parser = httptools.HttpRequestParser(self)
        self._loop = asyncio.get_running_loop()
        self._left: list[bytes] = []
        self._at = 0
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport  # asyncio.Transport by its methods; uvloop's is none by its class
        self._recital.counts.accepted += 1

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.close()

    def on_message_begin(self) -> None:
        self._url = b""
        self._body: list[bytes] = []

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        recital = self._recital
        if self._parser.get_method() == b"POST":
            body = b"".join(self._body)
            if _STREAM.search(body):
                recital.counts.streams += 1
                self._left = recital.stream_with_usage if b"include_usage" in body else recital.stream
                self._at = 0
                self._write_next()
            else:
                recital.counts.wholes += 1
                self._transport.write(recital.whole)
        elif self._url == b"/bench":
            self._transport.write(_answer(json.dumps(asdict(recital.counts)).encode()))
        else:
            self._transport.write(recital.gets.get(self._url, recital.missing))

    def _write_next(self) -> None:
        """Each event in a turn of its own, as tokens come: none waits for another to share its packet."""
        if self._transport.is_closing():
            return
        self._transport.write(self._left[self._at])
        self._at += 1
        if self._at == len(self._left):
            self._left = []
        elif not self._paused:
            self._loop.call_soon(self._write_next)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        if self._left:
            self._write_next()


def _answer(body: bytes, status: bytes = b"200 OK") -> bytes:
    head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(body))
    return head + body


def _writes(parts: list[bytes]) -> list[bytes]:
    writes = [_chunk(b"data: " + part + b"\n\n") for part in parts]
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    writes[0] = head + writes[0]
    writes[-1] += b"0\r\n\r\n"
    return writes


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def _serve(port: int, recital: Recital, hosts: int) -> None:
    loop = asyncio.get_running_loop()
    names = [f"127.0.0.{number}" for number in range(1, hosts + 1)]
    server = await loop.create_server(lambda: Upstream(recital), names, port, backlog=2048)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--hosts", type=int, default=1)
    options = parser.parse_args()
    die_with_parent(os.getppid())
    uvloop.run(_serve(options.port, Recital(options.events, options.size), options.hosts))
