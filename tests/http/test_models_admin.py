"""Models that take turns in memory, as clients and operators see it. With the real engine and model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from pointsman.http.auth import hash_key
from running import running

MODEL = "builtin:smollm2-135m"
ONE, TWO, LARGE = (f"{MODEL}@{name}" for name in ("one", "two", "large"))
KEYS = [
    {"name": "boss", "hash": hash_key("k-boss"), "admin": True},
    {"name": "app", "hash": hash_key("k-app")},
]


def backend(name: str, **load: Any) -> dict[str, Any]:
    own = {"engine": "embedded", "model": MODEL, "name": name, "context": 512, "threads": 1, "slots": 1}
    return {**own, "load": {"when": "demand", "memory": "200MB", **load}}


def sections(**memory: Any) -> dict[str, Any]:
    return {
        "rules": {"packs": []},
        "server": {"heartbeat_after": 0.05},
        "memory": {"budget": "300MB", **memory},
        "models": {
            "one": {"backends": [backend("one")]},
            "two": {"backends": [backend("two")]},
            "large": {"backends": [backend("large", memory="250MB")]},
        },
        "auth": {"keys": KEYS},
    }


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        running(sections(), tmp_path) as gateway,
        httpx.AsyncClient(base_url=gateway.base, timeout=60.0) as client,
    ):
        yield client


async def ask(client: httpx.AsyncClient, model: str, **more: Any) -> httpx.Response:
    asked = {"model": model, "max_tokens": 2, "messages": [{"role": "user", "content": "Name a fruit."}], **more}
    return await client.post("/v1/chat/completions", json=asked)


async def models(client: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    return {each["target"]: each for each in (await client.get("/admin/models")).json()["models"]}


async def test_models_take_turns_and_everybody_is_told(client: httpx.AsyncClient) -> None:
    assert {each["stage"] for each in (await models(client)).values()} == {"absent"}
    assert (await client.get("/ready")).json()["ready"]  # what can be loaded can serve

    cold = await ask(client, "one")
    assert cold.status_code == 200 and cold.headers["x-pointsman-target"] == ONE
    assert cold.headers["x-pointsman-reason"].endswith(f"; {ONE} is not in memory and is loaded first")
    assert cold.headers["x-pointsman-waited"].endswith(f"; loaded={ONE}")
    warm = await ask(client, "one")
    assert "memory" not in warm.headers["x-pointsman-reason"]

    asking = {"model": "two", "max_tokens": 2, "stream": True, "messages": [{"role": "user", "content": "Hi"}]}
    lines = []
    async with client.stream("POST", "/v1/chat/completions", json=asking) as reply:
        assert f"loading={TWO}" in reply.headers["x-pointsman-queue"]
        async for line in reply.aiter_lines():
            lines.append(line)
    assert any(line.startswith(": waiting; ahead=0; loading=") and TWO in line for line in lines)
    assert lines[-2] == "data: [DONE]"

    seen = await models(client)
    assert seen[ONE]["stage"] == "unloaded" and seen[ONE]["evictions"] == 1 and seen[ONE]["load_seconds"] > 0
    assert seen[TWO]["stage"] == "ready" and seen[TWO]["comes_and_goes"]
    text = (await client.get("/metrics")).text
    assert f'pointsman_model_resident{{target="{TWO}"}} 1.0' in text
    assert f'pointsman_model_unloads_total{{reason="room",target="{ONE}"}} 1.0' in text
    assert f'pointsman_model_loads_total{{cause="request",outcome="ok",target="{ONE}"}} 1.0' in text


async def test_operators_load_unload_and_pin(client: httpx.AsyncClient) -> None:
    loaded = await client.post(f"/admin/models/{ONE}/load")
    assert loaded.status_code == 200 and loaded.json()["stage"] == "ready"
    assert (await client.post(f"/admin/models/{ONE}/pin")).json()["pinned"]
    refused = await ask(client, "two")
    assert refused.status_code == 503
    assert "200.0 MiB" in refused.json()["error"]["message"] and "300.0 MiB" in refused.json()["error"]["message"]
    kept = await client.post(f"/admin/models/{ONE}/unload", headers={"accept-language": "zh"})
    assert kept.status_code == 409 and kept.json()["error"]["message"] == f"{ONE} 已固定"
    assert not (await client.post(f"/admin/models/{ONE}/unpin")).json()["pinned"]
    assert (await client.post(f"/admin/models/{ONE}/unload")).json()["stage"] == "unloaded"
    assert (await ask(client, "two")).status_code == 200


async def test_who_may_not_and_what_is_not_there(client: httpx.AsyncClient) -> None:
    remote = {"x-forwarded-for": "203.0.113.7", "authorization": "Bearer k-app"}
    for method, path in (("GET", "/admin/models"), ("POST", f"/admin/models/{ONE}/load")):
        assert (await client.request(method, path, headers=remote)).status_code == 403
    boss = remote | {"authorization": "Bearer k-boss"}
    assert (await client.get("/admin/models", headers=boss)).status_code == 200
    unknown = await client.post("/admin/models/other/load")
    assert unknown.status_code == 404 and ONE in unknown.json()["error"]["message"]
    several = await client.post(f"/admin/models/{MODEL}/load")
    assert several.status_code == 404 and "several backends" in several.json()["error"]["message"]
    assert (await client.get(f"/admin/models/{ONE}/load")).status_code == 405


async def test_requests_are_served_in_batches_by_model(client: httpx.AsyncClient) -> None:
    replies = await asyncio.gather(*(ask(client, name) for name in ("one", "two", "one", "one", "two", "large")))
    assert [reply.status_code for reply in replies] == [200] * 6
    assert sum(each["loads"] for each in (await models(client)).values()) == 3


async def test_a_file_that_is_no_model_fails_alone_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "picture.gguf").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    config = sections()
    config["models"]["large"]["backends"][0]["model"] = str(tmp_path / "picture.gguf")
    async with (
        running(config, tmp_path) as gateway,
        httpx.AsyncClient(base_url=gateway.base, timeout=60.0) as client,
    ):
        broken = await ask(client, "large")
        assert broken.status_code == 503 and "picture.gguf" in broken.json()["error"]["message"]
        target = f"{tmp_path}/picture.gguf@large"
        assert (await models(client))[target]["stage"] == "failed"
        asked = await client.post(f"/admin/models/{target}/load")
        assert asked.status_code == 409 and "picture.gguf" in asked.json()["error"]["message"]
        assert (await ask(client, "one")).status_code == 200


async def test_a_reload_makes_a_model_come_and_go_and_back(tmp_path: Path) -> None:
    always = sections()
    del always["memory"]
    for name in ("one", "two", "large"):
        always["models"][name]["backends"][0]["load"] = None
    del always["models"]["large"]
    async with (
        running(always, tmp_path) as gateway,
        httpx.AsyncClient(base_url=gateway.base, timeout=60.0) as client,
    ):
        assert {each["comes_and_goes"] for each in (await models(client)).values()} == {False}
        assert (await ask(client, "one")).status_code == 200
        turns = sections()
        gateway.config.write_text(yaml.safe_dump(turns), encoding="utf-8")
        assert (await client.post("/admin/reload")).status_code == 200
        replies = await asyncio.gather(*(ask(client, name) for name in ("one", "two", "large")))
        assert [reply.status_code for reply in replies] == [200] * 3
        assert sorted(each["stage"] for each in (await models(client)).values()) == ["ready", "unloaded", "unloaded"]
        gateway.config.write_text(yaml.safe_dump(always), encoding="utf-8")
        assert (await client.post("/admin/reload")).status_code == 200
        replies = await asyncio.gather(*(ask(client, name) for name in ("one", "two")))
        assert [reply.status_code for reply in replies] == [200] * 2
        assert {each["comes_and_goes"] for each in (await models(client)).values()} == {False}
