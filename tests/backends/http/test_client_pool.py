"""Connections: how many, how long, and what happens when one turns out to be stale."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time

import pytest
from scripted_upstream import answering, head, sized

from pointsman.backends.http import Limits, Traffic, connection, pool
from pointsman.backends.http.connection import Connection
from pointsman.backends.http.knock import Heard
from pointsman.ports.backend import BackendFailure, Call

CALL = Call("/v1/chat/completions", b"{}", first_byte=20.0, idle=20.0)
OK = sized(b"ok")


async def settled(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.002)


async def test_fifty_calls_one_connection(serve, pool_of):
    upstream = await serve(answering(OK))
    pool = pool_of(upstream)
    for _ in range(50):
        assert await (await pool.open(CALL)).read() == b"ok"
    assert upstream.connections == 1
    assert (pool.traffic.requests, pool.traffic.opened, pool.traffic.reused, pool.traffic.retried) == (50, 1, 49, 0)


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
    assert upstream.connections == pool.traffic.opened == pool.idle == 8
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
    await settled(lambda: len(lived) >= 3 and pool.idle == 0)
    assert all(0.09 < seconds < 15 for seconds in lived)


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
    assert (pool.traffic.opened, pool.traffic.retried) == (2, 0)


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
    assert (pool.traffic.requests, pool.traffic.opened, pool.traffic.reused, pool.traffic.retried) == (4, 4, 1, 1)


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
    assert (upstream.connections, pool.traffic.retried) == (2, 1)


async def test_a_reset_long_after_the_request_is_the_engines_own_and_not_retried(serve, pool_of, monkeypatch):
    """It had the request, and may have died of it."""
    seen: list[bytes] = []

    async def script(peer):
        for answer in (OK, b""):
            seen.append((await peer.request()).body)
            await peer.send(answer)

    monkeypatch.setattr(pool, "STALE", -1.0)
    upstream = await serve(script)
    clients = pool_of(upstream)
    await (await clients.open(Call("/x", b"first"))).read()
    with pytest.raises(BackendFailure) as caught:
        await clients.open(Call("/x", b"second"))
    assert (caught.value.kind, caught.value.sent) == ("reset", False)
    assert seen == [b"first", b"second"]
    assert clients.traffic == Traffic(requests=2, opened=1, reused=1, retried=0)


class Blocking:
    """A server in a thread: it acts while the client's loop stands still."""

    def __init__(self, *answers: bytes) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.idle = threading.Event()
        self._answers = answers
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Blocking:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self._thread.join(5)

    def _serve(self) -> None:
        """Each connection: one request, its answer, then, a moment later, the bytes that nobody asked for."""
        for answer in self._answers:
            peer, _ = self.socket.accept()
            with peer, contextlib.suppress(OSError):
                peer.recv(65536)
                peer.sendall(OK)
                time.sleep(0.02)
                if answer:
                    peer.sendall(answer)
                else:
                    peer.shutdown(socket.SHUT_WR)
                self.idle.set()
                peer.recv(65536)


@pytest.mark.parametrize("unread", [sized(b"evil"), b"H", b""], ids=["a response", "a byte", "the end"])
async def test_what_lies_unread_in_the_socket_is_no_answer_to_the_next_call(pool_of, unread):
    """The loop was busy and has not seen it yet."""
    with Blocking(unread, b"H") as server:
        clients = pool_of(server.url)
        assert await (await clients.open(CALL)).read() == b"ok"
        assert server.idle.wait(30)
        time.sleep(0.02)
        assert clients.idle == 1
        assert await (await clients.open(CALL)).read() == b"ok"
        assert clients.traffic == Traffic(requests=2, opened=2, reused=0, retried=0)
        await clients.close()


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("timeout=5, max=100", 4.0),
        ("timeout=75", 4.0),
        ("timeout=2", 1.6),
        ("max=7, Timeout=1", 0.8),
        ("timeout=0", None),
        ("timeout=x", 4.0),
        ("untimeout=1", 4.0),
        ("timeout=9999999999999999999", 4.0),
    ],
)
async def test_a_connection_is_kept_no_longer_than_its_engine_says(serve, pool_of, told, seconds):
    clients = pool_of(await serve(answering(sized(b"ok", f"Keep-Alive: {told}"))))
    began = asyncio.get_running_loop().time()
    await (await clients.open(CALL)).read()
    if seconds is None:
        assert clients.idle == 0
        return
    kept = clients._idle[0].expires - asyncio.get_running_loop().time()
    spent = asyncio.get_running_loop().time() - began
    assert seconds - spent - 1e-6 <= kept <= seconds + 1e-6


async def test_the_one_that_expires_first_is_closed_first(serve, pool_of, monkeypatch):
    monkeypatch.setattr(connection, "_EARLIER", 0.1)
    upstream = await serve(lambda peer: answering(sized(b"ok", *["keep-alive: timeout=1"] * (peer.number == 1)))(peer))
    clients = pool_of(upstream)
    for stream in await asyncio.gather(clients.open(CALL), clients.open(CALL)):
        await stream.read()
    assert clients.idle == 2
    await settled(lambda: clients.idle == 1 and upstream.ended == 1)


async def test_pools_may_count_together(serve, pool_of):
    upstream, traffic = await serve(answering(OK)), Traffic()
    for _ in range(2):
        clients = pool_of(upstream, traffic=traffic)
        for _ in range(3):
            await (await clients.open(CALL)).read()
    assert traffic == Traffic(requests=6, opened=2, reused=4, retried=0)


async def test_a_transport_that_is_closing_takes_no_call(pool_of):
    """uvloop's raises RuntimeError when it is written to, and the loss of the connection is told later."""

    class Closing:
        def get_extra_info(self, name: str) -> None:
            return None

        def is_closing(self) -> bool:
            return True

        def abort(self) -> None:
            pass

    loop = asyncio.get_running_loop()
    made = Connection("h:1", Limits(), loop, lambda _: None, lambda _: None, Heard())
    made.connection_made(Closing())
    made.expires = loop.time() + 100
    assert not made.usable()
    with pytest.raises(BackendFailure) as caught:
        await made.exchange(b"GET / HTTP/1.1\r\n\r\n", b"", 5, 5)
    assert (caught.value.kind, caught.value.sent) == ("reset", False)


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
    assert (upstream.connections, pool.traffic.retried) == (1, 0)


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
    assert (upstream.connections, pool.traffic.retried) == (1, 0)


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
    assert (upstream.connections, pool.traffic.retried) == (1, 0)


async def test_a_connection_that_is_closed_as_soon_as_it_is_made(serve, pool_of):
    async def script(peer):
        peer.reset()

    pool = pool_of(await serve(script))
    for _ in range(20):
        with pytest.raises(BackendFailure) as caught:
            await pool.open(CALL)
        assert caught.value.kind in ("reset", "connect")  # where the machine is slow, it is over before it is begun
        assert not caught.value.sent


async def test_a_connection_that_died_before_its_first_call(pool_of):
    pool = pool_of("http://127.0.0.1:1")
    loop = asyncio.get_running_loop()
    connection = Connection(pool.origin.name, Limits(), loop, lambda _: None, lambda _: None, Heard())
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
