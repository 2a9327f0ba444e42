"""Scored targets through a real gateway: who gets a request, what is measured, what the log can compute again."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from execution.engine import DONE, Engine, Play, delta, event, streamed
from running import running

LOG = (sys.executable, "-m", "pointsman", "log")
QUICK, SLOW = "qwen2.5-3b", "qwen2.5-32b"


def reply(prompt: int = 40, tokens: int = 12, cached: int = 0, per_token: float = 5.0) -> Play:
    """As llama.cpp replies, with its own figures; `per_token` in milliseconds."""
    timings = {
        "cache_n": cached,
        "prompt_n": prompt - cached,
        "prompt_ms": (prompt - cached) * per_token / 10,
        "predicted_n": tokens,
        "predicted_ms": tokens * per_token,
    }
    usage = {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens}
    return streamed(
        delta("", role="assistant"),
        delta("hello"),
        delta(finish="stop"),
        event({"id": "c1", "object": "chat.completion.chunk", "choices": [], "usage": usage, "timings": timings}),
        DONE,
        gap=0.0,
    )


def config(*engines: Engine, **more: Any) -> dict[str, Any]:
    tiers = ("light", "heavy", "medium")
    return {
        "models": {
            tier: {"backends": [engine.backend(name=f"b{number}", limits={"sequences": 2})]}
            for number, (tier, engine) in enumerate(zip(tiers, engines, strict=False))
        },
        "entries": {"auto": {"policy": "interactive"}, "night": {"policy": "batch"}, "plain": {}},
        "rules": {"packs": ["builtin:smalltalk"]},
        **more,
    }


@asynccontextmanager
async def gateway(config: dict[str, Any], folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with running(config, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
        yield client


def chat(*texts: str, **more: Any) -> dict[str, Any]:
    turns = [{"role": "assistant" if number % 2 else "user", "content": text} for number, text in enumerate(texts)]
    return {"model": "auto", "messages": turns, **more}


async def test_every_decision_follows_again_in_another_process_by_another_config(tmp_path: Path) -> None:
    bodies = [
        chat("What is a mutex?"),
        chat("你好"),
        chat("写一个 python 函数判断素数", "好的", "提交它"),
        chat("Translate to French: good morning, dear colleagues.", model="night"),
        chat("Explain the halting problem in detail, step by step.", model="plain"),
        chat("x" * 4000, max_tokens=5),
        chat("Prove that there are infinitely many primes.", stream=True),
        chat("Tell me about trains.", model="heavy"),
        chat(""),
    ]
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine(name)) for name in (QUICK, SLOW, "nameless")]
        for engine, pace in zip(engines, (2.0, 20.0, 7.0), strict=True):
            engine.play = reply(per_token=pace)
        routes = [{"name": "short", "match": {"max_tokens": 12, "entry": "night"}, "target": "medium"}]
        async with gateway(config(*engines, routes=routes), tmp_path) as client:

            async def ask(number: int) -> int:
                if number % 40 == 13:
                    engines[number % 3].play = reply(prompt=300, tokens=60, per_token=1.0 + number % 7)
                headers = {"x-pointsman-session": f"s{number % 5}"} if number % 2 else {}
                body = bodies[number % len(bodies)]
                return (await client.post("/v1/chat/completions", json=body, headers=headers)).status_code

            for start in range(0, 180, 12):
                assert set(await asyncio.gather(*map(ask, range(start, start + 12)))) == {200}
    other = tmp_path / "other.yaml"
    other.write_text(yaml.safe_dump({"policy": {"interactive": {"quality": 0.1, "cost": 5.0}}}), encoding="utf-8")
    done = await asyncio.to_thread(
        subprocess.run,
        [*LOG, "-c", str(other), "--data-dir", str(tmp_path / "data"), "--recompute", "--json"],
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert json.loads(done.stdout) == {"equal": 180, "different": 0, "unread": 0, "none": 0, "ids": []}
    assert done.returncode == 0


async def test_what_is_measured_changes_who_is_asked(tmp_path: Path) -> None:
    """The model that is larger, and so taken for slower, turns out to be the faster one."""
    async with Engine(QUICK) as small, Engine(SLOW) as large:
        small.play, large.play = reply(per_token=50.0), reply(per_token=1.0)
        async with gateway(config(small, large), tmp_path) as client:
            first = (await client.post("/v1/decide", json={"text": "What is a mutex?"})).json()
            assert first["targets"][0]["target"] == f"{QUICK}@b0"
            assert {choice["terms"]["rate_from"] for choice in first["targets"]} == {"size"}
            for name in ("light", "heavy"):
                body = chat("Tell me about trains.", model=name)
                assert (await client.post("/v1/chat/completions", json=body)).status_code == 200
            then = (await client.post("/v1/decide", json={"text": "What is a mutex?"})).json()
            assert then["targets"][0]["target"] == f"{SLOW}@b1"
            assert {choice["terms"]["rate_from"] for choice in then["targets"]} == {"measured"}
            assert then["snapshot"] != first["snapshot"]
            assert "policy interactive" in then["reason"] and SLOW in then["reason"]
            assert [choice["in_flight"] for choice in then["targets"]] == [0, 0]


async def test_a_conversation_stays_where_it_was_and_says_why_it_moves(tmp_path: Path) -> None:
    async with Engine(QUICK) as small, Engine(SLOW) as large:
        small.play, large.play = reply(per_token=3.0), reply(per_token=3.0)
        weights = {"interactive": {"quality": 0.2, "latency": 1.0, "cost": 0.0, "stay": 0.2}}
        async with gateway(config(small, large, policy=weights), tmp_path) as client:

            async def ask(*texts: str, **headers: str) -> httpx.Response:
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                return await client.post("/v1/chat/completions", json=chat(*texts), headers=named)

            named = {"x_pointsman_session": "one"}
            first = await ask("Tell me about trains.", **named)
            target = first.headers["x-pointsman-target"]
            assert target == f"{QUICK}@b0"
            small.play = reply(per_token=3.4)  # a little slower than the other one now
            for _ in range(30):
                await client.post("/v1/chat/completions", json=chat("Tell me about ships.", model="light"))
                await client.post("/v1/chat/completions", json=chat("Tell me about ships.", model="heavy"))
            assert (await ask("Tell me about planes.")).headers["x-pointsman-target"] == f"{SLOW}@b1"
            stays = await ask("Tell me about trains.", "They are long.", "Go on.", **named)
            assert stays.headers["x-pointsman-target"] == target
            assert "the session stays with" in stays.headers["x-pointsman-reason"]
            by_beginning = await ask("Tell me about planes.", "They fly.", "Go on, please.")
            assert by_beginning.headers["x-pointsman-target"] == f"{SLOW}@b1"
            small.play = reply(per_token=60.0)
            for _ in range(30):
                await client.post("/v1/chat/completions", json=chat("Tell me about ships.", model="light"))
            moves = await ask("Tell me about trains.", "They are long.", "Go on.", **named)
            assert moves.headers["x-pointsman-target"] == f"{SLOW}@b1"
            assert "the session moves from" in moves.headers["x-pointsman-reason"]
            traced = {"x-pointsman-trace": "1"}
            body = chat("Tell me about planes.", "They fly.", "Go on.")
            shown = (await client.post("/v1/chat/completions", json=body, headers=traced)).json()["pointsman"]
            assert (shown["decision"]["last"], shown["decision"]["scored"]) == (f"{SLOW}@b1", "interactive")
            assert [choice["terms"]["bonus"] for choice in shown["decision"]["targets"]] == [0.24, 0.0]


async def test_without_a_policy_nothing_is_scored(tmp_path: Path) -> None:
    async with (
        Engine(QUICK) as small,
        Engine(SLOW) as large,
        gateway(config(small, large, fallback={"target": "heavy"}), tmp_path) as client,
    ):
        body = {"text": "What is a mutex?", "model": "plain"}
        decision = (await client.post("/v1/decide", json=body)).json()
        assert [choice["target"] for choice in decision["targets"]] == [f"{SLOW}@b1"]
        assert (decision["scored"], decision["targets"][0]["score"]) == (None, None)
