"""Quotas of keys in whole gateways: refusals with what OpenAI's clients know, jobs that wait, gateways that share."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from execution.engine import CHAT, USAGE, Engine, assert_error, config, conversation, streamed, until
from pointsman.http.auth import hash_key
from running import running

REMOTE = {"x-forwarded-for": "203.0.113.7"}
GREETING = """
rules:
  - id: greeting
    when: {whole: [hi]}
    answer: Hello!
    examples: [hi]
    counter_examples: [hi there]
    boundary: [{text: hi you, takes: false}]
"""


def key(name: str, **quota: int) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "hash": hash_key(f"k-{name}")}
    return {**made, "quota": quota} if quota else made


def bearer(name: str) -> dict[str, str]:
    return REMOTE | {"authorization": f"Bearer k-{name}"}


@contextlib.asynccontextmanager
async def gateway(folder: Path, engine: Engine, *keys: dict[str, Any], **auth: Any) -> AsyncIterator[httpx.AsyncClient]:
    (folder / "rules.yaml").write_text(GREETING)
    sections = config(
        engine,
        auth={"keys": list(keys), **auth},
        rules={"packs": [], "files": ["rules.yaml"]},
        jobs={"lease": 1.0, "poll": 0.05},
    )
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
        yield client


async def chat(client: httpx.AsyncClient, who: str, text: str = "tell me", **more: Any) -> httpx.Response:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}], **more}
    return await client.post(CHAT, json=body, headers=bearer(who))


async def test_requests_a_minute_count_answers_of_rules_too(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine, key("ann", requests=2, tokens=5000), key("ben")) as client:
        first = await chat(client, "ann", "hi")
        assert first.json()["choices"][0]["message"]["content"] == "Hello!"
        assert first.headers["x-ratelimit-limit-requests"] == "2"
        assert first.headers["x-ratelimit-remaining-requests"] == "1"
        assert first.headers["x-ratelimit-reset-requests"].endswith("s")
        assert first.headers["x-ratelimit-remaining-tokens"] == "5000", "no model, no tokens"
        second = await chat(client, "ann", stream=True, max_tokens=100)
        assert second.status_code == 200 and second.headers["x-ratelimit-remaining-requests"] == "0"
        assert 4800 < int(second.headers["x-ratelimit-remaining-tokens"]) < 5000
        third = await chat(client, "ann", "hi")
        assert third.status_code == 429
        assert_error(third.json(), code="quota_exceeded")
        told = third.json()["error"]
        assert (told["type"], told["param"]) == ("rate_limit_error", "requests")
        assert "2 requests a minute" in told["message"]
        assert 1 <= int(third.headers["retry-after"]) <= 31
        assert third.headers["x-ratelimit-remaining-requests"] == "0"
        other = await chat(client, "ben")
        assert other.status_code == 200 and "x-ratelimit-limit-requests" not in other.headers


async def test_tokens_a_minute_are_those_that_were_used(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine, key("ann", tokens=300)) as client:
        engine.play = streamed(conversation("x").replace(b"data: [DONE]", USAGE + b"data: [DONE]"))
        assert (await chat(client, "ann", max_tokens=280)).status_code == 200
        again = await chat(client, "ann", max_tokens=280)
        assert again.status_code == 200, "5 of 280 were used"
        assert len(engine.asked) == 2
        go = asyncio.Event()
        engine.plays = [streamed(conversation("slow"), go)]
        slow = asyncio.create_task(chat(client, "ann", max_tokens=200))
        await until(lambda: len(engine.asked) == 3)
        for stream in (False, True):
            refused = await chat(client, "ann", max_tokens=200, stream=stream)
            assert refused.status_code == 429 and refused.json()["error"]["param"] == "tokens"
            assert len(refused.headers.get_list("x-ratelimit-limit-tokens")) == 1
        go.set()
        assert (await slow).status_code == 200
        assert len(engine.asked) == 3


async def test_so_many_at_a_time(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine, key("ann", concurrency=1)) as client:
        go = asyncio.Event()
        engine.plays = [streamed(conversation("slow"), go)]
        slow = asyncio.create_task(chat(client, "ann"))
        await until(lambda: engine.asked)
        refused = await chat(client, "ann")
        assert refused.status_code == 429 and refused.json()["error"]["param"] == "concurrency"
        assert refused.headers["retry-after"] == "1"
        go.set()
        assert (await slow).status_code == 200
        assert (await chat(client, "ann")).status_code == 200


async def test_a_default_is_of_each_key_and_of_all_without_one(tmp_path: Path) -> None:
    keys = (key("ann"), key("ben", requests=9))
    async with Engine() as engine, gateway(tmp_path, engine, *keys, quota={"requests": 1}) as client:
        assert (await chat(client, "ann", "hi")).status_code == 200
        assert (await chat(client, "ann", "hi")).status_code == 429
        assert [(await chat(client, "ben", "hi")).status_code for _ in range(3)] == [200] * 3
        body = {"model": "auto", "messages": [{"role": "user", "content": "hi"}]}
        assert [(await client.post(CHAT, json=body)).status_code for _ in range(2)] == [200, 429]


async def test_a_job_waits_for_its_turn_and_does_not_fail(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine, key("ann", concurrency=1)) as client:
        engine.plays = [streamed(conversation("slow"), 1.0)]
        slow = asyncio.create_task(chat(client, "ann"))
        await asyncio.sleep(0.2)
        body = {"model": "auto", "messages": [{"role": "user", "content": "later"}]}
        made = await client.post("/v1/jobs", json={"endpoint": CHAT, "body": body}, headers=bearer("ann"))
        job_id = made.json()["id"]
        where = f"/v1/jobs/{job_id}"
        async with asyncio.timeout(30):
            while (job := (await client.get(where, headers=bearer("ann"))).json())["state"] != "completed":
                assert job["disposition"] == "active"
                await asyncio.sleep(0.05)
        await slow
        trace = (await client.get(f"/v1/requests/{job_id}/trace", headers=bearer("ann"))).json()
        assert [step["event"] for step in trace["path"]].count("failed") >= 1
        assert len(engine.asked) == 2


async def test_gateways_on_one_store_share_a_quota(tmp_path: Path) -> None:
    """Two gateways with the same data folder, as workers on one port are."""
    ann = key("ann", requests=6)
    async with Engine() as engine, gateway(tmp_path, engine, ann) as one, gateway(tmp_path, engine, ann) as two:
        for client in (one, two):
            assert (await chat(client, "ann", "hi")).status_code == 200
        assert [(await chat(one, "ann", "hi")).status_code for _ in range(3)] == [200] * 3
        more, began = 0, time.monotonic()
        async with asyncio.timeout(60):
            while (await chat(two, "ann", "hi")).status_code == 200:
                more += 1
                await asyncio.sleep(0.3)
        flowed_back = 6 * (time.monotonic() - began) / 60
        assert more <= 1 + math.ceil(flowed_back), "one was left"
        refused = await chat(two, "ann", "hi")
        assert refused.status_code == 429 and refused.headers["x-ratelimit-remaining-requests"] == "0"
