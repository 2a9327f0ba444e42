"""`python node_engine.py HOST PORT NOTES`: an engine that only plays one. A question says how long the reply is, and how
slowly it comes: `pieces 20 gap 0.1`, after `think 5` seconds without a byte. Each POST is a line of the file NOTES; while a
file NOTES.broken is there, it is answered by 500, and while NOTES.picky is there, all are but calls for one token. As
`--slots N --works N` it says that it has so many slots, and works on so many, as llama.cpp does."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("host")
parser.add_argument("port", type=int)
parser.add_argument("notes", type=Path)
parser.add_argument("--model", default="m")
parser.add_argument("--slots", type=int, default=4)
parser.add_argument("--works", type=int, default=64)
options = parser.parse_args()
working = asyncio.Semaphore(options.works)
running = waiting = 0


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = re.search(r"content-length: *(\d+)", head, re.IGNORECASE)
            body = await reader.readexactly(int(length[1])) if length else b""
            method, path, _ = head.split(" ", 2)
            if method == "GET":
                tell(path, writer)
            else:
                await reply(json.loads(body), writer)
            await writer.drain()
    writer.close()


def tell(path: str, writer: asyncio.StreamWriter) -> None:
    if path == "/props":
        told = json.dumps({"default_generation_settings": {"n_ctx": 8192}, "total_slots": options.slots})
    elif path.endswith("/models"):
        told = json.dumps({"object": "list", "data": [{"id": options.model}]})
    elif path == "/metrics":
        told = f"llamacpp:requests_processing {running}\nllamacpp:requests_deferred {waiting}\n"
    else:
        told = '{"status":"ok"}'
    whole(writer, 200, told)


def whole(writer: asyncio.StreamWriter, status: int, told: str) -> None:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(told)}\r\n\r\n"
    writer.write((head + told).encode())


async def reply(asked: dict[str, object], writer: asyncio.StreamWriter) -> None:
    global running, waiting
    text = str(asked["messages"])
    with options.notes.open("a") as notes:
        notes.write(text.replace("\n", " ") + "\n")
    picky = options.notes.with_suffix(".picky").exists() and asked.get("max_tokens") != 1
    if picky or options.notes.with_suffix(".broken").exists():
        whole(writer, 500, '{"error":{"message":"broken"}}')
        return
    found = re.search(r"pieces (\d+) gap ([0-9.]+)", text)
    pieces, gap = (int(found[1]), float(found[2])) if found else (1, 0.0)
    waiting += 1
    async with working:
        waiting -= 1
        running += 1
        try:
            thinks = re.search(r"think ([0-9.]+)", text)
            await asyncio.sleep(float(thinks[1]) if thinks else 0.0)
            await speak(writer, pieces, gap, bool(asked.get("stream")))
        finally:
            running -= 1


async def speak(writer: asyncio.StreamWriter, pieces: int, gap: float, stream: bool) -> None:
    fixed = {"id": "c", "created": 1, "model": options.model}
    if not stream:
        await asyncio.sleep(pieces * gap)
        message = {"role": "assistant", "content": "word " * pieces}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        whole(writer, 200, json.dumps(fixed | {"object": "chat.completion", "choices": [choice]}))
        return
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    deltas = [({"content": "word "}, None)] * pieces + [({}, "stop")]
    for delta, finish in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        said = json.dumps(fixed | {"object": "chat.completion.chunk", "choices": [choice]})
        piece = f"data: {said}\n\n".encode()
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
        await asyncio.sleep(gap)
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")


async def main() -> None:
    server = await asyncio.start_server(serve, options.host, options.port, backlog=256)
    await server.serve_forever()


asyncio.run(main())
