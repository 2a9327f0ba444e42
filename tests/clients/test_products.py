"""Dify, RAGFlow, FastGPT and Open WebUI: the calls by which they accept a model, and how they read the answers."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import CHAT, DONE, USAGE, Door, Engine, config, conversation, delta, door, replied, streamed, user
from running import Process, running

PING = {"messages": [{"role": "user", "content": "ping"}]}


def dify_reads(raw: bytes) -> Iterator[dict[str, Any]]:
    """Dify's reader of an event stream: split at blank lines, drop comments, end silently at an `event:` line."""
    for block in raw.decode("utf-8").split("\n\n"):
        chunk = block.strip()
        if not chunk or chunk.startswith(":"):
            continue
        if chunk.startswith("event:"):
            return
        data = chunk.removeprefix("data:").lstrip()
        if data == "[DONE]":
            return
        yield json.loads(data)


@pytest.mark.parametrize("model", ["auto", "medium"])
def test_dify_validates_a_chat_model(gateway: Door, model: str):
    gateway.engine.play = streamed(conversation("pong").replace(DONE, USAGE + DONE))
    reply = gateway.post(CHAT, json.dumps({"model": model, "max_tokens": 5, "stream": False, **PING}).encode())
    assert reply.status == 200 and reply.json["object"] == "chat.completion"
    assert reply.json["choices"][0]["message"]["content"] and reply.json["usage"]["total_tokens"]
    reply = gateway.post(CHAT, json.dumps({"model": model, "max_tokens": 10, "stream": True, **PING}).encode())
    assert reply.status == 200 and list(dify_reads(reply.body))


def test_dify_validates_an_entry_whose_rules_refuse_it():
    rules = """
rules:
  - id: no_ping
    when: {any: [ping]}
    refuse: {why: {en: No pings here., zh: 这里不行。}, instead: {en: Ask a question., zh: 请提问。}}
    examples: [ping]
    counter_examples: [pong]
    boundary: [{text: pings, takes: false}]
"""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "r.yaml").write_text(rules)
        with door(rules={"packs": [], "files": [str(Path(folder) / "r.yaml")]}) as gateway:
            for stream in (False, True):
                body = {"model": "auto", "max_tokens": 5, "stream": stream, **PING}
                reply = gateway.post(CHAT, json.dumps(body).encode())
                assert reply.status == 200 and reply.headers["x-pointsman-rule"] == "no_ping"
                if stream:
                    said = [c["delta"].get("content") or "" for e in dify_reads(reply.body) for c in e["choices"]]
                    assert "No pings" in "".join(said)
                else:
                    assert reply.json["object"] == "chat.completion" and reply.json["usage"]["total_tokens"]


def test_dify_validates_the_real_model(real_gateway: Process):
    with httpx.Client(base_url=real_gateway.base, timeout=60) as client:
        for model in ("auto", "light"):
            reply = client.post(CHAT, json={"model": model, "max_tokens": 5, **PING})
            assert reply.status_code == 200 and reply.json()["object"] == "chat.completion" and "usage" in reply.json()
            reply = client.post(CHAT, json={"model": model, "max_tokens": 10, "stream": True, **PING})
            assert any(e["choices"][0]["delta"].get("content") for e in dify_reads(reply.content) if e["choices"])


def test_dify_validates_embeddings_and_rerank(gateway: Door):
    answer = {
        "object": "list",
        "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}],
        "model": "m",
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    gateway.engine.play = replied(200, answer)
    body = {"model": "medium", "input": ["ping"], "encoding_format": "float"}
    reply = gateway.post("/v1/embeddings", json.dumps(body).encode())
    assert reply.status == 200 and reply.json["usage"]["total_tokens"] == 1 and reply.json["model"] == "m"
    gateway.engine.play = replied(200, {"results": [{"index": 0, "relevance_score": 0.5}]})
    body = {"model": "medium", "query": "q", "documents": ["a", "b"], "top_n": None, "return_documents": True}
    for base in ("", "/v1"):
        reply = gateway.post(f"{base}/rerank", json.dumps(body).encode())
        assert reply.status == 200 and reply.json["results"][0]["relevance_score"] == 0.5
        assert "top_n" not in gateway.engine.asked[-1].fields, "engines refuse null"


async def test_difys_reader_gets_every_event_through_heartbeats_and_an_error_at_the_end(tmp_path):
    async def slow(writer: Any) -> None:
        await asyncio.sleep(0.35)
        await streamed(delta("", role="assistant"), delta("half"))(writer)

    async def broken(writer: Any) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        await asyncio.sleep(0.35)
        piece = delta("half")
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await asyncio.sleep(0.35)
        writer.transport.abort()

    sections = {"server": {"heartbeat_after": 0.1}}
    async with (
        Engine() as engine,
        running(config(engine, **sections), tmp_path) as gateway,
        httpx.AsyncClient(base_url=gateway.base, timeout=10) as client,
    ):
        engine.play = slow
        reply = await client.post(CHAT, json=user(stream=True))
        assert reply.content.startswith(b":") and b"\r" not in reply.content
        contents = [c["delta"].get("content") for e in dify_reads(reply.content) for c in e.get("choices", [])]
        assert "half" in contents
        engine.play = broken
        reply = await client.post(CHAT, json=user(stream=True))
        read = list(dify_reads(reply.content))
        assert read[0]["choices"][0]["delta"]["content"] == "half" and read[-1]["error"]["request_id"]


def test_a_dify_entry_gets_usage_that_it_never_asks_for():
    with door(entries={"auto": {}, "dify": {"usage": "force"}}) as gateway:
        gateway.engine.play = streamed(conversation("x").replace(DONE, USAGE + DONE))
        reply = gateway.post(CHAT, json.dumps({"model": "dify", "stream": True, **PING}).encode())
        assert gateway.engine.asked[-1].fields["stream_options"] == {"include_usage": True}
        assert [e["usage"]["total_tokens"] for e in dify_reads(reply.body) if e.get("usage")] == [5]


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


@pytest.mark.parametrize(
    "form",
    [
        {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}},
        {"type": "json_schema", "json_schema": SCHEMA},
    ],
)
def test_a_schema_is_relayed_wrapped_or_raw(gateway: Door, form: dict[str, Any]):
    body = {"model": "auto", "messages": [{"role": "user", "content": "hi"}], "response_format": form}
    assert gateway.post(CHAT, json.dumps(body).encode()).status == 200
    assert gateway.engine.asked[-1].fields["response_format"] == form


# RAGFlow


def test_ragflow_validates_by_streaming_hi(real_gateway: Process):
    for model in ("auto", "light"):
        body = {
            "model": model,
            "messages": [{"role": "user", "content": "Hi"}],
            "stream": True,
            "drop_params": True,
            "max_tokens": 16,
        }
        with httpx.stream("POST", real_gateway.base + CHAT, json=body, timeout=60) as reply:
            assert reply.status_code == 200
            said = b"".join(reply.iter_raw())
        assert any(c["delta"].get("content") for e in dify_reads(said) for c in e["choices"])


@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v1/reranking"])
def test_ragflow_reranks_on_every_path(gateway: Door, path: str):
    gateway.engine.play = replied(200, {"results": [{"index": 0, "relevance_score": 0.5}]})
    body = {"model": "medium", "query": "q", "documents": ["a"], "top_n": 1, "drop_params": True}
    assert gateway.post(path, json.dumps(body).encode()).json["results"][0]["relevance_score"] == 0.5
    assert gateway.engine.asked[-1].fields == body | {"model": "m"}


# FastGPT


def test_fastgpt_gets_reasoning_content_byte_for_byte(gateway: Door):
    stream = delta(None, reasoning_content='Let me think: 你好 "quoted" 🚂') + conversation("42")
    gateway.engine.play = streamed(stream)
    reply = gateway.post(CHAT, json.dumps(user(model="auto", stream=True)).encode())
    assert reply.body == stream
    whole = gateway.post(CHAT, json.dumps(user(model="auto")).encode()).json["choices"][0]["message"]
    assert whole["reasoning_content"] == 'Let me think: 你好 "quoted" 🚂' and whole["content"] == "42"


def test_an_empty_stream_never_reaches_fastgpt(gateway: Door):
    gateway.engine.play = streamed()
    reply = gateway.post(CHAT, json.dumps(user(model="auto", stream=True)).encode())
    assert reply.status == 502 and reply.json["error"]["src"] == "backend"


# Open WebUI


async def test_open_webui_lists_models_at_once_with_every_backend_down(tmp_path):
    models = {
        "light": {"backends": [{"engine": "vllm", "model": "a", "base_url": "http://127.0.0.1:9/v1"}]},
        "heavy": {"backends": [{"engine": "ollama", "model": "b:7b", "base_url": "http://192.0.2.1:11434"}]},
    }
    async with (
        running({"models": models}, tmp_path, settle=0.1) as gateway,
        httpx.AsyncClient(base_url=gateway.base, timeout=3) as client,  # a backend's own time-out is longer
    ):
        reply = await client.get("/v1/models", headers={"x-openwebui-user-id": "u", "x-openwebui-chat-id": "c"})
        names = [model["id"] for model in reply.json()["data"]]
        assert reply.status_code == 200
        assert {"auto", "light", "heavy", "model-light", "model-heavy", "a", "b:7b"} <= set(names)
        assert (await client.get("/v1/models/b:7b")).json()["id"] == "b:7b"
        assert (await client.get("/v1/models/b%3A7b")).json()["id"] == "b:7b"
        assert (await client.get("/health")).status_code == 200
        ready = await client.get("/ready")
        assert ready.status_code == 503 and ready.json()["problems"]
        hello = await client.post(CHAT, json={"model": "auto", "messages": [{"role": "user", "content": "hello"}]})
        assert hello.status_code == 200 and hello.headers["x-pointsman-stage"] == "l0"
