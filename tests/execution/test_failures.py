"""When a backend fails: another is tried while nothing has reached the client, and after that the error is told."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx
import pytest

from execution.engine import (
    CHAT,
    DONE,
    Engine,
    Play,
    asking,
    assert_error,
    config,
    conversation,
    delta,
    event,
    events_of,
    replied,
    streamed,
    user,
)
from running import Running, running
from twins import Fault, Twin

GOOD = conversation("good", " news")


def hung(*pieces: bytes) -> Play:
    """Sends these pieces and then nothing, for good. No pieces: not even a head."""

    async def play(writer: asyncio.StreamWriter) -> None:
        if pieces:
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for piece in pieces:
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await asyncio.Event().wait()

    return play


def broken(*pieces: bytes) -> Play:
    """Sends these pieces, then drops the connection in the middle of the body. No pieces: before the head."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await streamed_open(writer, *pieces)
        writer.transport.abort()

    return play


async def streamed_open(writer: asyncio.StreamWriter, *pieces: bytes) -> None:
    if pieces:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for piece in pieces:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await asyncio.sleep(0.03)


ERROR = event({"error": {"message": "CUDA out of memory", "type": "internal", "code": 500}})
BEFORE: dict[str, Play] = {
    "500": replied(500, {"error": {"message": "boom"}}),
    "502 html": replied(502, b"<html>bad gateway</html>", type="text/html"),
    "503": replied(503, {"error": {"message": "Loading model", "code": 503}}),
    "429": replied(429, {"error": {"message": "slow down"}}, "retry-after: 30"),
    "401": replied(401, {"error": {"message": "bad key"}}),
    "404": replied(404, {"error": {"message": "no such model"}}),
    "reset before the head": broken(),
    "a stream without one byte": streamed(),
    "JSON without one byte": replied(200, b""),
    "an empty body": replied(200, b"", type="text/event-stream"),
    "an error event first": streamed(ERROR),
    "an error event first and [DONE]": streamed(ERROR + DONE),
    "an error event cut in two": streamed(ERROR[:9], ERROR[9:]),
    "an error event without a space": streamed(ERROR.replace(b"data: ", b"data:")),
    "an error event with spaces in it": streamed(ERROR.replace(b'{"error":', b'{ "error": ')),
    "an error event with other keys first": streamed(event({"id": None, "error": {"message": "boom", "code": 500}})),
    "an error event with its name": streamed(b"event: error\n" + ERROR),
    "an error event behind a comment": streamed(b": processing\n\n" + ERROR),
    "llama.cpp's old error line": streamed(b'error: {"code":500,"message":"boom","type":"server_error"}\n\n'),
    "vLLM's old error event": streamed(event({"object": "error", "message": "boom", "code": 500})),
    "nothing but [DONE]": streamed(DONE),
    "a log-in page": streamed(b"<html>log in</html>", type="text/html"),
}


@pytest.mark.parametrize("kind", BEFORE)
async def test_the_next_backend_answers(kind: str, tmp_path):
    async with Engine("first") as first, Engine("second") as second:
        first.play, second.play = BEFORE[kind], streamed(GOOD)
        async with running(config(first, second), tmp_path) as gateway:
            for stream in (True, False):
                async with asking(gateway, user(stream=stream)) as client:
                    assert await client.head() == 200
                    body = await client.body()
                    assert client.headers["x-pointsman-target"] == "second@b2"
                    if stream:
                        assert body == GOOD
                    else:
                        assert json.loads(body)["choices"][0]["message"]["content"] == "good news"
    assert [asked.fields["model"] for asked in (*first.asked, *second.asked)] == ["first"] * 2 + ["second"] * 2


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("a log-in page", "x", "first@b1: answered with text/html and not with a stream of events"),
        ("a log-in page", "你在吗", "first@b1：返回的是 text/html，而不是事件流"),
        ("JSON without one byte", "x", "first@b1: an empty stream"),
    ],
)
async def test_what_is_no_reply_is_told_without_a_status_that_nobody_sent(kind: str, text: str, says: str, tmp_path):
    async with Engine("first") as first:
        first.play = BEFORE[kind]
        body = user(text, stream=False)
        async with running(config(first), tmp_path) as gateway, asking(gateway, body) as client:
            assert await client.head() == 502
            assert json.loads(await client.body())["error"]["message"] == says


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_a_refused_connection_leads_to_the_next_backend(stream: bool, tmp_path):
    async with Engine("second") as second:
        second.play = streamed(GOOD)
        async with Engine("first") as first, running(config(first, second), tmp_path) as gateway:
            await first.__aexit__()
            async with asking(gateway, user(stream=stream)) as client:
                assert await client.head() == 200
                assert client.headers["x-pointsman-target"] == "second@b2"
                await client.body()


async def test_the_twins_of_real_engines_stand_in_for_each_other(tmp_path):
    async with Twin("vllm-0.33.0") as vllm, Twin("llamacpp-2026.10.11549") as llamacpp:
        backends = [
            {"engine": "vllm", "model": vllm.engine.model, "base_url": vllm.base_url + "/v1"},
            {"engine": "llamacpp", "model": llamacpp.engine.model, "base_url": llamacpp.base_url + "/v1"},
        ]
        # the reset comes first: on a connection that was used before, the pool tries once more by itself
        faults = (Fault(reset_before_head=True), Fault(status=500, body="{}"), Fault.rate_limited("60"))
        async with running({"models": {"medium": {"backends": backends}}}, tmp_path) as gateway:
            for fault in (*faults, Fault.empty_stream()):
                vllm.fail(CHAT, fault)
                async with asking(gateway, user(stream=True)) as client:
                    assert await client.head() == 200
                    assert client.headers["x-pointsman-target"].startswith(llamacpp.engine.model)
                    assert await client.body() == llamacpp.recorded(CHAT, stream=True, messages=[])
            async with asking(gateway, user(stream=True)) as client:
                assert await client.head() == 200
                assert client.headers["x-pointsman-target"].startswith(vllm.engine.model)
                assert await client.body() == vllm.recorded(CHAT, stream=True, messages=[])


# After the first content


@pytest.mark.parametrize("cut", ["between events", "inside an event", "an error event", "clean end"])
async def test_an_error_after_content_ends_the_stream_with_an_error_event_and_no_done(cut: str, tmp_path):
    start = delta("", role="assistant") + delta("good")
    async with Engine("first") as first, Engine("second") as second:
        first.play = {
            "between events": broken(start),
            "inside an event": broken(start, b'data: {"choices":[{"ind'),
            "an error event": streamed(start, ERROR),
            "clean end": streamed(start),
        }[cut]
        async with running(config(first, second), tmp_path) as gateway, asking(gateway, user(stream=True)) as client:
            assert await client.head() == 200
            body = await client.body()
            request_id = client.headers["x-pointsman-request-id"]
    assert not second.asked, "a stream that has begun was asked for again"
    assert body.startswith(start) and b"[DONE]" not in body
    blocks = [block for block in body.decode().split("\n\n") if block]
    last = blocks[-1]
    assert last.startswith("data: "), last
    error = json.loads(last[6:])
    assert "error" in error
    if cut == "an error event":
        assert body == start + ERROR  # the engine's own words, as they came
    else:
        assert_error(error, src="backend")
        assert error["error"]["request_id"] == request_id
    assert not any(block.startswith("event:") for block in blocks)


async def test_silence_in_the_middle_ends_the_stream_with_an_error_event(tmp_path):
    async with Engine() as engine:
        start = delta("", role="assistant") + delta("good")
        engine.play = hung(start)
        models = {"medium": {"backends": [engine.backend(idle_timeout=0.2)]}}
        async with running({"models": models}, tmp_path) as gateway:
            async with asking(gateway, user(stream=True)) as client:
                await client.head()
                body = await client.body()
            assert body.startswith(start)
            assert_error(
                json.loads(body[len(start) :].strip().removeprefix(b"data: ")), src="backend", code="idle_timeout"
            )
            async with asking(gateway, user()) as client:
                assert await client.head() in (502, 504)
                assert_error(json.loads(await client.body()), src="backend", code="idle_timeout")


@pytest.mark.parametrize("pieces", [(delta("good"),), (delta("good"), b'data: {"choi')], ids=["whole", "cut"])
async def test_a_whole_reply_whose_stream_breaks_off_is_an_error(pieces: tuple[bytes, ...], tmp_path):
    async with Engine() as engine:
        engine.play = broken(*pieces)
        async with running(config(engine), tmp_path) as gateway, asking(gateway, user()) as client:
            assert await client.head() == 502
            assert_error(json.loads(await client.body()), src="backend")


# The client's own fault


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("status", [400, 413, 422])
async def test_the_clients_own_fault_is_told_at_once_in_the_engines_words(status: int, stream: bool, tmp_path):
    async with Engine() as first, Engine("second") as second:
        said = {"error": {"message": "temperature must be below 2", "type": "BadRequestError", "param": "temperature"}}
        first.play = replied(status, said)
        sections, fields = config(first, second), user(stream=stream, temperature=9)
        async with running(sections, tmp_path) as gateway, asking(gateway, fields) as client:
            assert await client.head() == (400 if status == 422 else status), "422 is never sent"
            assert client.headers["content-type"].startswith("application/json")
            error = json.loads(await client.body())
    assert_error(error, src="backend")
    assert error["error"]["message"] == "temperature must be below 2"
    assert (
        error["error"]["param"] == "temperature"
        and error["error"]["request_id"] == client.headers["x-pointsman-request-id"]
    )
    assert len(first.asked) == 1 and not second.asked


async def test_too_long_for_the_engine_is_context_length_exceeded(tmp_path):
    async with Twin("llamacpp-2026.10.11549") as twin:
        backend = {"engine": "llamacpp", "model": twin.engine.model, "base_url": twin.base_url}
        sections, fields = {"models": {"medium": {"backends": [backend]}}}, user(user="twin:too-long", stream=True)
        async with running(sections, tmp_path) as gateway, asking(gateway, fields) as client:
            assert await client.head() == 400
            error = json.loads(await client.body())
    assert_error(error, src="backend", code="context_length_exceeded")
    assert error["error"]["type"] == "invalid_request_error" and len(twin.asked(CHAT)) == 1


# Bounds


@pytest.mark.parametrize("retries", [0, 1, 3])
async def test_max_retries_bounds_the_attempts(retries: int, tmp_path):
    async with Engine() as first, Engine("second") as second:
        first.play = second.play = replied(500, {"error": {"message": "boom"}})
        sections = config(first, second, fallback={"max_retries": retries})
        async with running(sections, tmp_path) as gateway, asking(gateway, user(stream=True)) as client:
            assert await client.head() == 502
            error = json.loads(await client.body())
    assert len(first.asked) + len(second.asked) == 1 + retries
    assert abs(len(first.asked) - len(second.asked)) <= 1
    assert_error(error, src="backend")
    assert "boom" in error["error"]["message"]


@pytest.mark.parametrize(
    "value", ["1", "7", "0", "-5", "nan", "inf", "1e400", "Wed, 21 Oct 2026 07:28:00 GMT", "soon", ""]
)
async def test_429_is_relayed_with_a_retry_after_that_a_client_can_read(value: str, tmp_path):
    async with Engine() as engine:
        engine.play = replied(429, {"error": {"message": "slow down"}}, f"retry-after: {value}")
        sections = config(engine, fallback={"max_retries": 1 if value in ("1", "nan", "-5") else 0})
        async with running(sections, tmp_path) as gateway, asking(gateway, user(stream=True)) as client:
            assert await client.head() == 429
            error = json.loads(await client.body())
    assert_error(error, src="backend")
    assert "slow down" in error["error"]["message"]
    told = client.headers.get("retry-after")
    assert told is None or (told.isdigit() and int(told) >= 1)
    assert told == value if value in ("1", "7") else True


async def test_retry_after_is_waited_for_before_the_same_backend_is_tried_again(tmp_path):
    async with Engine() as engine:
        engine.plays = [replied(429, {"error": {"message": "slow down"}}, "retry-after: 1")]
        engine.play = streamed(GOOD)
        async with running(config(engine), tmp_path) as gateway, asking(gateway, user(stream=True)) as client:
            assert await client.head() == 200
            assert await client.body() == GOOD
    first, second = engine.asked
    assert second.at - first.at >= 0.9


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("kind", ["no head", "no body"])
async def test_a_late_first_byte_is_504(kind: str, stream: bool, tmp_path):
    async with Engine() as engine:
        engine.play = hung() if kind == "no head" else hung(b"")
        if kind == "no body":

            async def only_head(writer: asyncio.StreamWriter) -> None:
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                )
                await asyncio.Event().wait()

            engine.play = only_head
        models = {"medium": {"backends": [engine.backend(first_byte_timeout=0.3)]}}
        sections = {"models": models, "fallback": {"max_retries": 1}}
        async with running(sections, tmp_path) as gateway, asking(gateway, user(stream=stream), within=5) as client:
            began = time.monotonic()
            assert await client.head() == 504
            assert_error(json.loads(await client.body()), src="backend", code="first_byte_timeout")
            assert time.monotonic() - began >= 0.5
        assert len(engine.asked) == 2


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_an_engine_that_sends_its_head_at_once_has_the_first_bytes_time_for_the_rest(stream: bool, tmp_path):
    """vLLM does: while a request waits in its queue, the time for the first byte counts and not the one for silence."""
    async with Engine() as engine:
        engine.play = streamed(b"", 0.6, GOOD)
        models = {"medium": {"backends": [engine.backend(first_byte_timeout=10, idle_timeout=0.2)]}}
        sections = {"models": models, "rules": {"packs": []}}
        async with running(sections, tmp_path) as gateway, asking(gateway, user(stream=stream)) as client:
            assert await client.head() == 200
            assert b"good" in await client.body()
    assert len(engine.asked) == 1


async def test_nothing_up_is_503_that_names_the_backend(tmp_path):
    async with Engine() as engine:
        pass
    async with running(config(engine), tmp_path) as gateway, asking(gateway, user()) as client:
        assert await client.head() == 503
        error = json.loads(await client.body())
    assert_error(error, src="backend")
    assert "m@b1" in error["error"]["message"]


# keep_local


@pytest.fixture
async def mixed(tmp_path):
    """A local and an external backend in one tier, an external tier, and entries that may and may not reach it."""
    async with Engine("here") as here, Engine("cloud") as cloud:
        models = {
            "medium": {"backends": [here.backend(name="b1"), cloud.backend(name="b2", external=True)]},
            "heavy": {"backends": [cloud.backend(name="b2", external=True)]},
        }
        sections: dict[str, Any] = {
            "models": models,
            "entries": {"auto": {}, "open": {"keep_local": False}},
            "routes": [{"name": "long", "match": {"min_tokens": 200}, "target": "heavy", "priority": 1}],
            "fallback": {"target": "medium", "max_retries": 3},
        }
        async with running(sections, tmp_path) as gateway:
            yield gateway, here, cloud


async def ask(gateway: Running, **fields: Any) -> httpx.Response:
    async with httpx.AsyncClient(base_url=gateway.base, timeout=30) as client:
        return await client.post(CHAT, json=user(**fields))


@pytest.mark.parametrize("model", ["auto", "medium"])
async def test_no_fallback_crosses_to_an_external_backend(mixed, model: str):
    gateway, here, cloud = mixed
    here.play = replied(500, {"error": {"message": "boom"}})
    reply = await ask(gateway, model=model)
    assert reply.status_code == 502 and not cloud.asked
    assert len(here.asked) == 4


@pytest.mark.parametrize("model", ["heavy", "cloud"])
async def test_a_tier_that_is_external_is_refused_and_the_error_says_so(mixed, model: str):
    gateway, _, cloud = mixed
    reply = await ask(gateway, model=model)
    assert reply.status_code == 403 and not cloud.asked
    assert_error(reply.json(), code="keep_local")
    assert "external" in reply.json()["error"]["message"] and "keep_local" in reply.json()["error"]["message"]


async def test_a_route_to_an_external_tier_stays_here_with_an_entry_that_keeps_local(mixed):
    gateway, here, cloud = mixed
    reply = await ask(gateway, model="auto", text="Tell me a long story of trains. " * 40)
    assert reply.status_code == 200 and reply.headers["x-pointsman-target"] == "here@b1"
    assert here.asked and not cloud.asked


async def test_an_entry_that_may_leave_reaches_external_backends(mixed):
    gateway, here, cloud = mixed
    here.play = replied(500, {"error": {"message": "boom"}})
    reply = await ask(gateway, model="open")
    assert reply.status_code == 200 and reply.headers["x-pointsman-target"] == "cloud@b2" and len(cloud.asked) == 1


# Heartbeats


HEARTBEAT = b": waiting\n\n"


async def heartbeating(play: Play, tmp_path, after: float = 0.1, **fields: Any) -> tuple[int, bytes, dict[str, str]]:
    async with Engine() as engine:
        engine.play = play
        sections = config(engine, server={"heartbeat_after": after}, fallback={"max_retries": 0})
        traced = (user(stream=True, **fields), CHAT, "x-pointsman-trace: 1")
        async with running(sections, tmp_path) as gateway, asking(gateway, *traced) as client:
            await client.head()
            return client.status, await client.body(), client.headers


def beats_of(body: bytes) -> tuple[int, bytes]:
    """How many heartbeats there are, each a block of its own, and what is left without them."""
    blocks = body.split(b"\n\n")
    beats = [block for block in blocks if block.startswith(b":")]
    return len(beats), b"\n\n".join(block for block in blocks if not block.startswith(b":"))


def untraced(body: bytes) -> bytes:
    return b"\n\n".join(block for block in body.split(b"\n\n") if b'"pointsman":' not in block)


async def test_heartbeats_flow_while_the_engine_is_silent_and_the_target_is_in_the_trace(tmp_path):
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.55)
        await streamed(GOOD)(writer)

    began = time.monotonic()
    status, body, headers = await heartbeating(late, tmp_path)
    took = time.monotonic() - began
    count, rest = beats_of(body)
    assert status == 200 and 2 <= count <= took / 0.1 and body.startswith(b":")
    assert untraced(rest) == GOOD
    assert "x-pointsman-target" not in headers and headers["x-pointsman-stage"] == "model"
    [trace] = [e["pointsman"] for e in events_of(rest) if "pointsman" in e]
    assert trace["target"] == "m@b1"


@pytest.mark.parametrize("at", [5, 30, -1, -2])
async def test_no_heartbeat_stands_inside_an_event(at: int, tmp_path):
    first = delta("", role="assistant") + delta("你好")
    rest = delta("again") + DONE
    cut = first + rest[:at] if at > 0 else first[:at]
    whole = first + rest
    _, body, _ = await heartbeating(streamed(cut, 0.35, whole[len(cut) :]), tmp_path)
    assert untraced(beats_of(body)[1]) == whole
    for block in body.decode().split("\n\n"):
        assert block == "" or (block.startswith((":", "data: ")) and "\n" not in block)


async def test_heartbeats_go_on_after_an_event_whose_end_came_in_two_packets(tmp_path):
    first = delta("", role="assistant")
    _, body, _ = await heartbeating(streamed(first[:-1], first[-1:], 0.5, DONE), tmp_path)
    count, rest = beats_of(body)
    assert untraced(rest) == first + DONE
    assert count >= 2, body


async def test_an_error_after_heartbeats_is_an_error_event(tmp_path):
    async def late(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.35)
        await replied(500, {"error": {"message": "boom"}})(writer)

    status, body, headers = await heartbeating(late, tmp_path)
    count, rest = beats_of(body)
    assert status == 200 and count >= 1 and b"[DONE]" not in body
    [error] = events_of(rest)
    assert_error(error, src="backend")
    assert error["error"]["request_id"] == headers["x-pointsman-request-id"] and "boom" in error["error"]["message"]


async def test_headers_are_held_until_the_first_byte(tmp_path):
    async with Engine() as first, Engine("second") as second:
        go = asyncio.Event()

        async def late(writer: asyncio.StreamWriter) -> None:
            await go.wait()
            await replied(500, {"error": {"message": "boom"}})(writer)

        first.play = late
        async with running(config(first, second), tmp_path) as gateway, asking(gateway, user(stream=True)) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.reader.read(1), 0.2)
            go.set()
            assert await client.head() == 200
            assert client.headers["x-pointsman-target"] == "second@b2"
            assert b": " not in (await client.body())[:2]


async def test_fallback_still_happens_behind_heartbeats(tmp_path):
    async with Engine() as first, Engine("second") as second:

        async def late(writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(0.3)
            await replied(500, {"error": {"message": "boom"}})(writer)

        first.play, second.play = late, streamed(GOOD)
        sections = config(first, second, server={"heartbeat_after": 0.1})
        async with running(sections, tmp_path) as gateway, asking(gateway, user(stream=True)) as client:
            assert await client.head() == 200
            count, rest = beats_of(await client.body())
    assert count >= 1 and rest == GOOD


async def test_heartbeats_come_at_their_pace(tmp_path):
    async with Engine() as engine:
        engine.play = hung()
        sections, times = config(engine, server={"heartbeat_after": 0.2}), []
        async with running(sections, tmp_path) as gateway, asking(gateway, user(stream=True), within=60) as client:
            await client.head()
            async for chunk in client.chunks():
                assert chunk.startswith(b":") and chunk.endswith(b"\n\n")
                times.append(time.monotonic())
                if len(times) == 4:
                    break
    assert 0.5 <= times[-1] - times[0] <= 30


async def test_connections_are_kept_and_the_metrics_say_so(tmp_path):
    async with Engine() as engine, running(config(engine), tmp_path) as gateway:
        engine.play = streamed(GOOD)
        async with httpx.AsyncClient(base_url=gateway.base) as client:
            for _ in range(5):
                assert (await client.post(CHAT, json=user(stream=True))).status_code == 200
            text = (await client.get("/metrics")).text
    lines = [line for line in text.splitlines() if line.startswith("pointsman_upstream_total")]
    figures = {event: float(line.rpartition(" ")[2]) for line in lines for event in line.split('"')[1:2]}
    assert figures["requests"] == 5
    assert figures["opened"] + figures["reused"] == 5
