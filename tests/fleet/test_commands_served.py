"""A whole gateway over engines that commands start: always there, on demand, in turns, and broken ones beside sound ones."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from fleet.test_command import SCRIPT, runs
from running import process, running


def engine(model: str, *words: str, **more: Any) -> dict[str, Any]:
    command = [sys.executable, "-I", "-S", SCRIPT, "--port", "{port}", "--model", "{name}", *words]
    return {"engine": "openai", "model": model, "command": command, "context": 4096, **more}


def config(**models: dict[str, Any]) -> dict[str, Any]:
    return {
        "models": {name: {"backends": [backend]} for name, backend in models.items()},
        "rules": {"packs": []},
    }


async def ask(base: str, model: str) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": "write a poem about the sea"}]}
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
        response = await client.post(f"{base}/v1/chat/completions", json=body)
    assert response.status_code == 200, response.text
    content: str = response.json()["choices"][0]["message"]["content"]
    return content


async def ready(base: str) -> dict[str, Any]:
    async with httpx.AsyncClient(timeout=20, trust_env=False) as client:
        found: dict[str, Any] = (await client.get(f"{base}/ready")).json()
    return found


async def test_an_engine_that_is_always_there_and_a_broken_one_beside_it(tmp_path: Path) -> None:
    broken = engine("broken", "--exit", "0")
    async with running(config(light=engine("sound"), heavy=broken), tmp_path) as gateway:
        name, pid = (await ask(gateway.base, "light")).split()
        assert name == "sound"
        state = await ready(gateway.base)
        assert state["ready"]
        problems = "\n".join(state["problems"])
        assert "broken@openai" in problems
        assert "does it go to the background" in problems
        assert "sound@openai" not in problems
    assert not runs(int(pid))
    assert list((tmp_path / "data" / "engines").glob("openai*.log"))


async def test_two_models_take_turns_and_nothing_is_left(tmp_path: Path) -> None:
    load = {"when": "demand", "group": "card"}
    both = config(light=engine("one", load=load), heavy=engine("two", load=load))
    both["memory"] = {"groups": {"card": "exclusive"}, "patience": 0.2}
    async with running(both, tmp_path) as gateway:
        assert (await ready(gateway.base))["ready"]
        pids: list[int] = []
        for tier, model in (("light", "one"), ("heavy", "two"), ("light", "one")):
            name, pid = (await ask(gateway.base, tier)).split()
            assert name == model
            assert not any(map(runs, pids))  # what was there before was gone first
            pids.append(int(pid))
        assert len(set(pids)) == 3
    kept = json.loads((tmp_path / "data" / "models" / "memory.json").read_text())
    assert len(kept) == 2 and min(kept.values()) > 1 << 20
    assert not any(map(runs, pids))


async def test_a_model_that_does_not_load_on_demand_says_why(tmp_path: Path) -> None:
    broken = engine("broken", "--exit", "137", load={"when": "demand"})
    async with running(config(light=broken), tmp_path) as gateway:
        body = {"model": "light", "messages": [{"role": "user", "content": "write a poem about the sea"}]}
        async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
            response = await client.post(f"{gateway.base}/v1/chat/completions", json=body)
        assert response.status_code >= 500
        assert "broken ran out of memory: killed by SIGKILL" in json.dumps(await ready(gateway.base))


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
async def test_the_gateway_ends_and_with_it_its_engine(tmp_path: Path, how: str) -> None:
    path = tmp_path / "pointsman.yaml"
    whole = config(light=engine("sound")) | {"server": {"port": 0, "data_dir": str(tmp_path / "data")}}
    path.write_text(yaml.safe_dump(whole))
    with process(["-c", str(path)]) as gateway:
        async with asyncio.timeout(60):
            while True:
                try:
                    _, pid = (await ask(gateway.base, "light")).split()
                    break
                except (AssertionError, httpx.HTTPError):
                    await asyncio.sleep(0.1)
        gateway.signal(signal.Signals[how])
        async with asyncio.timeout(30):
            while runs(int(pid)):
                await asyncio.sleep(0.05)


async def test_what_a_model_took_counts_where_nobody_says_what_it_needs(tmp_path: Path) -> None:
    """Before it was loaded once it gets the whole budget; from the next start on both are there together."""
    load = {"when": "demand"}
    both = config(light=engine("one", load=load), heavy=engine("two", load=load))
    both["memory"] = {"budget": "1GB", "patience": 0.2}
    async with running(both, tmp_path) as gateway:
        _, first = (await ask(gateway.base, "light")).split()
        await ask(gateway.base, "heavy")
        assert not runs(int(first))
    async with running(both, tmp_path) as gateway:
        _, first = (await ask(gateway.base, "light")).split()
        await ask(gateway.base, "heavy")
        assert runs(int(first))
