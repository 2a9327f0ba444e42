"""`pour`: chunks go to a sink in the call that reads them; a sink that is full stops the engine, one that fails ends it."""

from __future__ import annotations

import asyncio

import pytest
from scripted_upstream import CHUNKED, answering, chunk, head

from pointsman.backends.http import Limits
from pointsman.ports.backend import BackendFailure, Call

CALL = Call("/v1/chat/completions", b"{}", first_byte=20.0, idle=20.0)
EVENTS = [b"data: %d\n\n" % number for number in range(50)]


async def never() -> None:
    raise AssertionError("there was room")


async def test_each_chunk_as_it_came(serve, pool_of):
    pool = pool_of(await serve(answering(CHUNKED, *map(chunk, EVENTS), b"0\r\n\r\n", gap=0.001)))
    got: list[bytes] = []
    for _ in range(2):
        await (await pool.open(CALL)).pour(lambda piece: got.append(piece) or True, never)
    assert b"".join(got) == b"".join(EVENTS * 2)
    assert pool.traffic.opened == 1


async def test_what_came_before_goes_first(serve, pool_of):
    pool = pool_of(await serve(answering(CHUNKED + b"".join(map(chunk, EVENTS)) + b"0\r\n\r\n")))
    stream = await pool.open(CALL)
    got = [await anext(stream.chunks())]
    await stream.pour(lambda piece: got.append(piece) or True, never)
    assert b"".join(got) == b"".join(EVENTS)


async def test_nobody_is_woken_up_for_a_chunk(serve, pool_of, monkeypatch):
    pool = pool_of(await serve(answering(CHUNKED, *map(chunk, EVENTS), b"0\r\n\r\n", gap=0.001)))
    stream = await pool.open(CALL)
    woken: list[object] = []
    real = type(stream).news
    monkeypatch.setattr(type(stream), "news", lambda self: woken.append(self) or real(self))
    got: list[bytes] = []
    await stream.pour(lambda piece: got.append(piece) or True, never)
    assert b"".join(got) == b"".join(EVENTS)
    assert len(woken) <= 2


async def test_a_full_sink_stops_the_engine(serve, pool_of):
    size, written = 24 << 20, 0

    async def script(peer):
        nonlocal written
        await peer.request()
        peer.writer.write(head(f"content-length: {size}"))
        while written < size:
            peer.writer.write(bytes(64 << 10))
            await peer.writer.drain()
            written += 64 << 10
        await peer.request()

    limits, go, got, rooms = Limits(), asyncio.Event(), 0, 0
    pool = pool_of(await serve(script), limits=limits)
    stream = await pool.open(CALL)

    def sink(piece: bytes) -> bool:
        nonlocal got
        got += len(piece)
        return False

    async def room() -> None:
        nonlocal rooms
        rooms += 1
        await go.wait()

    pouring = asyncio.create_task(stream.pour(sink, room))
    last = -1
    while last != written:
        last = written
        await asyncio.sleep(0.1)
    assert written < size
    assert rooms == 1
    assert got + stream.buffered <= limits.high_water + (512 << 10)
    go.set()
    await pouring
    assert got == size
    assert pool.idle == 1


async def test_a_sink_that_fails_ends_the_response(serve, pool_of):
    left: list[float] = []

    async def script(peer):
        await peer.request()
        await peer.send(CHUNKED, *map(chunk, EVENTS[:3]))
        left.append(await peer.gone())

    def sink(piece: bytes) -> bool:
        got.append(piece)
        if len(got) == 2:
            raise KeyError("mine")
        return True

    pool = pool_of(await serve(script))
    got: list[bytes] = []
    with pytest.raises(KeyError, match="mine"):
        await (await pool.open(CALL)).pour(sink, never)
    async with asyncio.timeout(20):
        while not left:
            await asyncio.sleep(0.001)
    assert got == EVENTS[:2]
    assert pool.idle == 0


async def test_a_sink_that_fails_on_the_last_bytes(serve, pool_of):
    def sink(piece: bytes) -> bool:
        raise KeyError("mine")

    pool = pool_of(await serve(answering(CHUNKED, chunk(b"a") + b"0\r\n\r\n", gap=0.02)))
    stream = await pool.open(CALL)
    with pytest.raises(KeyError, match="mine"):
        await stream.pour(sink, never)
    assert pool.idle == 0


async def test_a_break_comes_after_what_was_good(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(CHUNKED, *map(chunk, EVENTS[:3]))

    got: list[bytes] = []
    stream = await pool_of(await serve(script)).open(CALL)
    with pytest.raises(BackendFailure) as caught:
        await stream.pour(lambda piece: got.append(piece) or True, never)
    assert (caught.value.kind, caught.value.sent) == ("reset", True)
    assert got == EVENTS[:3]


@pytest.mark.parametrize("full", [False, True], ids=["waiting for the engine", "waiting for room"])
async def test_cancelled(serve, pool_of, full):
    there, left = asyncio.Event(), asyncio.Event()

    async def script(peer):
        await peer.request()
        await peer.send(CHUNKED, chunk(b"a"))
        await peer.gone()
        left.set()

    pool = pool_of(await serve(script))
    stream = await pool.open(CALL)
    pouring = asyncio.create_task(stream.pour(lambda _: there.set() or not full, asyncio.Event().wait))
    await there.wait()
    await asyncio.sleep(0.01)
    pouring.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pouring
    async with asyncio.timeout(20):
        await left.wait()
    assert pool.idle == 0
