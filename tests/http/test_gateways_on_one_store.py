"""Two gateways, each with a log and a data folder of its own, on one real Valkey: what the one learns the other knows."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

import pointsman.app.quality
from execution.engine import CHAT, Engine, conversation, streamed
from pointsman.http.auth import hash_key
from running import Running, running
from store.jobs.servers import valkey

LIMIT = 40
TABLE = [
    {"model": "good", "task": None, "value": 0.55, "weight": 20},
    {"model": "other", "task": None, "value": 0.50, "weight": 20},
]


class Side:
    """One of the two, and a client of it."""

    def __init__(self, gateway: Running) -> None:
        self.gateway = gateway
        self.http = httpx.AsyncClient(base_url=gateway.base, timeout=60, headers={"authorization": "Bearer k"})

    async def ask(self, text: str, session: str | None = None) -> httpx.Response:
        headers = {"x-pointsman-task": "math", **({"x-pointsman-session": session} if session else {})}
        body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
        return await self.http.post(CHAT, json=body, headers=headers)

    @property
    def snapshot(self) -> Any:
        return self.gateway.app._serving.pipeline.snapshot()


@pytest.fixture
async def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Side, Side, Engine]]:
    monkeypatch.setattr(pointsman.app.quality, "_EVERY", 0.1)
    monkeypatch.setattr(pointsman.app.quality, "_SOON", 0.0)
    monkeypatch.setattr(pointsman.app.quality, "_SHARE", 1.0)
    async with AsyncExitStack() as stack:
        server = stack.enter_context(valkey(tmp_path / "valkey"))
        assert not isinstance(server, list)
        engines = [await stack.enter_async_context(Engine(name)) for name in ("good", "other")]
        for engine in engines:
            engine.play = streamed(conversation("42"))
        sides = []
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "quality.jsonl").write_text("\n".join(map(json.dumps, TABLE)), "utf-8")
            settings = {
                "models": {
                    tier: {"backends": [engine.backend(name=tier, model=model)]}
                    for tier, model, engine in zip(("light", "heavy"), ("good", "other"), engines, strict=True)
                },
                "entries": {"auto": {"policy": "quality_only"}},
                "policy": {"quality_only": {"quality": 1.0, "stay": 0.2}},
                "quality": {"file": "quality.jsonl", "feedback": {"asked_again": 0, "hung_up": 0}},
                "auth": {"keys": [{"name": "app", "hash": hash_key("k"), "quota": {"requests": LIMIT}}]},
                "admission": {"breaker": {"least": 4, "ratio": 0.5, "pause": 60.0}},
                "store": server.url,
            }
            sides.append(Side(await stack.enter_async_context(running(settings, folder))))
        yield sides[0], sides[1], engines[0]
        for side in sides:
            await side.http.aclose()


async def until(holds: Callable[[], Any], why: str) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, why
        await asyncio.sleep(0.02)


async def test_feedback_and_sessions(pair: tuple[Side, Side, Engine]) -> None:
    one, two, _ = pair
    held = await one.ask("how much is 1 and 1", session="s")
    assert held.headers["x-pointsman-target"] == "good@light"
    for number in range(4):
        name = (await one.ask(f"how much is {number} and 7")).headers["x-pointsman-request-id"]
        told = await one.http.post("/v1/feedback", json={"request_id": name, "adopted": False})
        assert told.status_code == 201
    await until(lambda: one.snapshot.shifts and two.snapshot.shifts, "the one that was told, and the other")
    async with asyncio.timeout(30):  # each of the four moves it, and the last one may be counted a little later
        while (await two.ask("how much is 5 and 5")).headers["x-pointsman-target"] != "other@heavy":
            await asyncio.sleep(1)
    stays = await two.ask("how much is 6 and 6", session="s")
    assert stays.headers["x-pointsman-target"] == "good@light", "the other gateway knows where the session was"


async def test_breakers_and_quotas(pair: tuple[Side, Side, Engine]) -> None:
    one, two, engine = pair

    async def broken(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\nno")

    engine.play = broken
    for number in range(8):
        assert (await one.ask(f"how much is {number} and 3")).status_code == 200, "the other model answers"
    assert one.snapshot.state("good@light").breaker == "open"
    await until(lambda: two.snapshot.state("good@light").breaker == "open", "both know")
    before = len(engine.asked)
    assert (await two.ask("how much is 2 and 2")).headers["x-pointsman-target"] == "other@heavy"
    assert len(engine.asked) == before, "the engine that fails was left alone by a gateway that never saw it fail"
    refused, began = None, time.monotonic()
    async with asyncio.timeout(60):
        number = 0
        while refused is None:
            side = (one, two)[number % 2]
            reply = await side.ask(f"how much is {number} and 9")
            refused = reply if reply.status_code == 429 else None
            number += 1
            await asyncio.sleep(0.02)
    flowed_back = LIMIT * (time.monotonic() - began) / 60
    assert number < LIMIT + flowed_back, "what the one let in counts at the other"
    assert refused.json()["error"]["code"] == "quota_exceeded"
