"""What is read without the parser is what the parser would have read."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.http.incoming import Ended, Incoming, Malformed

HOST = b"POST /v1/chat/completions?a=1 HTTP/1.1\r\nHost: x\r\n"
HEADS = [
    HOST + b"Content-Length: %d\r\nAccept: */*\r\n\r\n",
    HOST + b"content-length: %d\r\n\r\n",
    HOST + b"Accept: a\r\nContent-Length: %d\r\n\r\n",
    HOST + b"Content-length:  %d \r\n\r\n",
    HOST + b"X: content-length: 3\r\nContent-Length: %d\r\nConnection: keep-alive\r\n\r\n",
    HOST + b"Content-Length: %d\r\nConnection: close\r\n\r\n",
    HOST + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n",
    HOST + b"Content-Length: %d\r\nContent-Length: 3\r\n\r\n",
    HOST + b"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n",
    HOST + b"Content-Length: %d\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
    HOST + b"Content-Length: 0%d\r\n\r\n",
    HOST + b"Content-Length: %d\r\n folded\r\n\r\n",
    b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\r\n" + HOST + b"Content-Length: %d\r\n\r\n",
]
BODIES = [b"", b"abc", b"0" * 12, b"POST / HTTP/1.1\r\nHost: y\r\nContent-Length: 3\r\n\r\nabc"]


class Told:
    """A Taker that keeps all it is told. `ends_after` requests it wants no more."""

    def __init__(self, ends_after: int | None) -> None:
        self.all: list[tuple[object, ...]] = []
        self._left = ends_after

    def request_begins(self) -> None:
        self.all.append(("begins",))

    def request_head(self, *head: object) -> None:
        if self._left == 0:
            raise Ended
        self._left = None if self._left is None else self._left - 1
        self.all.append(("head", *head))

    def request_body(self, data: bytes) -> None:
        if self.all[-1][0] == "body":
            data = self.all.pop()[1] + data  # type: ignore[operator]
        self.all.append(("body", data))

    def request_ends(self) -> None:
        self.all.append(("ends",))

    def request_whole(self, method: str, path: str, query: str, fields: dict[bytes, bytes], body: bytes) -> None:
        self.request_begins()
        self.request_head(method, path, query, fields, "1.1", True)
        if body:
            self.request_body(body)
        self.request_ends()


def outcome(pieces: list[bytes], ends_after: int | None, *, tries: int) -> tuple[list[tuple[object, ...]], str, bool]:
    told = Told(ends_after)
    incoming = Incoming(told)
    incoming._tries = tries
    how = "read"
    try:
        for piece in pieces:
            incoming.feed(piece)
    except Malformed as malformed:
        how = malformed.error.code
    except Ended:
        how = "ended"
    return told.all, how, incoming.midway


def request(head: bytes, body: bytes, off: int) -> bytes:
    return (head % max(len(body) + off, 0) if b"%d" in head else head) + body


def held_against_the_parser(pieces: list[bytes], ends_after: int | None = None) -> None:
    assert outcome(pieces, ends_after, tries=4) == outcome(pieces, ends_after, tries=0)


requests = st.builds(request, st.sampled_from(HEADS), st.sampled_from(BODIES), st.sampled_from([0, 0, 0, 0, 1, -1]))


@given(st.lists(requests, max_size=6), st.randoms(use_true_random=False), st.sampled_from([None, None, 0, 1, 2]))
def test_any_requests_in_any_pieces(sent: list[bytes], chance: random.Random, ends_after: int | None):
    repeated = [data for data in sent for _ in range(chance.choice([1, 1, 2, 3]))]
    pieces: list[bytes] = []
    for data in repeated:
        cut = chance.choice([0, 0, 0, chance.randrange(len(data) + 1)])
        pieces += [part for part in (data[:cut], data[cut:]) if part]
        if len(pieces) > 1 and chance.random() < 0.2:
            last = pieces.pop()
            pieces[-1] += last
    held_against_the_parser(pieces, ends_after)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("off", [0, 1, -1])
def test_the_same_head_again_with_another_body(head: bytes, off: int):
    sizes = (3, 12, 3)
    sent = [request(head, b"x" * size, off if number else 0) for number, size in enumerate(sizes)]
    held_against_the_parser(sent)


def test_the_usual_request_is_read_without_the_parser():
    told = Told(None)
    incoming = Incoming(told)
    incoming.feed(request(HEADS[0], b"abc", 0))
    incoming._parser = None
    incoming.feed(request(HEADS[0], b"0" * 1234, 0))
    assert told.all[-3][4][b"content-length"] == b"1234"  # type: ignore[index]
    assert told.all[-2:] == [("body", b"0" * 1234), ("ends",)]
