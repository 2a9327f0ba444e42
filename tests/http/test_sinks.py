"""Bodies that are taken as they come: in pieces, held where they come too fast, dropped where nothing comes of them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable

import pytest

from pointsman.config.schema import Auth
from pointsman.domain.errors import PointsmanError
from pointsman.http.auth import Keys
from pointsman.http.cors import Cors
from pointsman.http.exchange import Client
from pointsman.http.gateway import Doors, Gateway
from pointsman.http.server import Server

LIMIT = 1 << 20


class Bowl:
    """A sink that counts. `held` bytes at a time are let in while it is `full`."""

    limit = LIMIT

    def __init__(self, client: Client, full: bool) -> None:
        self.client = client
        self.full = full
        self.pieces: list[int] = []
        self.finished = 0
        self.dropped = 0

    def feed(self, data: bytes) -> None:
        self.pieces.append(len(data))
        if self.full:
            self.client.hold()

    def refusal(self, size: int | None) -> PointsmanError:
        return PointsmanError(f"at most {self.limit}, not {size}", status=413, code="bowl_full")

    async def finish(self, client: Client) -> None:
        self.finished += 1
        client.json(200, sum(self.pieces))

    def drop(self) -> None:
        self.dropped += 1


class House:
    def __init__(self) -> None:
        self.bowls: list[Bowl] = []
        self.full = False
        self.port = 0

    def bowl(self, client: Client) -> Bowl:
        self.bowls.append(Bowl(client, self.full))
        return self.bowls[-1]

    async def slow(self, client: Client, _: bytes) -> None:
        await asyncio.Event().wait()

    async def sent(self, *pieces: bytes) -> bytes:
        """What comes back until the gateway closes, or what was sent is answered."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.01)
            return await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


@contextlib.asynccontextmanager
async def listening() -> AsyncIterator[House]:
    house = House()
    doors = Doors(
        gets={},
        posts={"/slow": house.slow},
        deletes={},
        keys=Keys(Auth()),
        cors=Cors([]),
        max_body=10,
        intakes={"/take": house.bowl},
    )
    server = Server(Gateway(doors))
    listener = socket.create_server(("127.0.0.1", 0))
    house.port = listener.getsockname()[1]
    await server.listen(listener)
    try:
        yield house
    finally:
        await server.close(0.1)


def head(length: int, path: str = "/take") -> bytes:
    return b"POST %b HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % (path.encode(), length)


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.005)


async def test_a_body_larger_than_others_may_be_comes_in_pieces():
    async with listening() as house:
        assert b" 200 " in await house.sent(head(3 * 1000), *[b"x" * 1000] * 3)
        assert house.bowls[0].pieces == [1000] * 3 and (house.bowls[0].finished, house.bowls[0].dropped) == (1, 0)


@pytest.mark.parametrize("chunked", [False, True])
async def test_one_that_is_too_large_hears_it_from_the_sink(chunked: bool):
    async with listening() as house:
        if chunked:
            lines = b"POST /take HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
            piece = b"80000\r\n" + b"x" * 0x80000 + b"\r\n"
            reply = await house.sent(lines, piece, piece, piece)
            assert (house.bowls[0].finished, house.bowls[0].dropped) == (0, 1)
        else:
            reply = await house.sent(head(LIMIT + 1))
            assert (house.bowls[0].finished, house.bowls[0].pieces) == (0, [])
        assert reply.startswith(b"HTTP/1.1 413 ")


async def test_a_body_that_breaks_off_is_dropped():
    async with listening() as house:
        _, writer = await asyncio.open_connection("127.0.0.1", house.port)
        writer.write(head(100) + b"x" * 50)
        await until(lambda: house.bowls and house.bowls[0].pieces)
        writer.close()
        await until(lambda: house.bowls[0].dropped)
        assert (house.bowls[0].finished, house.bowls[0].dropped) == (0, 1)


async def test_a_body_that_is_no_http_is_dropped():
    async with listening() as house:
        lines = b"POST /take HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n"
        assert (await house.sent(lines)).startswith(b"HTTP/1.1 400 ")
        assert (house.bowls[0].pieces, house.bowls[0].finished, house.bowls[0].dropped) == ([5], 0, 1)


async def test_one_that_waits_behind_another_request_is_dropped_with_the_connection():
    async with listening() as house:
        _, writer = await asyncio.open_connection("127.0.0.1", house.port)
        writer.write(head(2, "/slow") + b"{}" + head(5) + b"hello")
        await until(lambda: house.bowls and house.bowls[0].pieces)
        writer.close()
        await until(lambda: house.bowls[0].dropped)
        assert (house.bowls[0].finished, house.bowls[0].dropped) == (0, 1)


async def test_a_sink_that_is_full_holds_the_client_up():
    async with listening() as house:
        house.full = True
        Bowl.limit = 64 << 20
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
            writer.write(head(32 << 20) + b"x" * (32 << 20))
            await until(lambda: house.bowls and house.bowls[0].pieces)
            bowl = house.bowls[0]
            await asyncio.sleep(0.05)
            assert len(bowl.pieces) == 1
            bowl.full = False
            bowl.client.resume()
            assert b" 200 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
            assert sum(bowl.pieces) == 32 << 20
            writer.close()
        finally:
            Bowl.limit = LIMIT


async def test_queries_are_read_and_paths_are_what_they_were():
    seen: list[tuple[str, str | None, str | None]] = []

    def show(client: Client) -> None:
        seen.append((client.path, client.argument("a"), client.argument("none")))
        client.json(200, {})

    async with listening() as house:
        doors = Doors({"/it": show}, {}, {}, Keys(Auth()), Cors([]), 10)
        server = Server(Gateway(doors))
        listener = socket.create_server(("127.0.0.1", 0))
        house.port = listener.getsockname()[1]
        await server.listen(listener)
        for target in (b"/it", b"/it?", b"/it?a=1&a=2", b"/it?a=%E4%B8%80+b", b"/%69t?a", b"/it?b=1#a=2", b"/it?a=%ff"):
            await house.sent(b"GET %b HTTP/1.1\r\nhost: x\r\n\r\n" % target)
        await server.close(0.1)
    assert [path for path, _, _ in seen] == ["/it"] * 7 and {none for _, _, none in seen} == {None}
    assert [a for _, a, _ in seen] == [None, None, "1", "一 b", "", None, "�"]
