"""Requests for pictures end to end: no rule takes them, the action called `image` does; both languages, streamed and not."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from actions.image import recorded
from actions.image.painter import Painter
from execution.engine import Engine, config
from running import running

PICTURE = re.compile(r"!\[([^\]]*)\]\((http://[^)]+/files/[\w-]+)\)")


@contextlib.asynccontextmanager
async def gateway(
    folder: Path, engine: str = "sdwebui", **settings: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, Painter, Engine]]:
    async with Painter().listening() as painter, Engine() as model:
        base = painter.host + ("/v1" if engine == "openai" else "")
        actions = {"image": {"image": {"engine": engine, "base_url": base} | settings}}
        async with (
            running(config(model, actions=actions), folder) as served,
            httpx.AsyncClient(base_url=served.base, timeout=60) as client,
        ):
            yield client, painter, model


async def asked(client: httpx.AsyncClient, text: str, *, stream: bool) -> str:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}], "stream": stream}
    reply = await client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200 and reply.headers["x-pointsman-stage"] == "l0", reply.text
    assert reply.headers["x-pointsman-rule"] == "degrade.image"
    if not stream:
        return str(reply.json()["choices"][0]["message"]["content"])
    assert reply.text.endswith("data: [DONE]\n\n")
    events = [json.loads(line[6:]) for line in reply.text.split("\n\n") if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"])


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("engine", ["sdwebui", "openai"])
async def test_a_request_that_no_rule_takes(engine: str, stream: bool, tmp_path: Path) -> None:
    async with gateway(tmp_path, engine) as (client, painter, model):
        for question, prompt, head in (
            ("用AI画一只穿西装的猫", "一只穿西装的猫", "“一只穿西装的猫”（512 × 512）："),
            ("draw me a cat in a suit, portrait format", "a cat in a suit", "“a cat in a suit” (512 × 768):"),
        ):
            text = await asked(client, question, stream=stream)
            assert text.startswith(head), text
            [(name, url)] = PICTURE.findall(text)
            assert name == prompt and painter.asked[-1].fields["prompt"] == prompt
            reply = await client.get(url)
            assert reply.headers["content-type"] == "image/png"
            assert reply.content == recorded.png(512, 768 if "portrait" in question else 512)
        assert model.asked == []


async def test_what_is_no_request_for_a_picture_goes_to_the_model(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (client, painter, model):
        for text in ("怎么画一只猫？", "draw a flow chart of our login", "用代码画一个圆的函数"):
            body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
            reply = await client.post("/v1/chat/completions", json=body)
            assert reply.headers["x-pointsman-stage"] == "model"
        assert painter.asked == [] and len(model.asked) == 3


async def test_a_server_that_fails_is_told_in_the_users_language(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (client, painter, _):
        painter.plays["/sdapi/v1/txt2img"] = recorded_failure()
        assert (await asked(client, "画一只狐狸", stream=False)).startswith("显存不足")
        assert (await asked(client, "draw a fox", stream=True)).startswith("The GPU has not enough memory")


async def test_as_a_job_with_values(tmp_path: Path) -> None:
    async with gateway(tmp_path, size="64x64") as (client, _, _):
        body = {"action": "image", "parameters": {"prompt": "a fox", "count": 2, "seed": 5}}
        job = (await client.post("/v1/jobs", json=body)).json()
        while job["state"] != "completed":
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
        result = job["result"]["body"]
        first, second = result["values"]["images"]
        assert (first["seed"], second["seed"], first["width"]) == (5, 6, 64), job
        assert (await client.get(second["url"])).content == recorded.png(64, 64)
        wrong = await client.post("/v1/jobs", json={"action": "image", "parameters": {"prompt": "a fox", "count": 9}})
        assert wrong.status_code == 400


def recorded_failure() -> Any:
    from execution.engine import replied

    return replied(500, recorded.WEBUI_NO_MEMORY)
