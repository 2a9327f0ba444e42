"""What one read of the socket brings goes on in one piece, and before whatever ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pointsman.backends.http.connection import Connection
from pointsman.backends.http.knock import Heard
from pointsman.backends.http.limits import Limits
from pointsman.ports.backend import BackendFailure

HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


class Wire(asyncio.Transport):
    """Takes everything."""

    def write(self, data: Any) -> None:
        """It is gone."""

    def is_closing(self) -> bool:
        return False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def pause_reading(self) -> None:
        """There is nothing that could come."""

    def resume_reading(self) -> None:
        """The same."""

    def abort(self) -> None:
        """Nobody is there."""


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def poured(*reads: bytes) -> tuple[list[bytes], BackendFailure | None]:
    """What a sink got of these reads, each a call of its own, and how it ended."""
    loop = asyncio.get_running_loop()
    connection = Connection("engine", Limits(), loop, lambda _: None, lambda _: None, Heard())
    connection.connection_made(Wire())
    exchange = asyncio.ensure_future(connection.exchange(b"", b"", 5.0, 5.0))
    await asyncio.sleep(0)
    connection.data_received(HEAD)
    stream = await exchange
    got: list[bytes] = []

    def sink(data: bytes) -> bool:
        got.append(data)
        return True

    room: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(0)  # noqa: E731
    pouring = asyncio.ensure_future(stream.pour(sink, room))
    await asyncio.sleep(0)
    for data in reads:
        connection.data_received(data)
    try:
        await asyncio.wait_for(pouring, 5.0)
    except BackendFailure as failure:
        return got, failure
    finally:
        connection.abort()
    return got, None


@pytest.mark.parametrize("last", [b"0\r\n\r\n", b"1\r\n!\r\n0\r\n\r\n"])
def test_chunks_of_one_read_are_one_piece(last: bytes):
    got, failure = asyncio.run(poured(chunk(b"a") + chunk(b"bc") + chunk(b"d"), chunk(b"e"), chunk(b"f") + last))
    assert got == [b"abcd", b"e", b"f" if last.startswith(b"0") else b"f!"]
    assert failure is None


def test_what_came_before_nonsense_is_passed_on_first():
    got, failure = asyncio.run(poured(chunk(b"a") + chunk(b"b") + b"no size\r\n"))
    assert got == [b"ab"]
    assert failure is not None
    assert failure.kind == "protocol"
