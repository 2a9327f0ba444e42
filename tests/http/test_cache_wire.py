"""`entries.NAME.cache`: the very same request of the same caller gets the kept reply for a while."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import (
    CHAT,
    DONE,
    USAGE,
    Engine,
    config,
    conversation,
    delta,
    event,
    events_of,
    replied,
    streamed,
    user,
)  # fmt: skip
from pointsman.domain.record import Record
from pointsman.http.openai.aggregate import Aggregate
from running import Running, running

TEXTS = {"zh": "给我讲讲火车。", "en": "Tell me about trains."}


@contextlib.asynccontextmanager
async def caching(
    folder: Path, cache: Any = "30s", **more: Any
) -> AsyncIterator[tuple[Engine, Running, httpx.AsyncClient]]:
    entries = {"auto": {"cache": cache}, "plain": {}}
    async with Engine() as engine, running(config(engine, entries=entries, **more), folder) as gateway:
        engine.play = streamed(conversation("A ", "train.")[: -len(DONE)] + USAGE + DONE)
        async with httpx.AsyncClient(base_url=gateway.base) as client:
            yield engine, gateway, client


async def ask(client: httpx.AsyncClient, path: str = CHAT, headers: dict[str, str] | None = None, **more: Any):
    reply = await client.post(path, json=user() | {"model": "auto"} | more, headers=headers or {})
    assert reply.status_code == 200, reply.text
    return reply


def state(reply: httpx.Response) -> str:
    return reply.headers["x-pointsman-cache"].partition(";")[0]


def content(reply: httpx.Response) -> str:
    if reply.headers["content-type"].startswith("text/event-stream"):
        aggregate = Aggregate()
        aggregate.feed(reply.content)
        return aggregate.result()["choices"][0]["message"]["content"]
    return reply.json()["choices"][0]["message"]["content"]


def recorded(gateway: Running) -> list[Record]:
    """What is recorded from here on."""
    pipeline = gateway.app._serving.pipeline
    records: list[Record] = []
    recorder = pipeline.recorder

    class Both:
        def put(self, record: Record, *more: Any) -> None:
            records.append(record)
            recorder.put(record, *more)

    pipeline.recorder = Both()
    return records


def move(gateway: Running, seconds: float) -> None:
    """The pipeline's clock goes on."""
    clock = gateway.app._serving.pipeline.clock
    real = type(clock)()
    clock.monotonic = lambda: real.monotonic() + seconds


@pytest.mark.parametrize("tongue", ["zh", "en"])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
async def test_the_second_gets_the_kept_reply_in_its_own_form(first: bool, second: bool, tongue: str, tmp_path: Path):
    messages = [{"role": "user", "content": TEXTS[tongue]}]
    usage = {"include_usage": True}
    async with caching(tmp_path) as (engine, gateway, client):
        one = await ask(client, messages=messages, stream=first, **({"stream_options": usage} if first else {}))
        move(gateway, 3)
        two = await ask(client, messages=messages, stream=second, **({"stream_options": usage} if second else {}))
    assert len(engine.asked) == 1
    assert state(one) == "miss" and two.headers["x-pointsman-cache"] == "hit; age=3"
    assert content(one) == content(two) == "A train."
    assert two.headers["x-pointsman-target"] == "m@b1" and two.headers["x-pointsman-stage"] == "model"
    assert ("event-stream" in two.headers["content-type"]) is second
    if second:
        assert two.content.endswith(DONE) and events_of(two.content)[-1]["usage"]["total_tokens"] == 5
    else:
        assert two.json()["usage"]["total_tokens"] == 5
    if first is second:
        assert one.content == two.content


async def test_a_whole_reply_of_the_engine_becomes_a_stream(tmp_path: Path):
    message = {"role": "assistant", "content": "hello", "reasoning": "hm"}
    whole = {"id": "c9", "object": "chat.completion", "created": 5, "model": "m", "system_fingerprint": "f"}
    whole |= {"choices": [{"index": 0, "message": message, "finish_reason": "length"}], "usage": {"total_tokens": 9}}
    async with caching(tmp_path) as (engine, _, client):
        engine.play = replied(200, whole)
        one = await ask(client)
        two = await ask(client, stream=True)
        three = await ask(client, stream=True, stream_options={"include_usage": True})
        again = await ask(client)
    assert len(engine.asked) == 1 and one.content == again.content and one.json() == whole
    piece, end = events_of(two.content)
    assert piece["object"] == end["object"] == "chat.completion.chunk" and piece["id"] == "c9"
    assert piece["choices"] == [{"index": 0, "delta": message, "finish_reason": None}]
    assert end["choices"] == [{"index": 0, "delta": {}, "finish_reason": "length"}]
    assert two.content.endswith(DONE) and three.content.endswith(DONE)
    assert events_of(three.content)[-1] | {"created": 0} == {
        **{key: whole[key] for key in ("id", "model", "system_fingerprint")},
        "object": "chat.completion.chunk", "created": 0, "choices": [], "usage": {"total_tokens": 9},
    }  # fmt: skip


async def test_figures_come_to_who_asked_for_them_and_to_nobody_else(tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        engine.play = streamed(conversation("x"))
        assert state(await ask(client, stream=True)) == "miss"  # the engine was not asked for figures
        engine.play = streamed(conversation("y")[: -len(DONE)] + USAGE + DONE)
        whole = await ask(client)
        assert state(whole) == "miss" and whole.json()["usage"]["total_tokens"] == 5
        plain = await ask(client, stream=True)
        assert state(plain) == "hit" and plain.content == conversation("y")
        assert state(await ask(client)) == "hit"
    assert len(engine.asked) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"messages": [{"role": "user", "content": "Tell me about trains!"}]},
        {"temperature": 0.5},
        {"max_tokens": 7},
        {"user": "li"},
        {"headers": {"x-openwebui-user-id": "li"}},
        {"headers": {"authorization": "Bearer other"}},
        {"headers": {"x-pointsman-task": "translation"}},
        {"model": "plain"},
    ],
)
async def test_what_is_not_the_same_request_is_a_miss(change: dict[str, Any], tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        await ask(client)
        other = await ask(client, **change)
        assert other.headers.get("x-pointsman-cache") == (None if change.get("model") else "miss")
        assert len(engine.asked) == 2
        assert state(await ask(client)) == "hit"


async def test_users_are_told_apart_by_the_body_also_where_a_header_names_one(tmp_path: Path):
    headers = {"x-openwebui-user-id": "portal"}
    async with caching(tmp_path) as (_engine, _, client):
        states = [state(await ask(client, headers=headers, user=name)) for name in ("li", "wang", "li")]
    assert states == ["miss", "miss", "hit"]


async def test_form_order_and_spaces_of_the_body_and_sessions_make_no_difference(tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        await client.post(CHAT, content=b'{"model":"auto","messages":[{"role":"user","content":"hi you"}],"seed":1}')
        body = b'{ "seed": 1, "messages": [ {"content": "hi \\u0079ou", "role": "user"} ], "model": "auto" }'
        reply = await client.post(CHAT, content=body, headers={"x-pointsman-session": "s"})
    assert state(reply) == "hit" and len(engine.asked) == 1


async def test_a_key_is_a_caller(tmp_path: Path):
    keys = [{"name": name, "hash": "sha256:" + hashlib.sha256(name.encode()).hexdigest()} for name in ("a", "b")]
    async with caching(tmp_path, auth={"keys": keys, "loopback": "key"}) as (engine, _, client):
        for name, wanted in (("a", "miss"), ("b", "miss"), ("a", "hit"), ("b", "hit")):
            assert state(await ask(client, headers={"x-api-key": name})) == wanted
    assert len(engine.asked) == 2


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"n": 2},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y"}}]}]},
        {"messages": [{"role": "tool", "tool_call_id": "1", "content": "x"}, {"role": "user", "content": "so?"}]},
        {"headers": {"cache-control": "no-store"}},
    ],
)
async def test_what_is_never_kept(more: dict[str, Any], tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        assert [state(await ask(client, **more)) for _ in range(2)] == ["bypass", "bypass"]
    assert len(engine.asked) == 2


async def test_no_cache_asks_the_model_and_renews_what_is_kept(tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        await ask(client)
        engine.play = streamed(conversation("new")[: -len(DONE)] + USAGE + DONE)
        fresh = await ask(client, headers={"cache-control": "no-cache"})
        assert state(fresh) == "bypass" and content(fresh) == "new"
        later = await ask(client)
        assert state(later) == "hit" and content(later) == "new"
    assert len(engine.asked) == 2


@pytest.mark.parametrize(
    "stream",
    [
        conversation("x").replace(b'"stop"', b'"content_filter"'),
        conversation("x").replace(b'"stop"', b'"tool_calls"'),
        delta("x") + delta(finish="stop"),
        delta("x") + event({"error": {"message": "no"}}) + DONE,
    ],
)
async def test_a_reply_that_did_not_end_well_is_not_kept(stream: bytes, tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        engine.play = streamed(stream)
        assert [state(await ask(client, stream=True)) for _ in range(2)] == ["miss", "miss"]


async def test_failures_and_cut_streams_are_not_kept(tmp_path: Path):
    async with caching(tmp_path, fallback={"max_retries": 0}) as (engine, _, client):
        engine.plays = [replied(500, {"error": "no"}), streamed(delta("x"))]
        for _ in range(2):
            await client.post(CHAT, json=user(model="auto", stream=True))
        assert state(await ask(client)) == "miss"


async def test_an_old_reply_goes(tmp_path: Path):
    async with caching(tmp_path, {"seconds": 5}) as (_engine, gateway, client):
        await ask(client)
        move(gateway, 4)
        assert state(await ask(client)) == "hit"
        move(gateway, 5.5)
        assert state(await ask(client)) == "miss"


async def test_a_reload_forgets_all(tmp_path: Path):
    async with caching(tmp_path) as (_engine, _, client):
        await ask(client)
        assert state(await ask(client)) == "hit"
        await client.post("/admin/reload")
        assert state(await ask(client)) == "miss"


async def test_completions_too_but_no_embeddings(tmp_path: Path):
    async with caching(tmp_path) as (engine, _, client):
        piece = {"object": "text_completion", "choices": [{"index": 0, "text": "abc", "finish_reason": "stop"}]}
        engine.play = streamed(event({**piece, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}), DONE)
        replies = [await client.post("/v1/completions", json={"model": "auto", "prompt": "x"}) for _ in range(2)]
        assert [*map(state, replies)] == ["miss", "hit"] and replies[0].json() == replies[1].json()
        assert replies[1].json()["choices"][0]["text"] == "abc"
        engine.play = replied(200, {"data": [{"embedding": [0.5]}]})
        replies = [await client.post("/v1/embeddings", json={"model": "medium", "input": "x"}) for _ in range(2)]
        assert all("x-pointsman-cache" not in reply.headers for reply in replies) and len(engine.asked) == 3


async def test_the_record_the_trace_and_the_metrics(tmp_path: Path):
    async with caching(tmp_path) as (_engine, gateway, client):
        records = recorded(gateway)
        await ask(client)
        hit = await ask(client, headers={"x-pointsman-trace": "1"})
        streamed_hit = await ask(client, headers={"x-pointsman-trace": "1"}, stream=True)
        metrics = (await client.get("/metrics")).text
    assert hit.json()["pointsman"]["cache"] == {"outcome": "hit", "age": 0}
    assert hit.json()["pointsman"]["target"] == "m@b1"
    assert events_of(streamed_hit.content)[-1]["pointsman"]["cache"]["outcome"] == "hit"
    assert (
        'pointsman_cache_total{outcome="hit"} 2.0' in metrics and 'pointsman_cache_total{outcome="miss"} 1.0' in metrics
    )
    assert 'pointsman_requests_total{endpoint="chat",entry="auto",outcome="ok",stage="model"} 3.0' in metrics
    assert 'pointsman_attempts_total{outcome="ok",target="m@b1"} 1.0' in metrics
    first, second, third = records
    assert first.cache == "miss" and not first.cached and len(first.attempts) == 1
    for record in (second, third):
        assert record.cached and record.outcome == "ok" and record.status == 200
        assert record.attempts == () and record.target is None and record.output_tokens is None


async def test_masked_values_come_back_from_a_kept_reply(tmp_path: Path):
    guards = {"pii": {"mask": "all", "backends": "all"}}
    async with caching(tmp_path, guards=guards) as (engine, _, client):
        engine.play = streamed(conversation("<PHO", "NE_1>")[: -len(DONE)] + USAGE + DONE)
        messages = [{"role": "user", "content": "Call 13812345678"}]
        replies = [await ask(client, messages=messages, stream=stream) for stream in (False, True, False)]
        other = await ask(client, messages=[{"role": "user", "content": "Call 13987654321"}])
    assert [*map(content, replies)] == ["13812345678"] * 3 and [*map(state, replies)] == ["miss", "hit", "hit"]
    assert state(other) == "miss" and content(other) == "13987654321"


async def test_a_large_request(tmp_path: Path):
    async with caching(tmp_path) as (_engine, _, client):
        messages = [{"role": "user", "content": "words of no interest " * 4000}]
        assert [state(await ask(client, messages=messages)) for _ in range(2)] == ["miss", "hit"]


async def test_rules_answer_as_ever(tmp_path: Path):
    async with caching(tmp_path, rules={"packs": ["builtin:smalltalk"]}) as (_engine, _, client):
        reply = await ask(client, messages=[{"role": "user", "content": "你好"}])
        assert reply.headers["x-pointsman-stage"] == "l0" and "x-pointsman-cache" not in reply.headers
        assert json.loads(reply.content)["choices"]
