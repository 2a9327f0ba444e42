"""What is called a good stream is one."""

from __future__ import annotations

import pytest

from pointsman.bench.canned import DONE, payloads
from pointsman.bench.event_check import EventCheck, TextCheck, WrongStream

EXPECTED = payloads(5)


def body(parts: list[bytes], end: bytes = b"\n\n") -> bytes:
    return b"".join(b"data: " + part + end for part in parts)


def read(data: bytes, size: int = 1 << 20) -> None:
    check = EventCheck(EXPECTED)
    for start in range(0, len(data), size):
        check.feed(data[start : start + size])
    check.finish()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1 << 20])
def test_the_right_stream_split_anywhere(size: int) -> None:
    read(body(EXPECTED), size)


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_what_sse_readers_skip_is_skipped(size: int) -> None:
    parts = [b": heartbeat\n\n", *(b"event: x\nid: 1\ndata:" + part + b"\n\n" for part in EXPECTED), b": end\n\n"]
    read(b"".join(parts), size)
    read(body(EXPECTED, b"\r\n\r\n"), size)


@pytest.mark.parametrize(
    "parts",
    [
        [EXPECTED[0].replace(b"0", b"1"), *EXPECTED[1:]],
        [EXPECTED[1], EXPECTED[0], *EXPECTED[2:]],
        [*EXPECTED[:2], *EXPECTED[3:]],
        [EXPECTED[0], *EXPECTED],
        [*EXPECTED, DONE],
        EXPECTED[:-1],
        [],
    ],
    ids=["changed", "swapped", "missing", "twice", "after the end", "no [DONE]", "nothing"],
)
def test_anything_else_is_not(parts: list[bytes]) -> None:
    with pytest.raises(WrongStream):
        read(body(parts))


def test_an_event_that_is_cut_off() -> None:
    with pytest.raises(WrongStream, match="ended after 5 of 6"):
        read(body(EXPECTED)[:-4])


def test_it_starts_anew() -> None:
    check = EventCheck(EXPECTED)
    check.feed(body(EXPECTED[:2]) + b"data: half")
    check.restart()
    check.feed(body(EXPECTED))
    check.finish()


def remade(parts: list[bytes]) -> bytes:
    """As a gateway that makes events of its own writes them."""
    return body([part.replace(b"bench-model", b"auto").replace(b'"content"', b'"x":1,"content"') for part in parts])


@pytest.mark.parametrize("size", [1, 9, 1 << 20])
def test_only_the_text(size: int) -> None:
    check = TextCheck(EXPECTED)
    for _ in range(2):
        check.restart()
        data = remade(EXPECTED)
        for start in range(0, len(data), size):
            check.feed(data[start : start + size])
        check.finish()


@pytest.mark.parametrize(
    "parts",
    [EXPECTED[:-1], EXPECTED[1:3], [*EXPECTED, DONE], [*EXPECTED[:2], EXPECTED[1], *EXPECTED[2:]], [b"{", *EXPECTED]],
    ids=["no [DONE]", "missing", "after the end", "twice", "no JSON"],
)
def test_another_text(parts: list[bytes]) -> None:
    check = TextCheck(EXPECTED)
    with pytest.raises(WrongStream):
        check.feed(remade(parts))
        check.finish()
