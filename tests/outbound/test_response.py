"""How far an answer goes when the clock cuts it off."""

from __future__ import annotations

import asyncio

from pointsman.outbound.response import Response


async def test_the_clock_cuts_a_body_off():
    reader = asyncio.StreamReader()
    response = Response("h:80", 100)
    reading = asyncio.create_task(response.read(reader))
    reader.feed_data(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf")
    for _ in range(3):
        await asyncio.sleep(0)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    answer = response.answer("too_late")
    assert answer is not None
    assert (answer.status, answer.body, answer.ended) == (200, b"half", "too_late")


async def test_without_a_whole_head_there_is_no_answer():
    reader = asyncio.StreamReader()
    response = Response("h:80", 100)
    reader.feed_data(b"HTTP/1.1 200 OK\r\ncontent-le")
    reader.feed_eof()
    await response.read(reader)
    assert response.answer("broken") is None


async def test_byte_by_byte():
    reader = asyncio.StreamReader()
    response = Response("h:80", 100)
    reading = asyncio.create_task(response.read(reader))
    for byte in b"HTTP/1.1 200 OK\r\nA: b\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n":
        reader.feed_data(bytes([byte]))
        await asyncio.sleep(0)
    await reading
    answer = response.answer("broken")
    assert answer is not None
    assert (answer.headers, answer.body, answer.ended) == (
        (("a", "b"), ("transfer-encoding", "chunked")),
        b"abc",
        "whole",
    )
