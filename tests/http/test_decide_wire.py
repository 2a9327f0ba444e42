"""`POST /v1/decide`: what would be decided, as `explain --json` has it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import Engine, config
from pointsman.http.auth import hash_key
from running import Running, running

RULES = """
rules:
  - id: greeting
    when: {whole: [hi, 你好]}
    answer: {en: Hello!, zh: 你好！}
    examples: [hi]
    counter_examples: [hi there]
    boundary: [{text: hi you, takes: false}]
"""


@contextlib.asynccontextmanager
async def gateway(folder: Path, *engines: Engine, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    sections = config(*engines, rules={"packs": [], "files": ["rules.yaml"]}) | more
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
        yield served, client


async def test_the_decision_is_that_of_explain_and_no_model_is_called(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (served, client):
        for text in ("hi", "What is the capital of France?"):
            reply = await client.post("/v1/decide", json={"text": text})
            assert reply.status_code == 200
            told = subprocess.run(
                [sys.executable, "-m", "pointsman", "explain", "-c", str(served.config), "--json", text],
                capture_output=True,
                check=True,
            )
            explained, decided = json.loads(told.stdout), reply.json()
            assert list(explained) == list(decided)
            for key in (
                "stage",
                "rule",
                "action",
                "parameters",
                "matched",
                "features",
                "execution_path",
                "seed",
                "policy",
            ):
                assert explained[key] == decided[key]
        assert decided["stage"] == "model" and decided["targets"], "the live state of the targets decides"
        assert engine.asked == []


async def test_a_conversation_an_entry_a_task(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"}]
        body = {"model": "auto", "messages": messages, "temperature": 0.1, "text": None}
        assert (await client.post("/v1/decide", json=body)).json()["rule"] == "greeting"
        named = (await client.post("/v1/decide", json={"text": "hi there", "task": "translation"})).json()
        assert named["features"]["task_type"] == "translation" and named["features"]["task_source"] == "declared"
        zh = (await client.post("/v1/decide", json={"text": "你好"})).json()
        assert zh["parameters"]["text"] == "你好！"
        long = (await client.post("/v1/decide", json={"text": "word " * 20_000})).json()
        assert long["stage"] in ("model", "l0")


BAD = [
    ({}, "text", 400, "messages"),
    ({"text": 5}, "text", 400, "text"),
    ({"text": "hi", "messages": []}, "text", 400, "messages"),
    ({"messages": []}, "messages", 400, "message"),
    ({"messages": [{"role": "user"}]}, "messages[0].content", 400, "content"),
    ({"txt": "hi"}, "txt", 400, "text"),
    ({"text": "hi", "task": "fly"}, "task", 400, "translation"),
    ({"text": "hi", "task": 5}, "task", 400, "task"),
    ({"text": "hi", "model": 5}, "model", 400, "model"),
    ({"text": "hi", "model": "nope"}, "model", 404, "auto"),
]


@pytest.mark.parametrize(("body", "param", "status", "told"), BAD)
async def test_what_is_wrong_is_named_in_both_languages(tmp_path, body, param, status, told):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        words = []
        for language in ("en", "zh"):
            reply = await client.post("/v1/decide", json=body, headers={"accept-language": language})
            error = reply.json()["error"]
            assert (reply.status_code, error["param"]) == (status, param)
            assert told in error["message"]
            words.append(error["message"])
        assert words[0] != words[1]
        broken = await client.post("/v1/decide", content=b"{")
        assert broken.json()["error"]["code"] == "invalid_json"
        assert (await client.get("/v1/decide")).status_code == 405


async def test_a_key_is_needed_where_others_need_one(tmp_path):
    keys = {"keys": [{"name": "a", "hash": hash_key("secret")}], "loopback": "key"}
    async with Engine() as engine, gateway(tmp_path, engine, auth=keys) as (_, client):
        assert (await client.post("/v1/decide", json={"text": "hi"})).status_code == 401
        reply = await client.post("/v1/decide", json={"text": "hi"}, headers={"authorization": "Bearer secret"})
        assert reply.status_code == 200
