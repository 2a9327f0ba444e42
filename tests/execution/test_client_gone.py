"""A client that hangs up frees the engine at once, whatever the request was waiting for, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from execution.engine import CHAT, Engine, asking, config, conversation, delta, replied, streamed, user
from running import Running, running
from twins import Fault, Twin

NO_JOBS: dict[str, Any] = {"jobs": {"concurrency": 0}}  # looking for jobs has tasks of its own
PROMPT = 5.0  # seconds, which only a loaded machine needs; what waits for anything else takes longer


async def until(what: Callable[[], bool], within: float = 20.0) -> float:
    """Seconds until it holds."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < within, "it never came"
        await asyncio.sleep(0.005)
    return time.monotonic() - began


@contextlib.asynccontextmanager
async def leaving_nothing(gateway: Running, engine: Engine, kept: int = 0) -> AsyncIterator[None]:
    """Around requests that were given up: no task, no connection and no stream may be left of them. `kept` connections
    more may wait for further use, where others went on."""
    async with asking(gateway, user()) as client:  # what a first request starts for good is there
        await client.head()
        await client.body()
    engine.asked.clear()
    await asyncio.sleep(0.1)
    before, open_before = asyncio.all_tasks(), engine.open

    def left() -> set[asyncio.Task[object]]:
        return {task for task in asyncio.all_tasks() - before if task not in engine.serving}

    yield
    await until(lambda: engine.open <= open_before + kept)
    try:
        await until(lambda: not left())
    except AssertionError:
        raise AssertionError(f"left: {left()}") from None


async def endless(writer: asyncio.StreamWriter) -> None:
    """A stream that goes on until the reader is gone."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    while True:
        piece = delta("word ")
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
        await asyncio.sleep(0.01)


async def silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def only_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    await asyncio.Event().wait()


async def stuck(writer: asyncio.StreamWriter) -> None:
    """Some content, then silence."""
    await only_head_and(writer, delta("", role="assistant") + delta("a"))


async def only_head_and(writer: asyncio.StreamWriter, piece: bytes) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
    await asyncio.Event().wait()


PLAYS: dict[str, Callable[[asyncio.StreamWriter], Awaitable[None]]] = {
    "generating": endless,
    "before the head": silent,
    "before the first byte": only_head,
    "silent after content": stuck,
}


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("state", PLAYS)
async def test_the_engine_sees_the_hang_up_promptly_and_nothing_is_left(state: str, stream: bool, tmp_path):
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = PLAYS[state]
        async with asking(gateway, user(stream=stream)) as client:
            await until(lambda: bool(engine.asked))
            await asyncio.sleep(0.1)
            gone = await client.hang_up()
            await asyncio.wait_for(engine.asked[0].hung_up.wait(), PROMPT)
            assert time.monotonic() - gone < PROMPT
        assert len(engine.asked) == 1, "a request that nobody waits for was tried again"


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/embeddings", "/v1/rerank"])
async def test_the_other_endpoints_stop_too(path: str, tmp_path):
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = silent
        fields = {"model": "medium", "prompt": "Trains are", "input": "x", "query": "q", "documents": ["d"]}
        async with asking(gateway, fields, path) as client:
            await until(lambda: bool(engine.asked))
            await client.hang_up()
            await asyncio.wait_for(engine.asked[0].hung_up.wait(), PROMPT)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_a_request_that_waits_to_be_tried_again_is_dropped(stream: bool, tmp_path):
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = replied(429, {"error": {"message": "slow down"}}, "retry-after: 2")
        async with asking(gateway, user(stream=stream)) as client:
            await until(lambda: bool(engine.asked))
            await asyncio.sleep(0.1)
            await client.hang_up()
        await asyncio.sleep(2.3)
        assert len(engine.asked) == 1


async def test_a_hang_up_between_heartbeats_stops_the_engine(tmp_path):
    sections = {"server": {"heartbeat_after": 0.1}}
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS, **sections), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = silent
        async with asking(gateway, user(stream=True)) as client:
            assert await client.head() == 200
            await asyncio.sleep(0.25)
            await client.hang_up()
            await asyncio.wait_for(engine.asked[0].hung_up.wait(), PROMPT)


async def test_a_client_that_resets_is_gone_as_well(tmp_path):
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = silent
        async with asking(gateway, user(stream=False)) as client:
            await until(lambda: bool(engine.asked))
            client.writer.transport.abort()
            await asyncio.wait_for(engine.asked[0].hung_up.wait(), PROMPT)


async def test_a_client_that_stops_reading_does_not_fill_the_memory_and_is_dropped_when_it_leaves(tmp_path):
    sent = 0

    async def flood(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        piece = delta("word " * 2000)
        while True:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
            sent += len(piece)

    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = flood
        async with asking(gateway, user(stream=True)) as client:
            await client.head()
            client.writer.transport.pause_reading()  # type: ignore[attr-defined]
            last = -1
            async with asyncio.timeout(10):
                while sent != last:
                    last = sent
                    await asyncio.sleep(0.3)
            assert sent < 32 << 20, "what a client does not read piles up"
            client.writer.transport.abort()
            await asyncio.wait_for(engine.asked[0].hung_up.wait(), PROMPT)


async def test_others_go_on_when_one_leaves(tmp_path):
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine, kept=1),
    ):
        whole = conversation(*["word "] * 40)
        events = [part + b"\n\n" for part in whole.split(b"\n\n")[:-1]]
        engine.plays = [endless, streamed(*events, gap=0.01)]
        async with asking(gateway, user(stream=True)) as leaver, asking(gateway, user(stream=True)) as stayer:
            await leaver.head()
            await stayer.head()
            await leaver.hang_up()
            assert await stayer.body() == whole


async def test_many_that_leave_at_random_leave_nothing(tmp_path):
    async with (
        Engine() as engine,
        running(config(engine, **NO_JOBS), tmp_path) as gateway,
        leaving_nothing(gateway, engine),
    ):
        engine.play = endless

        async def one(number: int) -> None:
            async with asking(gateway, user(stream=bool(number % 2))) as client:
                await asyncio.sleep(0.003 * number)
                await client.hang_up()

        await asyncio.gather(*(one(number) for number in range(40)))
        # one who left before its request was read never reaches the engine: that is as good
        await until(lambda: all(asked.hung_up.is_set() for asked in engine.asked))


async def test_a_hang_up_is_recorded_as_cancelled_and_is_no_failure_of_the_backend(tmp_path):
    async with Engine() as engine, running(config(engine, **NO_JOBS), tmp_path) as gateway:
        engine.play = silent
        async with asking(gateway, user(stream=True)) as client:
            await until(lambda: bool(engine.asked))
            await client.hang_up()
        await asyncio.wait_for(engine.asked[0].hung_up.wait(), PROMPT)
        await asyncio.sleep(0.1)
        metrics = await get(gateway, "/metrics")
        assert 'outcome="cancelled"' in metrics, metrics


async def get(gateway: Running, path: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(gateway.base.rpartition(":")[2]))
    writer.write(f"GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
    body = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return body


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("engine", ["vllm-0.33.0", "ollama-0.32.9", "trtllm-1.2.1", "llamacpp-2026.10.11549"])
async def test_the_twins_of_real_engines_see_it(engine: str, stream: bool, tmp_path):
    async with Twin(engine) as twin:
        kind = engine.partition("-")[0]
        backend: dict[str, Any] = {"engine": kind, "model": twin.engine.model, "base_url": twin.base_url}
        async with running({"models": {"medium": {"backends": [backend]}}}, tmp_path) as gateway:
            for fault in (Fault(hang="head"), Fault(hang="body"), Fault(delay_chunks=0.3)):
                twin.requests.clear()
                twin.fail(CHAT, fault)
                async with asking(gateway, user(stream=stream)) as client:
                    await until(lambda: bool(twin.asked(CHAT)))
                    await asyncio.sleep(0.05)
                    await client.hang_up()
                    await asyncio.wait_for(twin.asked(CHAT)[0].hung_up.wait(), PROMPT)


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_error(tmp_path, caplog):
    async with Engine() as engine, running(config(engine, **NO_JOBS), tmp_path) as gateway:
        before = asyncio.all_tasks()
        _, writer = await asyncio.open_connection("127.0.0.1", int(gateway.base.rpartition(":")[2]))
        writer.write(f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n".encode() + b'{"model":')
        await asyncio.sleep(0.1)
        writer.close()
        await writer.wait_closed()
        await until(lambda: asyncio.all_tasks() <= before)
        gc.collect()
        assert not engine.asked and not [r for r in caplog.records if r.levelname == "ERROR"], caplog.text
