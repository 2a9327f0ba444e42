"""Gateways as processes of their own, which share a store, and a client of theirs."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml

from pointsman.store.log_reader import LogReader
from running import Process

CHAT = "/v1/chat/completions"
PATIENCE = 60.0
"""Seconds until a test gives up; nothing passes or fails by time otherwise."""


def pool(urls: Sequence[str] | str, **more: Any) -> dict[str, Any]:
    """A tier `medium` whose one model these nodes serve."""
    nodes = urls if isinstance(urls, str) else list(urls)
    backend = {"engine": "openai", "model": "m", "nodes": nodes, "spread": {"prefix": 0}, "limits": {"sequences": 4}}
    return {"models": {"medium": {"backends": [backend | more]}}, "rules": {"packs": []}}


async def until(there: Callable[[], Any], what: str = "") -> float:
    """Waits; how many seconds it took. `there` may be a coroutine function."""
    began = time.monotonic()
    while True:
        found = there()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return time.monotonic() - began
        assert time.monotonic() < began + PATIENCE, what or "it never came"
        await asyncio.sleep(0.05)


class Gateway:
    """`pointsman serve` over a config of the test's, and a client."""

    def __init__(self, folder: Path, config: dict[str, Any], env: dict[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        path = folder / "pointsman.yaml"
        server = {"port": 0, "data_dir": str(folder / "data"), "watch": False, "language": "en"}
        path.write_text(yaml.safe_dump({"server": server} | config, allow_unicode=True), encoding="utf-8")
        self.process = Process(["-c", str(path)], env)
        self.http = httpx.AsyncClient(timeout=PATIENCE, trust_env=False, headers={"accept-language": "en"})

    async def listens(self) -> None:
        found = await asyncio.to_thread(
            self.process.wait_for, r"Pointsman \S+ (?:is ready|listens) on (http://\S+):", PATIENCE
        )
        self.http.base_url = found.group(1)

    async def ready(self) -> dict[str, Any]:
        told: dict[str, Any] = (await self.http.get("/ready")).json()
        return told

    async def knows(self, gateways: int) -> bool:
        """Whether it knows that so many share the store, itself among them."""
        return f"pointsman_node_gateways {float(gateways)}" in (await self.http.get("/metrics")).text

    async def health(self, node: str) -> str:
        """Of one node; empty where it is not known."""
        nodes = (await self.ready())["targets"][0]["nodes"]
        return next((each["health"] for each in nodes if each["name"] == node), "")

    async def ask(self, text: str = "hello", **more: Any) -> httpx.Response:
        messages = [{"role": "user", "content": text}]
        return await self.http.post(CHAT, json={"model": "medium", "messages": messages, **more})

    async def read(self, text: str, began: asyncio.Event | None = None) -> list[dict[str, Any]]:
        """The events of a whole stream, without [DONE]; `began` is set when the first has come."""
        fields = {"model": "medium", "stream": True, "messages": [{"role": "user", "content": text}]}
        events: list[dict[str, Any]] = []
        async with self.http.stream("POST", CHAT, json=fields) as reply:
            assert reply.status_code == 200, await reply.aread()
            async for line in reply.aiter_lines():
                if line.startswith("data: {"):
                    events.append(json.loads(line[6:]))
                    if began is not None:
                        began.set()
        return events

    def attempts(self) -> list[dict[str, Any]]:
        """All tries of all requests that its log has, the oldest first."""
        rows = list(LogReader(self.folder / "data").rows({}, None, 10_000))
        return [attempt for row in reversed(rows) for attempt in row["attempts"]]

    async def stop(self) -> None:
        await self.http.aclose()
        await asyncio.to_thread(self.process.stop)


@contextlib.asynccontextmanager
async def gateways(
    count: int, folder: Path, config: dict[str, Any], env: Sequence[dict[str, str]] = ()
) -> AsyncIterator[list[Gateway]]:
    """So many of one config, once all listen. `env` is of each of them, where it is given."""
    made: list[Gateway] = []
    try:
        for number, more in zip(range(count), env or itertools.repeat({}), strict=False):
            made.append(Gateway(folder / f"gateway-{number}", config, more))
        await asyncio.gather(*(gateway.listens() for gateway in made))
        yield made
    finally:
        await asyncio.gather(*(gateway.stop() for gateway in made))
