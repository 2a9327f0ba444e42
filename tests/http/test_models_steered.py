"""Models of engines that the gateway only steers take turns as its own do: with twins of Ollama, llama.cpp's router and
vLLM that load and unload when they are told to."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx

from running import running
from twins.steered import OllamaTwin, RouterTwin, SleepingTwin
from twins.twin import Twin


def backend(engine: str, name: str, twin: Twin, path: str) -> dict[str, Any]:
    load = {"when": "demand", "memory": "2GB"}
    return {
        "engine": engine,
        "model": twin.engine.model,
        "name": name,
        "base_url": f"{twin.base_url}{path}",
        "load": load,
    }


async def test_they_take_turns(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        ollama, router, vllm = OllamaTwin(), RouterTwin(), SleepingTwin()
        for twin in (ollama, router, vllm):
            await stack.enter_async_context(twin)
        sections = {
            "rules": {"packs": []},
            "memory": {"budget": "3GB"},
            "models": {
                "light": {"backends": [backend("ollama", "o", ollama, "")]},
                "medium": {"backends": [backend("llamacpp", "r", router, "/v1")]},
                "heavy": {"backends": [backend("vllm", "v", vllm, "/v1")]},
            },
        }
        gateway = await stack.enter_async_context(running(sections, tmp_path))
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=gateway.base, timeout=60.0))

        async def stages() -> dict[str, str]:
            seen = (await client.get("/admin/models")).json()["models"]
            return {each["target"].rpartition("@")[2]: each["stage"] for each in seen}

        for model, name in (("light", "o"), ("medium", "r"), ("heavy", "v"), ("light", "o")):
            asked = {"model": model, "messages": [{"role": "user", "content": "Hi"}]}
            reply = await client.post("/v1/chat/completions", json=asked)
            assert reply.headers["x-pointsman-target"].endswith(f"@{name}")
            now = await stages()
            assert now.pop(name) == "ready" and "ready" not in now.values()
            assert ollama.resident == (name == "o")
        assert (await client.post(f"/admin/models/{ollama.engine.model}@o/unload")).json()["stage"] == "unloaded"
        assert not ollama.resident
