"""Time and pressure: time-outs, slow readers, large requests, cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest
from scripted_upstream import CHUNKED, answering, chunk, head, sized

from pointsman.backends.http import Limits
from pointsman.backends.http.connection import Connection
from pointsman.ports.backend import BackendFailure, Call

CALL = Call("/v1/chat/completions", b"{}", first_byte=20.0, idle=20.0)


@pytest.mark.parametrize("trickle", [b"", b"HTTP/1.1 200 OK\r\nx-slow: " + b"y" * 200], ids=["silence", "slow-loris"])
async def test_no_head_in_time(serve, pool_of, trickle):
    left: list[float] = []

    async def script(peer):
        await peer.request()
        with contextlib.suppress(ConnectionError):
            await peer.send(*(bytes([byte]) for byte in trickle), gap=0.01)
        left.append(await peer.gone())

    pool = pool_of(await serve(script))
    start = time.monotonic()
    with pytest.raises(BackendFailure, match=r"no answer from 127\.0\.0\.1:\d+ within 0\.15 s") as caught:
        await pool.open(Call("/x", b"", first_byte=0.15))
    assert 0.14 < time.monotonic() - start < 15
    assert (caught.value.kind, caught.value.sent) == ("first_byte_timeout", bool(trickle))
    async with asyncio.timeout(20):
        while not left:
            await asyncio.sleep(0.001)


async def test_silence_in_the_middle(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(CHUNKED, *[chunk(b"a")] * 5, gap=0.15)
        await peer.gone()

    pool = pool_of(await serve(script))
    stream = await pool.open(Call("/x", b"", idle=0.5))
    start = time.monotonic()
    got = []
    with pytest.raises(BackendFailure, match=r"silent in the middle of its answer for 0\.5 s") as caught:
        async for piece in stream.chunks():
            got.append(piece)
            last = time.monotonic()
    assert (caught.value.kind, caught.value.sent) == ("idle_timeout", True)
    assert got == [b"a"] * 5
    assert 0.48 < time.monotonic() - last < 15
    assert time.monotonic() - start > 1


async def test_the_next_call_on_the_connection_has_its_own_times(serve, pool_of):
    async def script(peer):
        while (request := await peer.request()) is not None:
            await asyncio.sleep(float(request.body))
            await peer.send(head("content-length: 2"), b"o", b"k", gap=0.2)

    upstream = await serve(script)
    pool = pool_of(upstream)
    assert await (await pool.open(Call("/x", b"0", first_byte=0.6, idle=0.6))).read() == b"ok"
    assert await (await pool.open(Call("/x", b"0.8", first_byte=5, idle=0.6))).read() == b"ok"
    with pytest.raises(BackendFailure) as caught:
        await pool.open(Call("/x", b"1", first_byte=0.1))
    assert caught.value.kind == "first_byte_timeout"
    assert upstream.connections == 1


async def test_a_long_stream_sets_hardly_any_timers(serve, pool_of, monkeypatch):
    pool = pool_of(await serve(answering(CHUNKED, *[chunk(b"x")] * 200, b"0\r\n\r\n", gap=0.0005)))
    await (await pool.open(CALL)).read()
    calls: list[float] = []
    watch = type(pool._idle[0]._watch)
    real = watch.arm
    monkeypatch.setattr(watch, "arm", lambda self, seconds: calls.append(seconds) or real(self, seconds))
    await (await pool.open(CALL)).read()
    assert calls == [CALL.first_byte, CALL.idle]


async def test_a_slow_reader_stops_the_engine_and_memory_stays_bounded(serve, pool_of):
    size, written = 24 << 20, 0

    async def script(peer):
        nonlocal written
        await peer.request()
        peer.writer.write(head(f"content-length: {size}"))
        block = bytes(64 << 10)
        while written < size:
            peer.writer.write(block)
            await peer.writer.drain()
            written += len(block)
        await peer.gone(10)

    limits = Limits()
    pool = pool_of(await serve(script), limits=limits)
    stream = await pool.open(Call("/x", b"", idle=0.4))
    bound = limits.high_water + (256 << 10)
    await asyncio.sleep(0.6)
    stalled = written
    assert limits.high_water < stream.buffered <= bound
    await asyncio.sleep(0.1)
    assert written == stalled < size
    total, most = 0, 0
    async for piece in stream.chunks():
        total += len(piece)
        most = max(most, stream.buffered)
        if total % 37 == 0:
            await asyncio.sleep(0.001)
    assert total == size
    assert most <= bound
    assert pool.idle == 1


async def test_after_a_slow_reader_silence_counts_again(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(head(f"content-length: {2 << 20}"), bytes(1 << 20))
        await peer.gone()

    stream = await pool_of(await serve(script)).open(Call("/x", b"", idle=0.3))
    await asyncio.sleep(0.5)
    got = 0
    with pytest.raises(BackendFailure, match="fell silent"):
        async for piece in stream.chunks():
            got += len(piece)
    assert got == 1 << 20


async def test_tiny_chunks_count_for_what_they_weigh(serve, pool_of):
    async def script(peer):
        await peer.request()
        peer.writer.write(CHUNKED)
        with contextlib.suppress(ConnectionError):
            while True:
                peer.writer.write(chunk(b"ab") * 1000)
                await peer.writer.drain()

    stream = await pool_of(await serve(script)).open(CALL)
    await asyncio.sleep(0.2)
    assert len(stream.queue) < (128 << 10) // 64 + (256 << 10) // 7
    stream.close()


@pytest.fixture
def transports(monkeypatch) -> list[asyncio.Transport]:
    """The client's transports, in the order of connecting."""
    made: list[asyncio.Transport] = []
    real = Connection.connection_made
    monkeypatch.setattr(Connection, "connection_made", lambda self, t: made.append(t) or real(self, t))
    return made


async def test_a_large_request_goes_out_at_the_engines_pace(serve, pool_of, transports):
    body = bytes(range(256)) * (32 << 10)
    go = asyncio.Event()

    async def script(peer):
        await go.wait()
        request = await peer.request()
        await peer.send(sized(str(request.body == body).encode()))
        await peer.request()

    pool = pool_of(await serve(script))
    sending = asyncio.create_task(pool.open(Call("/x", body)))
    await asyncio.sleep(0.1)
    assert not sending.done()
    assert transports[0].get_write_buffer_size() <= 1 << 20
    go.set()
    assert await (await sending).read() == b"True"
    assert pool.idle == 1


async def test_an_answer_before_the_request_is_through(serve, pool_of):
    async def script(peer):
        await peer.reader.readuntil(b"\r\n\r\n")
        await peer.send(sized(b"too large", "x: y").replace(b"200 OK", b"413 Too Large"))
        await asyncio.sleep(1)

    pool = pool_of(await serve(script))
    stream = await pool.open(Call("/x", bytes(32 << 20)))
    assert (stream.status, await stream.read()) == (413, b"too large")
    assert pool.idle == 0


async def test_after_an_early_answer_no_more_of_the_request_is_sent(serve, pool_of, transports):
    async def script(peer):
        await peer.reader.readuntil(b"\r\n\r\n")
        await peer.send(head("content-length: 2", status="413 Too Large"))
        await asyncio.sleep(0.1)
        await peer.send(b"no")

    stream = await pool_of(await serve(script)).open(Call("/x", bytes(32 << 20)))
    assert transports[0].get_write_buffer_size() <= 1 << 20
    assert (stream.status, await stream.read()) == (413, b"no")


async def test_an_engine_that_does_not_read_the_request(serve, pool_of):
    async def script(peer):
        await asyncio.sleep(1)

    pool = pool_of(await serve(script))
    with pytest.raises(BackendFailure) as caught:
        await pool.open(Call("/x", bytes(32 << 20), first_byte=0.2))
    assert (caught.value.kind, caught.value.sent) == ("first_byte_timeout", False)


@pytest.mark.parametrize("size", [3, 40 << 20])
async def test_a_body_larger_than_the_reader_wants(serve, pool_of, size):
    pool = pool_of(await serve(answering(head(f"content-length: {size}") + bytes(min(size, 1 << 20)))))
    with pytest.raises(BackendFailure, match="more than 2 bytes") as caught:
        await (await pool.open(CALL)).read(2)
    assert caught.value.kind == "protocol"


@pytest.mark.parametrize("when", ["before the head", "in the middle", "large request"])
async def test_cancelling_reaches_the_engine_at_once(serve, pool_of, when):
    there, cancelled, left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def script(peer):
        if when != "large request":
            await peer.request()
        if when == "in the middle":
            await peer.send(CHUNKED, chunk(b"a"))
        else:
            there.set()
        await cancelled.wait()
        await peer.gone()
        left.set()

    async def consume() -> None:
        stream = await pool.open(Call("/x", bytes(32 << 20) if when == "large request" else b"{}"))
        async for _ in stream.chunks():
            there.set()

    pool = pool_of(await serve(script))
    task = asyncio.create_task(consume())
    await there.wait()
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    cancelled.set()
    async with asyncio.timeout(20):
        await left.wait()
    assert pool.idle == 0


@pytest.mark.parametrize("iterated", [False, True])
async def test_closing_early_reaches_the_engine_at_once(serve, pool_of, iterated):
    left: list[float] = []

    async def script(peer):
        await peer.request()
        await peer.send(CHUNKED, chunk(b"a"))
        left.append(await peer.gone())

    pool = pool_of(await serve(script))
    stream = await pool.open(CALL)
    if iterated:
        async for _ in stream.chunks():
            break
    await asyncio.sleep(0.05)
    start = time.monotonic()
    stream.close()
    while not left:
        assert time.monotonic() - start < 15
        await asyncio.sleep(0.001)
    assert pool.idle == 0


async def test_closing_wakes_the_one_who_waits(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(CHUNKED)
        await peer.gone()

    stream = await pool_of(await serve(script)).open(CALL)
    waiting = asyncio.create_task(stream.read())
    await asyncio.sleep(0.02)
    with pytest.raises(RuntimeError, match="two consumers"):
        await stream.read()
    stream.close()
    with pytest.raises(BackendFailure, match="gateway closed its stream"):
        await waiting
