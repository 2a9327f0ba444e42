"""Wall clocks of a node and of a gateway are off, by a year and by an hour: no report holds a time, so nobody minds."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from execution.engine import Engine, conversation, streamed
from faults.fleet.gateways import Gateway, gateways, pool, until
from faults.fleet.test_registry_gone import reporting
from store.jobs.servers import Valkey

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def _off(by: str) -> dict[str, str]:
    library = next(Path("/usr").glob("lib*/*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    monotonic = {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
    return {"LD_PRELOAD": str(library), "FAKETIME": by, "FAKETIME_NO_CACHE": "1"} | monotonic


async def _all_up(gateway: Gateway) -> bool:
    nodes = (await gateway.ready())["targets"][0]["nodes"]
    return sorted((node["name"], node["health"]) for node in nodes) == [("gpu-0", "up"), ("gpu-1", "up")]


async def test_nobody_minds(store: Valkey, tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine("m")) for _ in range(2)]
        for engine, name, by in zip(engines, ("gpu-0", "gpu-1"), ("-400d", "+400d"), strict=True):
            engine.play = streamed(0.1, conversation("42"))
            stack.enter_context(reporting(engine, name, store.url, _off(by)))
        config = pool("registry") | {"store": store.url}
        sides = await stack.enter_async_context(gateways(2, tmp_path, config, [_off("+3600s"), {}]))
        for side in sides:
            await until(lambda side=side: _all_up(side))
            await until(lambda side=side: side.knows(2))
        replies = await asyncio.gather(*(sides[number % 2].ask(f"question {number}") for number in range(40)))
        assert {reply.status_code for reply in replies} == {200}
        assert max(engine.open for engine in engines) <= 8 + len(sides), "its slots, and a look of each gateway"
        await asyncio.sleep(8.0)  # longer than a report lives: they are renewed
        for side in sides:
            assert await _all_up(side)
        assert all(len(engine.asked) >= 10 for engine in engines)
