"""Any number of calls in a row, through a pool, to an upstream that does what it likes: each caller gets its own answer
whole or one typed failure after a true beginning of it, never a byte of another's, and nothing is left open."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec
import pytest
import uvloop
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scripted_upstream import Peer, Upstream, chunk, head

from pointsman.backends.http import Pool
from pointsman.ports.backend import BackendFailure, Call
from thorough import tries

KINDS = {"reset", "protocol", "idle_timeout", "first_byte_timeout"}
EVIL = b"EVIL"
"""In all that no caller asked for, and in no answer."""

Fault = Literal["none", "close", "reset", "stall", "junk", "corrupt"]
Way = Literal["read", "iterate", "pour", "close", "cancel"]


class Play(msgspec.Struct, frozen=True):
    """One call and its answer. `wire` is what goes out before the `fault`; `whole`: it is a complete response that frees
    the connection; `cuts` are where segments end. `way` is what the caller does."""

    wire: bytes
    body: bytes
    status: int
    whole: bool
    fault: Fault
    cuts: tuple[int, ...]
    way: Way


def segments(wire: bytes, cuts: tuple[int, ...]) -> list[bytes]:
    edges = [0, *sorted({cut % (len(wire) + 1) for cut in cuts}), len(wire)]
    return [wire[start:end] for start, end in pairwise(edges) if start != end]


junk = st.sampled_from(
    [
        b"H",
        b"\0",
        EVIL,
        head("content-length: 4") + EVIL,
        head("content-length: 4", status="100 Continue") + head("content-length: 4") + EVIL,
        b"5\r\n" + EVIL + b"!\r\n0\r\n\r\n",
        b"\r\n" + head("content-length: 4") + EVIL,
    ]
)


@st.composite
def answers(draw: st.DrawFn) -> tuple[bytes, bytes, int, bool]:
    """Wire, body, status, whether it frees the connection."""
    parts = draw(st.lists(st.binary(min_size=1, max_size=30).map(lambda data: data.replace(b"E", b"e")), max_size=5))
    body = b"".join(parts)
    before = draw(st.sampled_from([b"", head(status="100 Continue"), head("x: y", status="103 Early Hints") * 40]))
    status = draw(st.sampled_from([200, 404, 503]))
    keep = draw(st.sampled_from(["", "connection: close", "keep-alive: timeout=5, max=100", "keep-alive: timeout=0"]))
    more = [keep] if keep else []
    framing = draw(st.sampled_from(["chunked", "sized", "eof", "1.0", "empty"]))
    frees = keep in ("", "keep-alive: timeout=5, max=100")
    if framing == "empty":
        code = draw(st.sampled_from([204, 304]))
        return before + head(*more, status=f"{code} Nothing"), b"", code, frees
    line = f"{status} Whatever"
    if framing == "sized":
        return before + head(f"content-length: {len(body)}", *more, status=line) + body, body, status, frees
    if framing == "eof":
        return before + head("x: y", status=line) + body, body, status, False
    if framing == "1.0":
        return head("x: y", status=line).replace(b"HTTP/1.1", b"HTTP/1.0") + body, body, status, False
    extension = draw(st.sampled_from([b"", b";a", b';a="b;c"']))
    trailer = draw(st.sampled_from([b"", b"x-t: 1\r\n", b"content-type: evil\r\nx-u: 2\r\n"]))
    coded = b"".join(chunk(part, extension) for part in parts) + b"0\r\n" + trailer + b"\r\n"
    return before + head("transfer-encoding: chunked", *more, status=line) + coded, body, status, frees


@st.composite
def plays(draw: st.DrawFn) -> Play:
    wire, body, status, whole = draw(answers())
    fault: Fault = draw(st.sampled_from(["none", "none", "none", "close", "reset", "stall", "junk", "corrupt"]))
    if fault in ("close", "reset", "stall"):
        wire, whole = wire[: draw(st.integers(0, len(wire) - 1))], False
    elif fault == "junk" and whole:
        wire, whole = wire + draw(junk), False
    elif fault == "corrupt":
        place, new = draw(st.integers(0, len(wire) - 1)), draw(st.binary(max_size=2))
        wire, whole = wire[:place] + new.replace(b"E", b"e") + wire[place + 1 :], False
    cuts = tuple(draw(st.lists(st.integers(0, 1 << 12), max_size=6)))
    return Play(
        wire, body, status, whole, fault, cuts, draw(st.sampled_from(["read", "iterate", "pour", "close", "cancel"]))
    )


async def answer(peer: Peer, script: list[Play], asked: list[int]) -> None:
    while (request := await peer.request()) is not None:
        number = int(request.line.split(" ")[1][1:])
        asked.append(number)
        play = script[number]
        for segment in segments(play.wire, play.cuts):
            if peer.writer.is_closing():
                return
            peer.writer.write(segment)
            if play.fault != "junk":
                await asyncio.sleep(0)
        if play.fault == "reset" and not peer.writer.is_closing():
            peer.reset()
        if play.fault == "stall":
            await peer.gone(10)
        if not play.whole:
            return


async def ask(pool: Pool, number: int, play: Play) -> None:
    """One call, and everything that must hold of it."""
    idle = 0.03 if play.fault in ("stall", "corrupt") else 20
    got, status = b"", 0

    def take(piece: bytes) -> bool:
        nonlocal got
        got += piece
        return len(got) % 2 == 0

    try:
        stream = await pool.open(Call(f"/{number}", b"{}", first_byte=idle, idle=idle))
        status = stream.status
        if play.way == "read":
            got = await stream.read()
        elif play.way == "pour":
            await stream.pour(take, lambda: asyncio.sleep(0))
        else:
            async for piece in stream.chunks():
                got += piece
                if play.way == "close":
                    break
            stream.close()
    except BackendFailure as failure:
        assert failure.kind in KINDS
        assert failure.message
        assert play.fault != "none", (failure.kind, failure.message)
        if play.fault in ("close", "reset"):
            assert failure.kind == "reset"
    else:
        if play.fault in ("none", "junk", "close") and play.way in ("read", "iterate", "pour"):
            assert play.fault == "close" or (status, got) == (play.status, play.body)
    assert EVIL not in got
    if play.fault != "corrupt":
        assert status in (0, play.status)
        assert play.body.startswith(got)


async def run(script: list[Play]) -> None:
    asked: list[int] = []
    upstream = Upstream(lambda peer: answer(peer, script, asked))
    await upstream.start()
    pool = Pool(upstream.url)
    try:
        for number, play in enumerate(script):
            async with asyncio.timeout(15):
                await played(pool, number, play)
        traffic = pool.traffic
        assert traffic.requests == len(script)
        assert upstream.connections <= traffic.opened + sum(play.way == "cancel" for play in script)
        assert traffic.retried <= traffic.reused
        assert all(asked.count(number) <= 2 for number in range(len(script)))
    finally:
        await pool.close()
        await upstream.stop()
    assert pool.idle == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def played(pool: Pool, number: int, play: Play) -> None:
    if play.way != "cancel":
        await ask(pool, number, play)
        return
    task = asyncio.ensure_future(ask(pool, number, play))
    for _ in range(1 + len(play.cuts)):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() or task.exception() is None, task.exception()


def open_sockets() -> int:
    """Those of this process; 0 where the system does not list them."""
    folder = Path("/proc/self/fd")
    count = 0
    for entry in folder.iterdir() if folder.exists() else ():
        with contextlib.suppress(OSError):
            count += str(entry.readlink()).startswith("socket:")
    return count


def play_on(script: list[Play], factory: object) -> None:
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(asyncio.sleep(0))  # what the loop itself keeps is open now
        before = open_sockets()
        runner.run(run(script))
        left = open_sockets()
    assert left <= before, "a socket was left open"


LOOPS = pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
KEPT = Play(head("content-length: 4") + b"good", b"good", 200, True, "none", (), "read")
FOLLOWED = Play(KEPT.wire + head("content-length: 4") + EVIL, b"good", 200, False, "junk", (len(KEPT.wire),), "read")


@LOOPS
@settings(deadline=None, max_examples=tries(18, 60))
@given(script=st.lists(plays(), min_size=1, max_size=5))
@example(script=[KEPT, FOLLOWED, KEPT])
def test_every_caller_gets_its_own_answer_or_one_failure(factory, script):
    play_on(script, factory)


@pytest.mark.slow
@pytest.mark.timeout(600)
@LOOPS
@settings(deadline=None, max_examples=1500)
@given(script=st.lists(plays(), min_size=1, max_size=8))
def test_every_caller_gets_its_own_answer_or_one_failure_at_length(factory, script):
    play_on(script, factory)
