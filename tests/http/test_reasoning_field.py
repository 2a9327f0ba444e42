"""`server.reasoning_field`: clients that know one name for thoughts (FastGPT: `reasoning_content`) get that one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.engine import CHAT, DONE, Door, Reply, conversation, delta, door, event, events_of, streamed, user
from thorough import tries

THOUGHT = 'Let me think: 你好 🚂 "reasoning" \\ "quoted"'
STREAM = delta(None, reasoning=THOUGHT) + conversation('the word "reasoning": is no field')


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door(server={"reasoning_field": "reasoning_content"}) as opened:
        yield opened


def ask(gateway: Door, *pieces: bytes | float, stream: bool = True) -> Reply:
    gateway.engine.play = streamed(*pieces)  # type: ignore[arg-type]
    return gateway.post(CHAT, json.dumps(user(stream=stream)).encode())


@settings(max_examples=tries(12, 40), deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_the_field_is_renamed_and_every_other_event_is_byte_for_byte(gateway: Door, places: list[int]):
    edges = [0, *sorted(places), len(STREAM)]
    body = ask(gateway, *(STREAM[start:end] for start, end in pairwise(edges))).body
    first, _, rest = body.partition(b"\n\n")
    renamed = events_of(first + b"\n\n")[0]["choices"][0]["delta"]
    assert renamed == {"reasoning_content": THOUGHT}
    assert rest == STREAM.partition(b"\n\n")[2]


def test_a_whole_reply_has_the_field_too(gateway: Door):
    message = ask(gateway, STREAM, stream=False).json["choices"][0]["message"]
    assert message["reasoning_content"] == THOUGHT and "reasoning" not in message


def test_both_names_or_the_right_one_are_left_alone(gateway: Door):
    for more in ({"reasoning": "a", "reasoning_content": "a"}, {"reasoning_content": "a"}):
        stream = delta(None, **more) + conversation("x")
        assert ask(gateway, stream).body == stream


def test_an_event_without_the_field_is_not_written_anew(gateway: Door):
    odd = b'data: {"id":"c",  "kind":"reasoning","choices":[ {"index":0,"delta":{"content":"\\u4f60"},"x":1.50} ]}\n\n'
    assert ask(gateway, odd + conversation("x")).body == odd + conversation("x")


def test_a_stream_of_crlf_lines_is_neither_held_back_nor_left_out(gateway: Door):
    first, rest = (part.replace(b"\n", b"\r\n") for part in (delta(None, reasoning="a"), conversation("x")))
    gateway.engine.play = streamed(first, 5.0, rest)
    with gateway.connect(3) as sock:
        body = json.dumps(user(stream=True)).encode()
        sock.sendall(f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        data = b""
        while b"finish_reason" not in data:
            part = sock.recv(65536)
            assert part
            data += part
    assert b'"reasoning_content"' in data


def test_a_traced_stream_still_ends_with_trace_and_done(gateway: Door):
    gateway.engine.play = streamed(STREAM)
    body = gateway.post(CHAT, json.dumps(user(stream=True)).encode(), "x-pointsman-trace: 1").body
    assert body.endswith(DONE) and "pointsman" in events_of(body)[-1]


def test_an_error_event_passes_as_it_came(gateway: Door):
    error = event({"error": {"message": "no reasoning today", "code": 500}})
    assert ask(gateway, delta("a") + error).body.endswith(error)
