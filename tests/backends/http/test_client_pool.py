"""Connections: how many, how long, and what happens when one turns out to be stale."""

from __future__ import annotations

import asyncio
import time

import pytest
from scripted_upstream import answering, head, sized

from pointsman.backends.http import Limits
from pointsman.backends.http.connection import Connection
from pointsman.ports.backend import BackendFailure, Call

CALL = Call("/v1/chat/completions", b"{}")
OK = sized(b"ok")


async def settled(condition) -> None:
    async with asyncio.timeout(2):
        while not condition():
            await asyncio.sleep(0.002)


async def test_fifty_calls_one_connection(serve, pool_of):
    upstream = await serve(answering(OK))
    pool = pool_of(upstream)
    for _ in range(50):
        assert await (await pool.open(CALL)).read() == b"ok"
    assert upstream.connections == 1
    assert (pool.requests, pool.opened, pool.reused, pool.retried) == (50, 1, 49, 0)


async def test_a_complete_response_frees_its_connection_read_or_not(serve, pool_of):
    upstream = await serve(answering(OK))
    pool = pool_of(upstream)
    unread = [await pool.open(CALL) for _ in range(3)]
    await settled(lambda: pool.idle == 1)
    assert upstream.connections == 1
    for stream in unread:
        stream.close()
        stream.close()
    assert await (await pool.open(CALL)).read() == b"ok"
    assert upstream.connections == 1


async def test_a_closed_stream_never_ends_silently(serve, pool_of):
    pool = pool_of(await serve(answering(OK)))
    stream = await pool.open(CALL)
    stream.close()
    with pytest.raises(BackendFailure, match="closed its stream"):
        await stream.read()
    stream = await pool.open(CALL)
    assert await stream.read() == b"ok"
    stream.close()
    assert await stream.read() == b""


async def test_as_many_connections_as_calls_at_a_time_and_the_last_used_first(serve, pool_of):
    used: list[int] = []

    async def script(peer):
        while await peer.request() is not None:
            used.append(peer.number)
            await peer.send(OK)

    upstream = await serve(script)
    pool = pool_of(upstream)

    async def one() -> None:
        await (await pool.open(CALL)).read()

    await asyncio.gather(*(one() for _ in range(8)))
    assert upstream.connections == pool.opened == pool.idle == 8
    used.clear()
    for _ in range(5):
        await one()
    assert len(set(used)) == 1


async def test_no_more_idle_connections_than_allowed(serve, pool_of):
    upstream = await serve(answering(OK))
    pool = pool_of(upstream, max_idle=2)
    streams = await asyncio.gather(*(pool.open(CALL) for _ in range(5)))
    for stream in streams:
        await stream.read()
    assert (upstream.connections, pool.idle) == (5, 2)
    await settled(lambda: upstream.ended == 3)


async def test_without_keep_alive(serve, pool_of):
    upstream = await serve(answering(OK))
    pool = pool_of(upstream, max_idle=0)
    for _ in range(3):
        assert await (await pool.open(CALL)).read() == b"ok"
    assert (upstream.connections, pool.idle) == (3, 0)


async def test_idle_connections_are_closed_when_their_time_comes(serve, pool_of):
    lived: list[float] = []

    async def script(peer):
        while await peer.request() is not None:
            await peer.send(OK)
            answered = time.monotonic()
        lived.append(time.monotonic() - answered)

    pool = pool_of(await serve(script), idle_expiry=0.1)
    for stream in await asyncio.gather(*(pool.open(CALL) for _ in range(3))):
        await stream.read()
    await asyncio.sleep(0.05)
    await (await pool.open(CALL)).read()
    await settled(lambda: len(lived) == 3)
    assert pool.idle == 0
    assert all(0.09 < seconds < 1.5 for seconds in lived)


async def test_an_expired_connection_is_not_used_even_if_the_loop_was_busy(serve, pool_of):
    upstream = await serve(answering(OK))
    pool = pool_of(upstream, idle_expiry=0.05)
    await (await pool.open(CALL)).read()
    time.sleep(0.08)
    assert pool.idle == 1
    await (await pool.open(CALL)).read()
    assert upstream.connections == 2


async def test_an_idle_connection_that_the_engine_closes_is_forgotten(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(OK)

    upstream = await serve(script)
    pool = pool_of(upstream)
    await (await pool.open(CALL)).read()
    await settled(lambda: pool.idle == 0)
    await (await pool.open(CALL)).read()
    assert (pool.opened, pool.retried) == (2, 0)


@pytest.mark.parametrize("how", ["fin", "rst"])
async def test_a_stale_connection_is_retried_once_on_a_fresh_one(serve, pool_of, how):
    seen: list[tuple[int, bytes]] = []

    async def script(peer):
        for turn in range(2):
            request = await peer.request()
            if request is None:
                return
            seen.append((peer.number, request.body))
            if turn:
                if how == "rst":
                    peer.reset()
                return
            await peer.send(OK)

    upstream = await serve(script)
    pool = pool_of(upstream)
    for stream in await asyncio.gather(*(pool.open(Call("/x", b"first")) for _ in range(3))):
        await stream.read()
    assert await (await pool.open(Call("/x", b"second"))).read() == b"ok"
    assert [body for _, body in seen].count(b"second") == 2
    assert seen[-1][0] == 3
    assert (pool.requests, pool.opened, pool.reused, pool.retried) == (4, 4, 1, 1)


async def test_framing_at_the_end_of_one_response_is_no_byte_of_the_next(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(head("transfer-encoding: chunked"), b"2\r\nok\r\n", b"0\r\n\r\n")
        if peer.number == 0:
            await peer.request()

    upstream = await serve(script)
    pool = pool_of(upstream)
    for _ in range(2):
        assert await (await pool.open(CALL)).read() == b"ok"
    assert (upstream.connections, pool.retried) == (2, 1)


async def test_the_retry_is_not_retried(serve, pool_of):
    seen: list[bytes] = []

    async def script(peer):
        request = await peer.request()
        seen.append(request.body)
        if peer.number == 0:
            await peer.send(OK)
            seen.append((await peer.request()).body)

    upstream = await serve(script)
    pool = pool_of(upstream)
    await (await pool.open(Call("/x", b"first"))).read()
    with pytest.raises(BackendFailure) as caught:
        await pool.open(Call("/x", b"second"))
    assert (caught.value.kind, caught.value.sent) == ("reset", False)
    assert seen == [b"first", b"second", b"second"]
    assert upstream.connections == 2


@pytest.mark.parametrize("how", ["fin", "rst"])
async def test_a_fresh_connection_is_never_retried(serve, pool_of, how):
    async def script(peer):
        await peer.request()
        if how == "rst":
            peer.reset()

    upstream = await serve(script)
    pool = pool_of(upstream)
    with pytest.raises(BackendFailure, match="before it answered") as caught:
        await pool.open(CALL)
    assert (caught.value.kind, caught.value.sent) == ("reset", False)
    assert (upstream.connections, pool.retried) == (1, 0)


@pytest.mark.parametrize("first", [b"H", head(status="100 Continue"), head("content-length: 2")])
async def test_after_a_byte_nothing_is_retried(serve, pool_of, first):
    async def script(peer):
        await peer.request()
        await peer.send(OK)
        await peer.request()
        await peer.send(first)

    upstream = await serve(script)
    pool = pool_of(upstream)
    await (await pool.open(CALL)).read()
    with pytest.raises(BackendFailure) as caught:
        await (await pool.open(CALL)).read()
    assert (caught.value.kind, caught.value.sent) == ("reset", True)
    assert (upstream.connections, pool.retried) == (1, 0)


async def test_a_time_out_is_not_retried(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(OK)
        await peer.gone()

    upstream = await serve(script)
    pool = pool_of(upstream)
    await (await pool.open(CALL)).read()
    with pytest.raises(BackendFailure) as caught:
        await pool.open(Call("/x", b"", first_byte=0.05))
    assert caught.value.kind == "first_byte_timeout"
    assert (upstream.connections, pool.retried) == (1, 0)


async def test_a_connection_that_is_closed_as_soon_as_it_is_made(serve, pool_of):
    async def script(peer):
        peer.reset()

    pool = pool_of(await serve(script))
    for _ in range(20):
        with pytest.raises(BackendFailure) as caught:
            await pool.open(CALL)
        assert caught.value.kind == "reset"
        assert not caught.value.sent


async def test_a_connection_that_died_before_its_first_call(pool_of):
    pool = pool_of("http://127.0.0.1:1")
    loop = asyncio.get_running_loop()
    connection = Connection(pool.origin.name, Limits(), loop, lambda _: None, lambda _: None)
    connection.connection_lost(None)
    with pytest.raises(BackendFailure, match="as soon as it was made"):
        await connection.exchange(b"GET / HTTP/1.1\r\n\r\n", b"", 5, 5)


async def test_closing_lets_calls_finish_and_takes_no_new_ones(serve, pool_of):
    go = asyncio.Event()

    async def script(peer):
        while await peer.request() is not None:
            await peer.send(head("content-length: 2"), b"o")
            await go.wait()
            await peer.send(b"k")

    upstream = await serve(script)
    pool = pool_of(upstream)
    go.set()
    for stream in await asyncio.gather(pool.open(CALL), pool.open(CALL)):
        await stream.read()
    go.clear()
    under_way = await pool.open(CALL)
    await pool.close()
    await settled(lambda: upstream.ended == 1)
    with pytest.raises(BackendFailure, match="is closed") as caught:
        await pool.open(CALL)
    assert caught.value.kind == "connect"
    go.set()
    assert await under_way.read() == b"ok"
    await settled(lambda: upstream.ended == 2)
    await pool.close()


async def test_no_task_is_made_for_a_call_on_a_kept_connection(serve, pool_of, monkeypatch):
    pool = pool_of(await serve(answering(OK)))
    await (await pool.open(CALL)).read()
    made: list[object] = []
    loop = asyncio.get_running_loop()
    before = len(asyncio.all_tasks())
    loop.set_task_factory(lambda loop, coro, **more: made.append(coro) or asyncio.Task(coro, loop=loop, **more))
    try:
        for _ in range(10):
            await (await pool.open(CALL)).read()
    finally:
        loop.set_task_factory(None)
    assert made == []
    assert len(asyncio.all_tasks()) == before
