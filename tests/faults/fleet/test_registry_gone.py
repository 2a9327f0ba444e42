"""The store is gone for a minute, or does not answer: gateways go on with the nodes that they knew, find out about one that
dies meanwhile, and what was acknowledged before is done afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from execution.engine import Engine, conversation, streamed
from faults.fleet.gateways import CHAT, Gateway, gateways, pool, until
from running import Process
from store.jobs.servers import Valkey

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_GONE = 60.0
"""Seconds, ten times the life of what a node reports."""


@contextlib.contextmanager
def reporting(engine: Engine, name: str, store: str, env: dict[str, str] | None = None) -> Iterator[Process]:
    """`pointsman node` beside this engine."""
    arguments = ["--engine", "openai", "--base-url", engine.url, "--name", name, "--slots", "2", "--store", store]
    node = Process([*arguments, "--language", "en", "--drain", "0"], env, verb="node")
    try:
        yield node
    finally:
        node.stop()


async def _up(gateway: Gateway, name: str) -> bool:
    return await gateway.health(name) == "up"


async def _registry(gateway: Gateway, up: bool) -> bool:
    return f'pointsman_registry_up{{kind="store"}} {float(up)}' in (await gateway.http.get("/metrics")).text


@pytest.mark.parametrize("how", ["killed", "frozen"])
async def test_a_minute_without_it(store: Valkey, tmp_path: Path, how: str) -> None:
    async with contextlib.AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine("m")) for _ in range(2)]
        dying = Engine("m")
        await dying.__aenter__()
        for number, engine in enumerate([*engines, dying]):
            engine.play = streamed(0.05, conversation("42"))
            stack.enter_context(reporting(engine, f"gpu-{number}", store.url))
        config = pool("registry") | {"store": store.url, "jobs": {"lease": 2.0, "poll": 0.1, "concurrency": 1}}
        one, two = await stack.enter_async_context(gateways(2, tmp_path, config))
        for gateway, number in itertools.product((one, two), range(3)):
            await until(lambda gateway=gateway, number=number: _up(gateway, f"gpu-{number}"))
        for engine in engines:
            engine.play = streamed(0.5, conversation("42"))
        messages = [{"role": "user", "content": "a job"}]
        body = {"endpoint": CHAT, "body": {"model": "medium", "messages": messages}}
        jobs = [await one.http.post("/v1/jobs", json=body) for _ in range(8)]
        assert {job.status_code for job in jobs} == {202}

        if how == "killed":
            store.kill()
        else:
            os.kill(store.pid, signal.SIGSTOP)
        over = asyncio.create_task(asyncio.sleep(_GONE))
        replies: list[httpx.Response] = []
        for gateway in (one, two):
            await until(lambda gateway=gateway: _registry(gateway, False))
            assert any("registry" in problem for problem in (await gateway.ready())["problems"])
        await dying.__aexit__()
        while not over.done():
            replies += await asyncio.gather(one.ask(), two.ask())
        assert {await gateway.health("gpu-2") for gateway in (one, two)} <= {"down", "ejected"}
        assert (await one.http.post("/v1/jobs", json=body)).status_code == 503, "nothing is acknowledged meanwhile"

        if how == "killed":
            store.start()
        else:
            os.kill(store.pid, signal.SIGCONT)
        while not (await _registry(one, True) and await _registry(two, True)):
            replies += await asyncio.gather(one.ask(), two.ask())
        for _ in range(20):  # what nodes said has expired, and they say it again by and by
            replies += await asyncio.gather(one.ask(), two.ask())
        assert {reply.status_code for reply in replies} == {200}
        longest = max(reply.elapsed.total_seconds() for reply in replies)
        print(f"\n{how}: {len(replies)} requests meanwhile, the longest took {longest:.1f} s")
        for job in jobs:
            name = job.json()["id"]
            await until(lambda name=name: _completed(two, name), "a job that was acknowledged")
        assert {reply.status_code for reply in await asyncio.gather(one.ask(), two.ask())} == {200}
        await dying.__aenter__()
        await until(lambda: _up(one, "gpu-2"))
        await dying.__aexit__()


async def _completed(gateway: Gateway, name: str) -> bool:
    job = (await gateway.http.get(f"/v1/jobs/{name}")).json()
    return job.get("state") == "completed" and job["outcome"] == "ok"
