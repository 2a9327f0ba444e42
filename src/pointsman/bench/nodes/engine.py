"""A node of the bench: `python engine.py PORT SLOTS`. It speaks llama.cpp's API as far as the gateway asks, has so many
slots and a queue before them, and works on a request for as many seconds as the request says: `work 0.25`."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
import time

import msgspec

_SECONDS = re.compile(r"work ([0-9.]+)")


class Node:
    def __init__(self, slots: int) -> None:
        self._slots = asyncio.Semaphore(slots)
        self._count = slots
        self._running = 0
        self._waiting = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until the other side closes it."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
                body = await reader.readexactly(int(length[1])) if length else b""
                method, path, _ = head.split(" ", 2)
                if method == "POST":
                    await self._reply(msgspec.json.decode(body), writer)
                else:
                    self._tell(path, writer)
                await writer.drain()
        writer.close()

    def _tell(self, path: str, writer: asyncio.StreamWriter) -> None:
        if path == "/props":
            told = msgspec.json.encode({"default_generation_settings": {"n_ctx": 8192}, "total_slots": self._count})
        elif path.endswith("/models"):
            told = b'{"object":"list","data":[{"id":"m"}]}'
        elif path == "/metrics":
            told = b"llamacpp:requests_processing %d\nllamacpp:requests_deferred %d\n" % (self._running, self._waiting)
        else:
            told = b'{"status":"ok"}'
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(told) + told
        )

    async def _reply(self, asked: dict[str, object], writer: asyncio.StreamWriter) -> None:
        """When it began to work on it, in seconds of the machine's monotonic clock, is what it says."""
        found = _SECONDS.search(str(asked["messages"]))
        self._waiting += 1
        async with self._slots:
            self._waiting -= 1
            self._running += 1
            began = time.monotonic()
            await asyncio.sleep(float(found[1]) if found else 0.0)
            self._running -= 1
        content = f"{began:.6f}"
        if asked.get("stream"):
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            events = _event({"delta": {"role": "assistant", "content": content}, "finish_reason": None})
            events += _event({"delta": {}, "finish_reason": "stop"}) + b"data: [DONE]\n\n"
            writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(events), events))
            return
        message = {"role": "assistant", "content": content}
        whole = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "message": message}],
        }
        data = msgspec.json.encode(whole)
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(data) + data
        )


def _event(choice: dict[str, object]) -> bytes:
    chunk = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, **choice}],
    }
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


async def _main(port: int, slots: int) -> None:
    server = await asyncio.start_server(Node(slots).serve, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2])))
