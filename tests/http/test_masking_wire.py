"""What an engine sees of a request whose values are masked, and what the client gets back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import (
    CHAT,
    DONE,
    Door,
    Engine,
    config,
    conversation,
    delta,
    door,
    event,
    events_of,
    replied,
    streamed,
    user,
)  # fmt: skip
from pointsman.http.openai.aggregate import Aggregate
from running import running

PHONE, MAIL = "13812345678", "li.lei@example.com"
ASKS = {"zh": f"请给 {PHONE} 打电话，再写信给 {MAIL}", "en": f"Please call {PHONE}, then write to {MAIL}"}
HIDDEN = {"zh": "请给 <PHONE_1> 打电话，再写信给 <EMAIL_1>", "en": "Please call <PHONE_1>, then write to <EMAIL_1>"}


def outside(*engines: Engine, **pii: Any) -> dict[str, Any]:
    """All engines but the last are off this network; the last is not."""
    made = config(*engines, guards={"pii": {"mask": "all", **pii}}, entries={"auto": {"keep_local": False}})
    for backend in made["models"]["medium"]["backends"][:-1]:
        backend["external"] = True
    return made


def said(stream: bytes) -> dict[str, Any]:
    aggregate = Aggregate()
    aggregate.feed(stream)
    return aggregate.result()["choices"][0]["message"]


async def post(client: httpx.AsyncClient, fields: dict[str, Any], path: str = CHAT, **headers: str) -> httpx.Response:
    return await client.post(path, json=fields, headers=headers)


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_engines_outside_see_placeholders_and_those_here_the_truth(tongue: str, tmp_path: Path):
    async with (
        Engine() as far,
        Engine() as near,
        running(outside(far, near), tmp_path) as gateway,
        httpx.AsyncClient(base_url=gateway.base) as client,
    ):
        far.plays = [replied(503, {"error": "full"})]
        near.play = streamed(conversation("<PHONE_1> it is"))
        reply = await post(client, user(ASKS[tongue], model="auto"))
    assert far.asked[0].fields["messages"][0]["content"] == HIDDEN[tongue]
    assert near.asked[0].fields["messages"][0]["content"] == ASKS[tongue]
    assert reply.json()["choices"][0]["message"]["content"] == "<PHONE_1> it is"  # the engine's own words
    assert "x-pointsman-masked" not in reply.headers


@pytest.fixture(scope="module")
def gateway():
    with door(guards={"pii": {"mask": "all", "backends": "all"}}) as opened:
        yield opened


def ask(gateway: Door, fields: dict[str, Any], *headers: str, path: str = CHAT):
    gateway.engine.asked.clear()
    reply = gateway.post(path, json.dumps(fields).encode(), *headers)
    assert reply.status == 200, reply.body
    return reply


@pytest.mark.parametrize("tongue", ["zh", "en"])
@pytest.mark.parametrize("stream", [True, False])
def test_the_reply_has_the_values_again_whole_or_in_a_stream(gateway: Door, tongue: str, stream: bool):
    stream_of = conversation(*"好的 <PHONE_1>, <EMAIL_1>, <PHONE_2> <b>")
    gateway.engine.play = streamed(*(stream_of[at : at + 100] for at in range(0, len(stream_of), 100)), gap=0)
    reply = ask(gateway, user(ASKS[tongue], stream=stream))
    assert gateway.engine.asked[0].fields["messages"][0]["content"] == HIDDEN[tongue]
    message = said(reply.body) if stream else reply.json["choices"][0]["message"]
    assert message["content"] == f"好的 {PHONE}, {MAIL}, <PHONE_2> <b>"
    assert reply.headers["x-pointsman-masked"] == "phone=1, email=1"
    if stream:
        assert reply.body.endswith(DONE)


def test_an_engine_that_sends_one_object(gateway: Door):
    choice = {"index": 0, "message": {"role": "assistant", "content": "<PHONE_1>!"}, "finish_reason": "stop"}
    gateway.engine.play = replied(200, {"id": "c", "choices": [choice], "usage": {"total_tokens": 7}})
    got = ask(gateway, user(ASKS["en"])).json
    assert got["choices"][0]["message"]["content"] == f"{PHONE}!" and got["usage"]["total_tokens"] == 7


def test_arguments_of_a_call_there_and_back(gateway: Door):
    calls = [{"id": "c1", "type": "function", "function": {"name": "dial", "arguments": json.dumps({"to": PHONE})}}]
    history = [
        {"role": "user", "content": f"dial {PHONE}"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": f"{PHONE} is busy"},
    ]
    pieces = ['{"to"', ': "<PH', "ONE_1>", '"}']
    events = [delta(None, tool_calls=[{"index": 0, "function": {"arguments": piece}}]) for piece in pieces]
    gateway.engine.play = streamed(*events, delta(finish="tool_calls"), DONE)
    tools = [{"type": "function", "function": {"name": "dial", "parameters": {}}}]
    for stream in (True, False):
        reply = ask(gateway, {"model": "medium", "messages": history, "tools": tools, "stream": stream})
        assert PHONE.encode() not in gateway.engine.asked[0].body
        sent = gateway.engine.asked[0].fields["messages"]
        assert json.loads(sent[1]["tool_calls"][0]["function"]["arguments"]) == {"to": "<PHONE_1>"}
        assert sent[1]["tool_calls"][0]["id"] == "c1" and sent[2]["content"] == "<PHONE_1> is busy"
        message = said(reply.body) if stream else reply.json["choices"][0]["message"]
        assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"to": PHONE}


def test_json_that_was_asked_for_is_json(gateway: Door):
    lines = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ" + letter * 14 for letter in "abcd"])
    secret = f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----"
    gateway.engine.play = streamed(conversation('{"p": "<SECRET_1>"}'))
    reply = ask(gateway, user(f"Repeat my {secret} as JSON", response_format={"type": "json_object"}))
    hidden = gateway.engine.asked[0].fields["messages"][0]["content"]
    assert hidden == "Repeat my <SECRET_1> as JSON"
    assert json.loads(reply.json["choices"][0]["message"]["content"]) == {"p": secret}


def test_other_members_keep_their_bytes(gateway: Door):
    gateway.engine.play = streamed(conversation("ok"))
    messages = f'[{{"role":"user","content":"{PHONE}"}}]'
    body = f'{{"model":"medium","temperature":0.70,"seed":10,"messages":{messages},"stream":true}}'
    gateway.engine.asked.clear()
    gateway.post(CHAT, body.encode())
    assert gateway.engine.asked[0].body == body.replace("medium", "m").replace(PHONE, "<PHONE_1>").encode()


def test_a_trace_holds_counts_and_no_value(gateway: Door):
    gateway.engine.play = streamed(conversation("<PHONE_1>"))
    traced = ask(gateway, user(ASKS["zh"]), "x-pointsman-trace: 1").json["pointsman"]
    assert traced["masked"] == {"phone": 1, "email": 1} and PHONE not in json.dumps(traced["masked"])
    streamed_trace = events_of(ask(gateway, user(ASKS["zh"], stream=True), "x-pointsman-trace: 1").body)[-1]
    assert streamed_trace["pointsman"]["masked"] == {"phone": 1, "email": 1}
    plain = ask(gateway, user("hello", stream=False), "x-pointsman-trace: 1")
    assert "masked" not in plain.json["pointsman"] and "x-pointsman-masked" not in plain.headers


def test_a_request_without_values_is_relayed_byte_for_byte(gateway: Door):
    stream = delta("<PHONE_1>") + delta(finish="stop") + DONE
    gateway.engine.play = streamed(stream)
    assert ask(gateway, user("who is <PHONE_1>?", stream=True)).body == stream


def test_a_stream_that_ends_inside_a_line_loses_nothing(gateway: Door):
    gateway.engine.play = streamed(conversation("<PHONE_1>").rstrip(b"\n"))
    assert ask(gateway, user(ASKS["en"], stream=True)).body.endswith(b"\n\ndata: [DONE]")


def test_a_large_request(gateway: Door):
    gateway.engine.play = streamed(conversation("<PHONE_1>"))
    text = f"{'Some words of no interest. ' * 4000} {PHONE}"
    got = ask(gateway, user(text)).json
    assert got["choices"][0]["message"]["content"] == PHONE
    assert gateway.engine.asked[0].fields["messages"][0]["content"] == text.replace(PHONE, "<PHONE_1>")


def test_completions_embeddings_and_documents_to_rank(gateway: Door):
    completion = {"choices": [{"index": 0, "text": "<PHONE_1>?", "finish_reason": "stop"}], "object": "text_completion"}
    gateway.engine.play = streamed(event(completion), DONE)
    got = ask(gateway, {"model": "medium", "prompt": f"call {PHONE}"}, path="/v1/completions").json
    assert gateway.engine.asked[0].fields["prompt"] == "call <PHONE_1>" and got["choices"][0]["text"] == f"{PHONE}?"

    gateway.engine.play = replied(200, {"data": [{"embedding": [0.5]}]})
    ask(gateway, {"model": "medium", "input": [MAIL, "x"]}, path="/v1/embeddings")
    assert gateway.engine.asked[0].fields["input"] == ["<EMAIL_1>", "x"]

    gateway.engine.play = replied(200, {"results": [{"index": 0, "document": {"text": "<EMAIL_1>"}}]})
    reply = ask(gateway, {"model": "medium", "query": PHONE, "documents": [MAIL, "b"]}, path="/v1/rerank")
    assert gateway.engine.asked[0].fields["documents"] == ["<EMAIL_1>", "b"]
    assert reply.json["results"][0]["document"] == {"text": MAIL}
    assert reply.headers["x-pointsman-masked"] == "phone=1, email=1"


async def test_replies_stay_masked_where_the_config_says_so(tmp_path: Path):
    async with Engine() as engine:
        made = config(engine, guards={"pii": {"mask": ["phone"], "backends": "all", "unmask": False}})
        async with running(made, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            engine.play = streamed(conversation("<PHONE_1>"))
            reply = await post(client, user(ASKS["en"]))
    assert reply.json()["choices"][0]["message"]["content"] == "<PHONE_1>"
    assert engine.asked[0].fields["messages"][0]["content"] == f"Please call <PHONE_1>, then write to {MAIL}"


async def test_metrics_count_values_and_the_log_keeps_the_request_as_it_came(tmp_path: Path):
    from pointsman.store.log_reader import LogReader

    async with Engine() as engine:
        made = config(engine, guards={"pii": {"mask": "all", "backends": "all"}})
        async with running(made, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            replies = [await post(client, user(ASKS["zh"])) for _ in range(2)]
            metrics = (await client.get("/metrics")).text
    assert (
        'pointsman_masked_total{kind="phone"} 2.0' in metrics and 'pointsman_masked_total{kind="email"} 2.0' in metrics
    )
    log = LogReader(tmp_path / "data")
    assert log.evidence(replies[0].headers["x-pointsman-request-id"]).request.turns[0].text == ASKS["zh"]


async def test_nothing_is_masked_by_default(tmp_path: Path):
    async with Engine() as engine:
        made = config(engine, entries={"auto": {"keep_local": False}})
        made["models"]["medium"]["backends"][0]["external"] = True
        async with running(made, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            await post(client, user(ASKS["zh"], model="auto"))
    assert engine.asked[0].fields["messages"][0]["content"] == ASKS["zh"]


async def test_exact_counts_are_asked_for_with_placeholders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An engine's tokenizer is the engine, too."""
    from pointsman.pipeline import deciding

    seen: list[Any] = []
    monkeypatch.setattr(deciding, "is_near", lambda tokens, limit: True)
    async with Engine() as engine:
        made = config(engine, guards={"pii": {"mask": "all", "backends": "all"}})
        async with running(made, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            backend = gateway.app._serving.pipeline.backends["m@b1"]

            async def count(prompt: Any) -> int:
                seen.append(prompt)
                return 12

            monkeypatch.setattr(type(backend), "count_tokens", lambda self, prompt: count(prompt))
            await post(client, user(ASKS["zh"]))
            await post(client, {"model": "medium", "prompt": PHONE}, "/v1/completions")
            await post(client, {"model": "medium", "input": PHONE}, "/v1/embeddings")
    assert seen == [[{"role": "user", "content": HIDDEN["zh"]}], "<PHONE_1>"]
