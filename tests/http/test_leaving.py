"""A server that is closed: what is under way is answered, what takes too long is told so, and no request on a kept
connection meets a closed one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pointsman.config.schema import Auth
from pointsman.http.auth import Keys
from pointsman.http.cors import Cors
from pointsman.http.exchange import Client
from pointsman.http.gateway import Doors, Gateway
from pointsman.http.server import Server
from pointsman.store.log_reader import LogReader
from running import running
from workers.held_engine import held_engine

QUICK = b"GET /quick HTTP/1.1\r\nhost: x\r\n\r\n"
SLOW = b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n"
STREAM = b"GET /stream HTTP/1.1\r\nhost: x\r\n\r\n"


class House:
    """`go_on` lets the slow replies end."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        doors = Doors(
            gets={"/quick": self.quick, "/slow": self.slow, "/stream": self.stream},
            posts={},
            deletes={},
            keys=Keys(Auth()),
            cors=Cors([]),
            max_body=10,
        )
        self.server = Server(Gateway(doors))
        self.port = 0

    def quick(self, client: Client) -> None:
        client.reply(200, b"quick")

    async def slow(self, client: Client) -> None:
        await self.go_on.wait()
        client.reply(200, b"slow")

    async def stream(self, client: Client) -> None:
        client.start(200, b"")
        client.write(b"first")
        await self.go_on.wait()
        client.finish(b"last")


class Wire:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def head(self) -> bytes:
        return await self.reader.readuntil(b"\r\n\r\n")

    async def reply(self) -> bytes:
        """Head and body of a response whose length is known."""
        head = await self.head()
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return head + await self.reader.readexactly(length)


@contextlib.asynccontextmanager
async def house() -> AsyncIterator[tuple[House, Any]]:
    one = House()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    await one.server.listen(listener)
    wires: list[Wire] = []

    async def connect() -> Wire:
        before = len(one.server.connections)
        wires.append(Wire(*await asyncio.open_connection("127.0.0.1", port)))
        while len(one.server.connections) == before:
            await asyncio.sleep(0)
        return wires[-1]

    try:
        yield one, connect
    finally:
        one.go_on.set()
        await one.server.close(0.1)
        for wire in wires:
            wire.writer.close()
            with contextlib.suppress(ConnectionError):
                await wire.writer.wait_closed()


async def test_a_request_on_an_idle_connection_is_answered_while_the_server_leaves() -> None:
    async with house() as (one, connect):
        wire = await connect()
        wire.writer.write(QUICK)
        assert b"connection: close" not in await wire.reply()
        closing = asyncio.create_task(one.server.close(30, linger=30))
        await asyncio.sleep(0.01)
        assert not closing.done()
        wire.writer.write(QUICK)
        reply = await wire.reply()
        assert reply.endswith(b"quick") and b"connection: close" in reply
        assert await wire.reader.read() == b""
        await closing


async def test_a_connection_whose_reply_could_not_say_that_it_closes_has_one_more() -> None:
    async with house() as (one, connect):
        wire = await connect()
        wire.writer.write(STREAM)
        assert b"connection: close" not in await wire.head()
        closing = asyncio.create_task(one.server.close(30, linger=30))
        await asyncio.sleep(0.01)
        one.go_on.set()
        assert (await wire.reader.readuntil(b"0\r\n\r\n")).endswith(b"4\r\nlast\r\n0\r\n\r\n")
        wire.writer.write(QUICK)
        assert b"connection: close" in await wire.reply()
        await closing


async def test_a_reply_that_has_not_begun_says_that_the_connection_closes() -> None:
    async with house() as (one, connect):
        wire = await connect()
        wire.writer.write(SLOW)
        while not one.server.tasks:
            await asyncio.sleep(0)
        closing = asyncio.create_task(one.server.close(30))
        await asyncio.sleep(0.01)
        one.go_on.set()
        reply = await wire.reply()
        assert reply.endswith(b"slow") and b"connection: close" in reply
        await closing


async def test_idle_connections_do_not_hold_up_a_server_that_does_not_linger() -> None:
    async with house() as (one, connect):
        wire = await connect()
        await one.server.close(30)
        assert await wire.reader.read() == b""


async def test_one_that_nobody_uses_any_more_closes_after_a_while() -> None:
    async with house() as (one, connect):
        wire = await connect()
        closing = asyncio.create_task(one.server.close(30, linger=0.05))
        assert await wire.reader.read() == b""
        await closing


async def test_who_comes_while_the_server_leaves_gets_one_reply() -> None:
    async with house() as (one, connect):
        wire = await connect()
        closing = asyncio.create_task(one.server.close(30, linger=30))
        await asyncio.sleep(0.01)
        wire.writer.write(QUICK + QUICK)
        reply = await wire.reply()
        assert b"connection: close" in reply and await wire.reader.read() == b""
        await closing


async def test_what_takes_too_long_is_told_that_the_gateway_stops() -> None:
    async with house() as (one, connect):
        wire = await connect()
        wire.writer.write(SLOW)
        while not one.server.tasks:
            await asyncio.sleep(0)
        await one.server.close(0.01)
        reply = await wire.reply()
        assert reply.startswith(b"HTTP/1.1 503 ") and b"gateway_stopped" in reply and b"retry-after: 1" in reply


@pytest.mark.parametrize("stream", [True, False])
async def test_a_model_s_reply_that_takes_too_long_ends_with_an_error(tmp_path: Path, stream: bool) -> None:
    with held_engine() as engine:
        async with running({"models": engine.models, "rules": {"packs": []}}, tmp_path) as gateway:
            server = Server(gateway.app.door)
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            await server.listen(listener)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            body = {"model": "light", "stream": stream, "messages": [{"role": "user", "content": "tell me"}]}
            data = json.dumps(body).encode()
            head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
            writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
            assert await asyncio.to_thread(engine.begun.wait, 60)
            if stream:
                await reader.readuntil(b"first ")
            await server.close(0.01)
            rest = await reader.read()
            writer.close()
            text = rest.decode()
            assert "gateway_stopped" in text and "the gateway stops" in text
            if stream:
                assert '\r\ndata: {"error":' in text and text.endswith("\n\n\r\n0\r\n\r\n")
            else:
                assert text.startswith("HTTP/1.1 503 ")
    log = LogReader(tmp_path / "data")
    [row] = log.rows({}, None, 10)
    log.close()
    assert (row["outcome"], row["status"], row["error"]) == ("failed", 503, "gateway_stopped")


async def test_who_follows_a_job_is_told_too(tmp_path: Path) -> None:
    with held_engine() as engine:
        async with running({"models": engine.models, "rules": {"packs": []}}, tmp_path) as gateway:
            server = Server(gateway.app.door)
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            await server.listen(listener)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            data = json.dumps({"model": "light", "messages": [{"role": "user", "content": "tell me"}]}).encode()
            head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nprefer: respond-async\r\ncontent-type: application/json"
            writer.write(f"{head}\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data)
            job = json.loads((await Wire(reader, writer).reply()).partition(b"\r\n\r\n")[2])["id"]
            writer.write(f"GET /v1/jobs/{job}/events HTTP/1.1\r\nhost: x\r\n\r\n".encode())
            await reader.readuntil(b'"state"')
            await server.close(0.01)
            rest = (await reader.read()).decode()
            writer.close()
            assert "gateway_stopped" in rest and rest.endswith("\n\n\r\n0\r\n\r\n")
