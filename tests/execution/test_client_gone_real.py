"""Bounds on the real engine: what llama.cpp itself says of a client that hung up (`cancel task`)."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator

import pytest

from execution.engine import asking, user
from execution.real import EngineLog
from running import Process

GENERATING = 0.5  # seconds at most
PREFILL = 3.0

pytestmark = [pytest.mark.filterwarnings("default::ResourceWarning"), pytest.mark.alone]


def story(number: int) -> str:
    return f"Number {number}. Tell me a very long story about a train that travels far, with all details."


async def launched(log: EngineLog) -> str:
    """The engine's number of the first task that began since the log was opened."""
    return (await asyncio.to_thread(log.wait_for, r"launch_slot_: id +\d+ \| task (\d+) ", 20))[0]


async def cancelled(log: EngineLog, task: str, within: float) -> float:
    """When the engine gave it up."""
    return (await asyncio.to_thread(log.wait_for, rf"cancel task, id_task = {task}\b", within))[1]


@contextlib.asynccontextmanager
async def traffic(base: str) -> AsyncIterator[None]:
    """A stream of somebody else in the other slot, for as long as the block lasts."""
    fields = user(story(99), model="light", stream=True, max_tokens=400, ignore_eos=True)
    async with asking(base, fields, within=60) as other:
        await other.head()

        async def read() -> None:
            async for _ in other.chunks():
                pass

        reading = asyncio.create_task(read())
        try:
            yield
            assert not reading.done(), "the other traffic ended before the measurement did"
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_generating_stops_within_half_a_second_with_other_traffic_on(
    real_gateway: Process, stream: bool, record_property
):
    async with traffic(real_gateway.base):
        log = EngineLog(real_gateway)
        fields = user(story(1), model="light", stream=stream, max_tokens=400, ignore_eos=True)
        async with asking(real_gateway.base, fields) as client:
            task = await launched(log)
            if stream:
                await client.head()
                chunks = client.chunks()
                for _ in range(3):
                    await anext(chunks)
                await chunks.aclose()
            else:
                await asyncio.sleep(1.5)  # the short prompt is through by then
            assert "cancel task" not in log.text()
            gone = await client.hang_up()
            took = await cancelled(log, task, 5) - gone
    record_property("seconds", took)
    print(f"cancel while generating ({'stream' if stream else 'whole'}): {took:.3f} s")
    assert took <= GENERATING


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
async def test_a_long_prefill_stops_within_three_seconds(real_gateway: Process, stream: bool, record_property):
    log = EngineLog(real_gateway)
    words = " ".join(f"{'stream' if stream else 'whole'}{number} sun" for number in range(170))  # about 900 tokens
    fields = user(f"Summarise this: {words}", model="light", stream=stream, max_tokens=8)
    async with asking(real_gateway.base, fields, within=60) as client:
        task = await launched(log)
        await asyncio.sleep(0.3)
        gone = await client.hang_up()
        took = await cancelled(log, task, 20) - gone
    record_property("seconds", took)
    print(f"cancel in prefill ({'stream' if stream else 'whole'}): {took:.3f} s\n{log.text()}")
    assert not re.search(rf"print_timing.* task {task} ", log.text()), "it had been through: this measured nothing"
    assert took <= PREFILL


async def test_the_engine_serves_the_next_request_after_many_hang_ups(real_gateway: Process):
    for number in range(4):
        fields = user(story(number), model="light", stream=bool(number % 2), max_tokens=300, ignore_eos=True)
        async with asking(real_gateway.base, fields) as client:
            await asyncio.sleep(0.2)
            await client.hang_up()
    began = time.monotonic()
    async with asking(real_gateway.base, user("ping", model="light", max_tokens=2)) as client:
        assert await client.head() == 200
        assert await client.body()
    print(f"next request after four hang-ups: {time.monotonic() - began:.2f} s")


async def test_a_request_that_waits_at_the_gate_and_leaves_never_reaches_the_engine(real_gateway: Process):
    """llama.cpp looks at a client that waits in its own queue only when its turn comes; so the queue is the gateway's."""
    async with traffic(real_gateway.base):
        async with traffic(real_gateway.base):
            log = EngineLog(real_gateway)
            fields = user(story(7), model="light", max_tokens=300, ignore_eos=True)
            async with asking(real_gateway.base, fields) as client:
                await asyncio.sleep(0.5)
                assert "launch_slot_" not in log.text(), "it did not have to wait"
                await client.hang_up()
        await asyncio.sleep(1.0)  # a slot is free now
        assert "launch_slot_" not in log.text()
        async with asking(real_gateway.base, user("ping", model="light", max_tokens=2)) as client:
            assert await client.head() == 200, "the place of the one that left is free"
