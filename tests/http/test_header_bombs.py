"""The head of a request is bounded: what is too large is told, and costs no memory."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.engine import Door, assert_error, door, read_reply
from thorough import tries


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door() as opened:
        yield opened


def told(sock: socket.socket, status: int) -> None:
    reply = read_reply(sock)
    assert reply.status == status
    assert_error(reply.json)
    assert reply.headers["connection"] == "close"


@pytest.mark.parametrize("size", [70_000, 100_000, 300_000, 2_000_000])
def test_one_huge_header_is_431_and_a_client_that_writes_all_first_reads_it(gateway: Door, size: int):
    for _ in range(3):
        with gateway.connect() as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\nx-bomb: " + b"a" * size + b"\r\n\r\n")
            told(sock, 431)


@pytest.mark.parametrize("count", [250, 5_000, 50_000])
def test_many_headers_are_431(gateway: Door, count: int):
    for _ in range(3):
        with gateway.connect() as sock:
            sock.sendall(
                b"GET /health HTTP/1.1\r\nhost: x\r\n" + b"".join(b"x-%d: a\r\n" % i for i in range(count)) + b"\r\n"
            )
            told(sock, 431)


def test_a_long_request_line_is_431_too(gateway: Door):
    with gateway.connect() as sock:
        sock.sendall(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n")
        told(sock, 431)


@pytest.mark.parametrize("piece", [b"a" * 1000, b"x: y\r\n" * 50])
def test_a_head_that_never_ends_is_cut_off(gateway: Door, piece: bytes):
    with gateway.connect() as sock:
        sock.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\nx-bomb: ")
        sent = 0
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while sent < 4 << 20:
                sock.sendall(piece)
                sent += len(piece)
                time.sleep(0.0005)
        assert sent < 1 << 20, "it was taken in without an end"
        with contextlib.suppress(ConnectionResetError):
            assert read_reply(sock).status == 431


def test_a_head_within_the_bounds_is_served(gateway: Door):
    with gateway.connect() as sock:
        for _ in range(3):  # on one connection: what one request used up is not held against the next
            many = b"".join(b"x-%d: %s\r\n" % (i, b"a" * 300) for i in range(150))
            sock.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n" + many + b"\r\n")
            assert read_reply(sock).status == 200


def test_a_large_body_is_not_counted_as_a_head(gateway: Door):
    body = (
        b'{"model":"medium","messages":[{"role":"user","content":"'
        + b"train " * 200
        + b'"}],"x":"'
        + b"a" * 500_000
        + b'"}'
    )
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body)
    with gateway.connect() as sock:
        for _ in range(3):
            sock.sendall(head + body + b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
            assert [read_one(sock), read_one(sock)] == [200, 200]


def read_one(sock: socket.socket) -> int:
    """The status of one answer with a content-length, and not a byte more."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += sock.recv(1)
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while length:
        length -= len(sock.recv(length))
    return int(head.split(b" ")[1])


BAD: dict[str, bytes] = {
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100 + b"\r\n\r\n",
    "a negative length": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
    "a length that is no number": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1e3\r\n\r\n",
    "two lengths": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
    "length and chunked": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n"
    b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "a bad chunk": b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n"
    b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "a space before the colon": b"GET /health HTTP/1.1\r\nhost : x\r\n\r\n",
    "a NUL in a header": b"GET /health HTTP/1.1\r\nhost: x\r\nx: a\0b\r\n\r\n",
    "bytes in the path": b"GET /\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n",
    "HTTP/9": b"GET /health HTTP/9.9\r\nhost: x\r\n\r\n",
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_http_is_400_in_the_one_shape(gateway: Door, kind: str):
    with gateway.connect() as sock:
        sock.sendall(BAD[kind])
        told(sock, 400)


@settings(max_examples=tries(30, 100), deadline=None)
@given(st.binary(min_size=1, max_size=200))
def test_random_bytes_never_bring_the_door_down(gateway: Door, data: bytes):
    with gateway.connect() as sock:
        sock.sendall(data + b"\r\n\r\n")
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
    assert gateway.raw(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").status == 200
