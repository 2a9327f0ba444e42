"""Random responses, cut at random, and random bytes: straight into a connection, against a slow oracle."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_upstream import chunk, head

from pointsman.backends.http.connection import Connection
from pointsman.backends.http.knock import Heard
from pointsman.backends.http.limits import Limits
from pointsman.ports.backend import BackendFailure

KINDS = {"reset", "protocol"}


class Wire:
    """A transport that goes nowhere."""

    def __init__(self) -> None:
        self.closing = False
        self.reading = True

    def get_extra_info(self, name: str) -> None:
        return None

    def write(self, data: bytes) -> None:
        assert not self.closing

    def abort(self) -> None:
        self.closing = True

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None:
        assert self.reading
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


def cut(wire: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted({place % (len(wire) + 1) for place in places}), len(wire)]
    return [wire[start:end] for start, end in pairwise(edges) if start != end]


async def play(segments: list[bytes]) -> tuple[int, bytes, BackendFailure | None, bool]:
    """Status, body, failure, and whether the connection may serve again, for a response in these segments."""
    released: list[Connection] = []
    connection = Connection("h:1", Limits(), asyncio.get_running_loop(), released.append, lambda _: None, Heard())
    wire = Wire()
    connection.connection_made(wire)
    asking = asyncio.ensure_future(connection.exchange(b"GET / HTTP/1.1\r\n\r\n", b"", 5, 5))
    await asyncio.sleep(0)
    for segment in segments:
        if not wire.closing:
            connection.data_received(segment)
    if not wire.closing:
        connection.eof_received()
    connection.connection_lost(None)
    got: list[bytes] = []
    try:
        stream = await asking
    except BackendFailure as failure:
        return 0, b"", failure, bool(released)
    try:
        async for piece in stream.chunks():
            got.append(piece)
    except BackendFailure as failure:
        return stream.status, b"".join(got), failure, bool(released)
    return stream.status, b"".join(got), None, bool(released)


async def test_an_answer_to_half_a_request_never_frees_the_connection():
    """Even where the socket has just become writable again: the engine would read the next call as this one's rest."""
    released: list[Connection] = []
    connection = Connection("h:1", Limits(), asyncio.get_running_loop(), released.append, lambda _: None, Heard())
    wire = Wire()
    connection.connection_made(wire)
    connection.pause_writing()
    asking = asyncio.ensure_future(connection.exchange(b"POST / HTTP/1.1\r\n\r\n", bytes(1 << 20), 5, 5))
    await asyncio.sleep(0)
    connection.resume_writing()
    connection.data_received(head("content-length: 0"))
    assert (await asking).status == 200
    assert released == []
    assert wire.closing


bodies = st.lists(st.binary(min_size=1, max_size=40), max_size=6)
places = st.lists(st.integers(0, 1 << 16), max_size=12)


@st.composite
def responses(draw: st.DrawFn) -> tuple[bytes, int, bytes, bool]:
    """A valid response, its status, its body, whether it ends by itself."""
    parts = draw(bodies)
    body = b"".join(parts)
    interim = draw(st.sampled_from([b"", head(status="100 Continue"), head("a: b", status="103 Early Hints") * 3]))
    status = draw(st.sampled_from([200, 201, 400, 404, 429, 500, 503]))
    framing = draw(st.sampled_from(["chunked", "sized", "eof"]))
    if framing == "sized":
        return interim + head(f"Content-Length: {len(body)}", status=f"{status} X") + body, status, body, True
    if framing == "eof":
        return interim + head(status=f"{status} X") + body, status, body, False
    extension = draw(st.sampled_from([b"", b";a", b";a=b", b';a="b c"']))
    trailer = draw(st.sampled_from([b"", b"x-t: 1\r\n", b"x-t: 1\r\nx-u: 2\r\n"]))
    coded = b"".join(chunk(part, extension) for part in parts) + b"0\r\n" + trailer + b"\r\n"
    return interim + head("Transfer-Encoding: Chunked", status=f"{status} X") + coded, status, body, True


@settings(deadline=None)
@given(responses(), places)
def test_any_cut_gives_the_same_response(response, where):
    wire, status, body, ends = response
    assert asyncio.run(play(cut(wire, where))) == (status, body, None, ends)


@settings(deadline=None)
@given(responses(), places, st.integers(0, 1 << 16))
def test_any_truncation_is_a_reset_with_a_true_beginning(response, where, keep):
    wire, _, body, ends = response
    wire = wire[: keep % len(wire)]
    _, got, failure, released = asyncio.run(play(cut(wire, where)))
    assert body.startswith(got)
    assert not released
    if ends or failure is not None:
        assert failure is not None
        assert failure.kind == "reset"
        assert failure.sent == bool(wire)


@settings(deadline=None)
@given(responses(), st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(max_size=3)), min_size=1, max_size=4), places)
def test_corrupted_responses_end_in_a_response_or_a_backend_failure(response, changes, where):
    wire = bytearray(response[0])
    for place, new in changes:
        place %= len(wire) or 1
        wire[place : place + 1] = new
    whole = asyncio.run(play([bytes(wire)]))
    pieces = asyncio.run(play(cut(bytes(wire), where)))
    for _, _, failure, released in (whole, pieces):
        assert failure is None or (failure.kind in KINDS and not released)
    assert whole[0] == pieces[0] or 0 in (whole[0], pieces[0])
    assert (whole[2] is None) == (pieces[2] is None)
    if whole[2] is None:
        assert whole[1] == pieces[1]


@settings(deadline=None)
@given(st.binary(max_size=200), places)
def test_noise(noise, where):
    _, _, failure, _ = asyncio.run(play(cut(noise, where)))
    assert failure is not None
    assert failure.kind in KINDS
