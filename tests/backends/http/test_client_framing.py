"""Responses, well-formed and not, as a real server sends them."""

from __future__ import annotations

import asyncio

import pytest
from scripted_upstream import CHUNKED, answering, chunk, head, once, sized

from pointsman.backends.http import Limits
from pointsman.ports.backend import BackendFailure, Call

CALL = Call("/v1/chat/completions", b'{"stream":true}', first_byte=20.0, idle=20.0)
EVENTS = ["data: 道岔\n\n".encode(), b"data: a\r\nb\n\n", b"data: [DONE]\n\n"]
STREAM = CHUNKED + b"".join(map(chunk, EVENTS)) + b"0\r\n\r\n"
SIZED = sized(b"".join(EVENTS), "x-empty:", "X-Mixed: \t a  ")
INTERIM = head(status="100 Continue") + head("link: </x>", status="103 Early Hints")


async def collected(stream) -> bytes:
    return b"".join([piece async for piece in stream.chunks()])


@pytest.mark.parametrize("wire", [STREAM, SIZED, INTERIM + SIZED], ids=["chunked", "sized", "after-1xx"])
async def test_split_at_every_byte_the_body_is_the_same(serve, pool_of, wire):
    cuts = iter(range(1, len(wire)))

    async def script(peer):
        while await peer.request() is not None:
            cut = next(cuts)
            await peer.send(wire[:cut], wire[cut:], gap=0.001)

    upstream = await serve(script)
    pool = pool_of(upstream)
    for _ in range(1, len(wire)):
        stream = await pool.open(CALL)
        assert (stream.status, await collected(stream)) == (200, b"".join(EVENTS))
    assert upstream.connections == 1


async def test_what_came_before_the_head_is_no_part_of_it(serve, pool_of):
    stream = await pool_of(await serve(answering(INTERIM + sized(b"", "a: b")))).open(CALL)
    assert stream.headers == [("content-length", "0"), ("a", "b")]


async def test_one_byte_a_segment(serve, pool_of):
    pool = pool_of(await serve(answering(*(bytes([byte]) for byte in STREAM), gap=0.0005)))
    assert await collected(await pool.open(CALL)) == b"".join(EVENTS)


async def test_chunks_come_as_they_were_read(serve, pool_of):
    parts = [CHUNKED, *map(chunk, EVENTS), b"0\r\n\r\n"]
    pool = pool_of(await serve(answering(*parts, gap=0.01)))
    stream = await pool.open(CALL)
    assert b"".join([piece async for piece in stream.chunks()]) == b"".join(EVENTS)


@pytest.mark.parametrize("wire", [STREAM, SIZED], ids=["chunked", "sized"])
async def test_closed_at_every_byte_is_a_reset(serve, pool_of, wire):
    cuts = iter(range(len(wire)))

    async def script(peer):
        await peer.request()
        await peer.send(wire[: next(cuts)])

    pool = pool_of(await serve(script))
    body = b"".join(EVENTS)
    for cut in range(len(wire)):
        got = b""
        with pytest.raises(BackendFailure) as caught:
            async for piece in (await pool.open(CALL)).chunks():
                got += piece
        assert caught.value.kind == "reset"
        assert caught.value.sent == (cut > 0)
        assert "closed the connection" in caught.value.message
        assert body.startswith(got)
    assert pool.traffic.retried == 0


async def test_a_body_without_length_ends_with_the_connection(serve, pool_of):
    upstream = await serve(once(head("content-type: text/plain"), b"abc", b"def"))
    pool = pool_of(upstream)
    for _ in range(2):
        assert await (await pool.open(CALL)).read() == b"abcdef"
    assert upstream.connections == 2
    assert pool.idle == 0


async def test_a_reset_does_not_end_a_body_without_length(serve, pool_of):
    async def script(peer):
        await peer.request()
        await peer.send(head(), b"abc")
        await peer.reader.read(1) if peer.number else peer.reset()

    pool = pool_of(await serve(script))
    with pytest.raises(BackendFailure) as caught:
        await (await pool.open(CALL)).read()
    assert (caught.value.kind, caught.value.sent) == ("reset", True)


@pytest.mark.parametrize(
    ("answer", "reused"),
    [
        (sized(b"x", "connection: close"), False),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", False),
        (b"HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\nx", True),
        (sized(b"x"), True),
        (sized(b"x", "upgrade: h2c", "connection: upgrade"), True),
    ],
    ids=["close", "1.0", "1.0-keep-alive", "1.1", "upgrade-offered"],
)
async def test_what_the_engine_says_about_the_connection(serve, pool_of, answer, reused):
    upstream = await serve(answering(answer))
    pool = pool_of(upstream)
    for _ in range(3):
        assert await (await pool.open(CALL)).read() == b"x"
    assert upstream.connections == (1 if reused else 3)


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        ("204 No Content", ()),
        ("304 Not Modified", ()),
        ("304 Not Modified", ("content-length: 9",)),
        ("304 Not Modified", ("transfer-encoding: chunked",)),
    ],
)
async def test_no_body_by_status(serve, pool_of, status, lines):
    upstream = await serve(answering(head(*lines, status=status)))
    pool = pool_of(upstream)
    for _ in range(2):
        stream = await pool.open(CALL)
        assert (stream.status, await stream.read()) == (int(status[:3]), b"")
    assert upstream.connections == 1


@pytest.mark.parametrize(
    "body",
    [
        chunk(b"hello", b';a=b;c="d e"') + b"0\r\n\r\n",
        b"00000005;x\r\nhello\r\n000\r\n\r\n",
        chunk(b"he") + chunk(b"llo") + b"0\r\nx-trailer: a\r\nx-other: b\r\n\r\n",
        chunk(b"hello") + b"0;last\r\n\r\n",
    ],
    ids=["extensions", "zeros", "trailers", "last-extension"],
)
async def test_chunked_oddities(serve, pool_of, body):
    upstream = await serve(answering(CHUNKED + body))
    pool = pool_of(upstream)
    for _ in range(3):
        stream = await pool.open(CALL)
        assert await stream.read() == b"hello"
        assert [name for name, _ in stream.headers] == ["content-type", "transfer-encoding"]
    assert upstream.connections == 1


async def test_upper_case_hex_and_nothing_at_all(serve, pool_of):
    for body, expected in ((b"1A\r\n" + b"x" * 26 + b"\r\n0\r\n\r\n", b"x" * 26), (b"0\r\n\r\n", b"")):
        pool = pool_of(await serve(answering(CHUNKED + body)))
        assert await (await pool.open(CALL)).read() == expected


@pytest.mark.parametrize(
    "body",
    [
        b"x\r\n",
        b"-1\r\n",
        b"+1\r\n",
        b"0x1\r\na\r\n",
        b"1 \r\na\r\n",
        b"1\r\nab\r\n",
        b"1\na\n",
        b"f" * 17 + b"\r\n",
        b"\r\n",
    ],
)
async def test_bad_chunks_are_a_protocol_failure_after_what_was_good(serve, pool_of, body):
    pool = pool_of(await serve(answering(CHUNKED + chunk(b"good") + body)))
    stream = await pool.open(CALL)
    assert (await anext(stream.chunks())).startswith(b"good")
    with pytest.raises(BackendFailure, match="no valid HTTP") as caught:
        await stream.read()
    assert (caught.value.kind, caught.value.sent) == ("protocol", True)
    assert pool.idle == 0


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"<html>\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/0.9 200 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        head(status="099 What"),
        head(status="999 What"),
        head("upgrade: x", "connection: upgrade", status="101 Switching Protocols"),
        head("content-length: 1", "content-length: 1") + b"x",
        head("content-length: 1", "content-length: 2") + b"xy",
        head("content-length: 1", "transfer-encoding: chunked") + b"1\r\nx\r\n0\r\n\r\n",
        head("content-length: -1"),
        head("content-length: 99999999999999999999"),
        head("transfer-encoding: gzip") + b"x",
        head("transfer-encoding: gzip, chunked") + b"0\r\n\r\n",
        head("transfer-encoding: chunked, gzip") + b"x",
        head("a: b", " folded"),
        head("a : b"),
        head("a: b\0c"),
        b"HTTP/1.1 200 OK\ncontent-length: 1\n\nx",
    ],
)
async def test_heads_that_are_refused(serve, pool_of, answer):
    pool = pool_of(await serve(answering(answer)))
    with pytest.raises(BackendFailure, match=r"answer of 127\.0\.0\.1:\d+ is no valid HTTP: ") as caught:
        await pool.open(CALL)
    assert (caught.value.kind, caught.value.sent) == ("protocol", True)


@pytest.mark.parametrize("lines", [(), ("upgrade: x", "connection: upgrade")])
async def test_a_switch_of_protocols_is_refused(serve, pool_of, lines):
    answer = head(*lines, status="101 Switching Protocols")
    with pytest.raises(BackendFailure, match="it switched protocols without being asked"):
        await pool_of(await serve(answering(answer))).open(CALL)


@pytest.mark.parametrize(
    "bomb",
    [
        [head(*(f"x-{number}: y" for number in range(129)))],
        [head("x: " + "y" * (65 << 10))],
        [b"HTTP/1.1 200 OK\r\nx: ", *[b"y" * 8192] * 20],
        [b"HTTP/1.1 200 " + b"y" * 8192, *[b"y" * 8192] * 20],
        [INTERIM * 100] * 40,
        [CHUNKED, chunk(b"a"), b"1;x=", *[b"y" * 8192] * 20],
        [CHUNKED, chunk(b"a"), b"0\r\nx-trailer: ", *[b"y" * 8192] * 20],
        [CHUNKED, chunk(b"a"), b"0\r\n", *[b"x: y\r\n" * 1000] * 20],
    ],
    ids=["count", "size", "endless-line", "endless-reason", "1xx", "extension", "trailer", "trailers"],
)
async def test_bombs(serve, pool_of, bomb):
    pool = pool_of(await serve(answering(*bomb, gap=0.001)))
    with pytest.raises(BackendFailure, match="more than") as caught:
        await (await pool.open(CALL)).read()
    assert (caught.value.kind, caught.value.sent) == ("protocol", True)


async def test_limits_are_settings(serve, pool_of):
    upstream = await serve(answering(sized(b"", "a: b", "c: d")))
    assert (await pool_of(upstream, limits=Limits(headers=3)).open(CALL)).status == 200
    with pytest.raises(BackendFailure, match="more than 2 headers"):
        await pool_of(upstream, limits=Limits(headers=2)).open(CALL)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (head("content-length: 5", status="204 No Content") + b"hello", 204),
        (head(status="204 No Content") + b"hello", 204),
        (head("content-length: 5", status="304 Not Modified") + b"hello", 304),
        (head("transfer-encoding: chunked", status="304 Not Modified") + b"5\r\nhello\r\n0\r\n\r\n", 304),
    ],
)
async def test_a_body_where_none_may_be_is_junk(serve, pool_of, answer, status):
    upstream = await serve(answering(answer))
    pool = pool_of(upstream)
    for number in range(2):
        stream = await pool.open(CALL)
        assert (stream.status, await stream.read()) == (status, b"")
        assert pool.idle == 0
        assert upstream.connections == number + 1


async def test_http_1_0_until_the_end(serve, pool_of):
    upstream = await serve(once(b"HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n", b"abc", b"def"))
    pool = pool_of(upstream)
    for _ in range(2):
        assert await (await pool.open(CALL)).read() == b"abcdef"
    assert upstream.connections == 2


async def test_a_length_longer_than_the_body_is_a_reset(serve, pool_of):
    stream = await pool_of(await serve(once(head("content-length: 9") + b"abc"))).open(CALL)
    assert await anext(stream.chunks()) == b"abc"
    with pytest.raises(BackendFailure) as caught:
        await stream.read()
    assert (caught.value.kind, caught.value.sent) == ("reset", True)


@pytest.mark.parametrize("framing", ["sized", "chunked", "eof"])
async def test_a_body_without_an_end_ends(serve, pool_of, framing):
    """Also where it is only handed on and never held."""
    lines = {"sized": ["content-length: 1000000"], "chunked": ["transfer-encoding: chunked"], "eof": []}[framing]
    block = b"x" * 1000

    async def script(peer):
        await peer.request()
        peer.writer.write(head(*lines))
        for _ in range(1000):
            peer.writer.write(chunk(block) if framing == "chunked" else block)
            await peer.writer.drain()

    upstream = await serve(script)
    pool = pool_of(upstream, limits=Limits(body_bytes=100_000))
    got = 0
    with pytest.raises(BackendFailure, match="sent a body of more than 100000 bytes") as caught:
        async for piece in (await pool.open(CALL)).chunks():
            got += len(piece)
    assert (caught.value.kind, caught.value.sent) == ("protocol", True)
    assert got <= 100_000
    assert pool.idle == 0


async def test_a_body_as_large_as_allowed(serve, pool_of):
    upstream = await serve(answering(sized(b"x" * 1000)))
    pool = pool_of(upstream, limits=Limits(body_bytes=1000))
    for _ in range(2):
        assert await (await pool.open(CALL)).read() == b"x" * 1000
    assert upstream.connections == 1
    with pytest.raises(BackendFailure, match="more than 999 bytes"):
        await (await pool_of(upstream, limits=Limits(body_bytes=999)).open(CALL)).read()


@pytest.mark.parametrize("junk", [b"x", b"HTT", sized(b"evil"), b"\0" * 100])
@pytest.mark.parametrize("framing", ["sized", "chunked"])
async def test_junk_behind_a_response_ends_the_connection_and_never_answers_the_next_call(
    serve, pool_of, junk, framing
):
    good = sized(b"good") if framing == "sized" else CHUNKED + chunk(b"good") + b"0\r\n\r\n"
    upstream = await serve(answering(good + junk))
    pool = pool_of(upstream)
    for number in range(3):
        assert await (await pool.open(CALL)).read() == b"good"
        assert pool.idle == 0
        assert upstream.connections == number + 1


async def test_junk_that_comes_later_ends_the_idle_connection(serve, pool_of):
    upstream = await serve(answering(sized(b"good"), sized(b"evil"), gap=0.1))
    pool = pool_of(upstream)
    for number in range(3):
        assert await (await pool.open(CALL)).read() == b"good"
        assert pool.idle == 1
        async with asyncio.timeout(20):
            while pool.idle:
                await asyncio.sleep(0.005)
        assert upstream.connections == number + 1


async def test_headers_are_told_as_they_came(serve, pool_of):
    answer = head(
        "X-Empty:", "X-Mixed: \t a b \t", "set-cookie: 1", "Set-Cookie: 2", "x-latin: \xe9", "content-length: 0"
    )
    stream = await pool_of(await serve(answering(answer))).open(CALL)
    assert stream.headers == [
        ("x-empty", ""),
        ("x-mixed", "a b"),
        ("set-cookie", "1"),
        ("set-cookie", "2"),
        ("x-latin", "\xe9"),
        ("content-length", "0"),
    ]
    assert (stream.header("x-mixed"), stream.header("Set-Cookie"), stream.header("nope")) == ("a b", "1", None)
