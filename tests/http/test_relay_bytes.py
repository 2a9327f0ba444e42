"""What an engine sends reaches the client byte for byte, and what a client sends reaches the engine so, but for `model`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.engine import (
    CHAT,
    DONE,
    USAGE,
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
)
from pointsman.http.auth import hash_key
from running import running
from thorough import tries

# Multi-byte characters of two to four bytes, a comment of the engine's own, odd spacing, an unknown field.
ODD = (
    delta("", role="assistant")
    + delta("你好，🚂 é")
    + b": the engine's own comment\n\n"
    + b'data: {"id":"c1",  "choices":[ {"index":0,"delta":{"content":"\\u4f60\\ud83d\\ude82"},"vendor":1.50} ]}\n\n'
    + delta('the text "data: [DONE]" is no end')
    + delta(finish="stop")
    + DONE
)


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door() as opened:
        yield opened


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted({place % (len(data) + 1) for place in places}), len(data)]
    return [data[start:end] for start, end in pairwise(edges) if start != end]


def ask(stream: bool = True, **more: object) -> bytes:
    fields = {"model": "medium", "messages": [{"role": "user", "content": "Tell me about trains."}], "stream": stream}
    return json.dumps(fields | more).encode()


splits = st.lists(st.integers(0, len(ODD)), max_size=8)


@settings(max_examples=tries(18, 60), deadline=None)
@given(splits)
def test_a_stream_arrives_byte_for_byte_wherever_it_is_split(gateway: Door, places: list[int]):
    gateway.engine.play = streamed(*cut(ODD, places))
    assert gateway.post(CHAT, ask()).body == ODD


def test_a_stream_split_at_every_byte_arrives_byte_for_byte(gateway: Door):
    gateway.engine.play = streamed(*(ODD[i : i + 1] for i in range(len(ODD))), gap=0)
    assert gateway.post(CHAT, ask()).body == ODD


@settings(max_examples=tries(18, 60), deadline=None)
@given(splits)
def test_a_trace_is_one_extra_event_before_done_wherever_the_stream_is_split(gateway: Door, places: list[int]):
    gateway.engine.play = streamed(*cut(ODD, places))
    body = gateway.post(CHAT, ask(), "x-pointsman-trace: 1").body
    before, mark, after = body.rpartition(b"data: [DONE]")
    assert mark and after == b"\n\n"
    blocks = before.decode().removesuffix("\n\n").split("\n\n")
    trace = json.loads(blocks[-1].removeprefix("data: "))
    assert trace["choices"] == [{"index": 0, "delta": {}, "finish_reason": None}]
    assert trace["pointsman"]["decision"]["stage"] == "model" and trace["pointsman"]["target"] == "m@b1"
    assert "".join(block + "\n\n" for block in blocks[:-1]).encode() + DONE == ODD


@settings(max_examples=tries(12, 40), deadline=None)
@given(splits)
def test_the_aggregate_does_not_depend_on_the_splits(gateway: Door, places: list[int]):
    gateway.engine.play = streamed(*cut(ODD, places))
    reply = gateway.post(CHAT, ask(stream=False)).json
    assert reply["object"] == "chat.completion"
    [choice] = reply["choices"]
    assert choice["message"] == {"role": "assistant", "content": '你好，🚂 é你🚂the text "data: [DONE]" is no end'}
    assert choice["finish_reason"] == "stop" and choice["vendor"] == 1.5


CLIENTS = (
    b'{"top_p": 1.0,  "temperature":1e0 ,"big": 123456789012345678901234567890, "tiny":1E-3,"model": "medium",\n'
    b'"nested": {"b":1,"a" : [1.0,2e3,-0.0, 0.10], "\\u00e9\\ud83d\\ude82":"\\u4f60 \\/ \\n"},'
    b'"messages":[ {"role":"user","content":"Tell me about \\u4f60\\u597d \xe4\xbd\xa0 trains."} ],'
    b'"stream":true, "user":"\\u0061b", "drop_params":true,"stop":null}'
)


def members(data: bytes) -> list[tuple[str, str]]:
    """The top-level members of an object, each value as it is spelled."""
    decoder, found, at = json.JSONDecoder(strict=False), [], data.decode().index("{") + 1
    text = data.decode()
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(" \n,"))
        if text[at] == "}":
            return found
        key, at = decoder.raw_decode(text, at)
        at = text.index(":", at) + 1
        at += len(text[at:]) - len(text[at:].lstrip())
        _, end = decoder.raw_decode(text, at)
        found.append((key, text[at:end]))
        at = end


def test_the_engine_gets_the_clients_own_bytes_with_its_own_model_name(gateway: Door):
    gateway.engine.play = streamed(ODD)
    gateway.post(CHAT, CLIENTS)
    wanted = [(key, '"m"' if key == "model" else value) for key, value in members(CLIENTS)]
    assert members(gateway.engine.asked[-1].body) == wanted


@pytest.mark.parametrize("path", [CHAT, "/v1/completions"])
def test_a_request_without_stream_is_streamed_upstream_with_usage_and_nothing_else_changes(gateway: Door, path: str):
    gateway.engine.play = streamed(conversation("x"))
    more = b'{"prompt":"Tell me about trains.",' if path != CHAT else b"{"
    gateway.post(path, CLIENTS.replace(b'"stream":true', b'"stream":false').replace(b"{", more, 1))
    got = dict(members(gateway.engine.asked[-1].body))
    assert gateway.engine.asked[-1].path == path
    assert got.pop("stream") == "true" and json.loads(got.pop("stream_options")) == {"include_usage": True}
    wanted = {key: value for key, value in members(CLIENTS.replace(b"{", more, 1)) if key != "stream"}
    assert got == wanted | {"model": '"m"'}


def test_other_stream_options_of_the_client_are_kept(gateway: Door):
    gateway.engine.play = streamed(conversation("x"))
    gateway.post(CHAT, ask(stream=False, stream_options={"continuous_usage_stats": True}))
    options = gateway.engine.asked[-1].fields["stream_options"]
    assert options == {"continuous_usage_stats": True, "include_usage": True}


def test_a_streaming_client_that_does_not_ask_for_usage_gets_none(gateway: Door):
    gateway.engine.play = streamed(conversation("x"))
    gateway.post(CHAT, ask())
    assert "stream_options" not in gateway.engine.asked[-1].fields


def test_a_streaming_client_that_asks_for_usage_has_its_own_words_relayed(gateway: Door):
    body = conversation("x").replace(DONE, USAGE + DONE)
    gateway.engine.play = streamed(body)
    reply = gateway.post(CHAT, ask(stream_options={"include_usage": True}))
    assert reply.body == body
    assert gateway.engine.asked[-1].fields["stream_options"] == {"include_usage": True}


async def test_usage_force_of_an_entry_or_a_key_makes_every_stream_end_with_usage(tmp_path):
    keys = [
        {"name": "dify", "hash": hash_key("k-dify"), "usage": "force"},
        {"name": "plain", "hash": hash_key("k-plain"), "usage": "asked"},
    ]
    sections = {
        "entries": {"auto": {}, "forced": {"usage": "force"}},
        "auth": {"keys": keys},
        "rules": {"packs": ["builtin:smalltalk"]},
    }
    async with Engine() as engine, running(config(engine, **sections), tmp_path) as gateway:
        engine.play = streamed(conversation("x").replace(DONE, USAGE + DONE))
        async with httpx.AsyncClient(base_url=gateway.base) as client:
            for model, key, forced in (
                ("auto", None, False),
                ("forced", None, True),
                ("auto", "k-dify", True),
                ("forced", "k-plain", False),
            ):
                headers = {"authorization": f"Bearer {key}"} if key else {}
                body = json.loads(ask()) | {"model": model}
                await client.post(CHAT, json=body, headers=headers)
                assert engine.asked[-1].fields.get("stream_options") == ({"include_usage": True} if forced else None)
            for model, has in (("auto", False), ("forced", True)):
                said = {"model": model, "stream": True, "messages": [{"role": "user", "content": "hello"}]}
                events = events_of((await client.post(CHAT, json=said)).content)
                usages = [e for e in events if e.get("usage")]
                assert [bool(e["choices"]) for e in usages] == ([False] if has else [])


def test_the_headers_of_the_contract_are_on_both_kinds_of_reply(gateway: Door):
    gateway.engine.play = streamed(conversation("x"))
    for stream in (True, False):
        reply = gateway.post(CHAT, ask(stream))
        assert reply.status == 200
        headers = reply.headers
        assert headers["x-pointsman-stage"] == "model" and headers["x-pointsman-target"] == "m@b1"
        assert headers["x-pointsman-request-id"].startswith("req_") and headers["x-pointsman-reason"]
        assert headers["x-pointsman-policy"] and "x-pointsman-rule" not in headers
        kind = "text/event-stream" if stream else "application/json"
        assert headers["content-type"].startswith(kind)
        if stream:
            assert headers["x-accel-buffering"] == "no" and headers["cache-control"] == "no-cache"


def test_a_name_outside_ascii_is_the_same_in_the_headers_of_every_endpoint():
    name, targets = "本地", []
    with door() as outer:
        more = {"models": {"medium": {"backends": [outer.engine.backend(name=name)]}}}
        with door(**more) as gateway:
            for play, path, body in (
                (streamed(conversation("x")), CHAT, ask()),
                (streamed(conversation("x")), CHAT, ask(stream=False)),
                (replied(200, {"data": []}), "/v1/embeddings", b'{"model":"medium","input":"x"}'),
            ):
                outer.engine.play = play
                targets.append(gateway.post(path, body).headers["x-pointsman-target"])
    assert targets == ["m@%E6%9C%AC%E5%9C%B0"] * 3


def test_a_trace_is_in_a_whole_reply_and_only_when_asked_for(gateway: Door):
    gateway.engine.play = streamed(conversation("x"))
    assert "pointsman" not in gateway.post(CHAT, ask(stream=False)).json
    reply = gateway.post(CHAT, ask(stream=False), "x-pointsman-trace: 1")
    trace = reply.json["pointsman"]
    assert trace["request_id"] == reply.headers["x-pointsman-request-id"] and trace["target"] == "m@b1"
    decision = trace["decision"]
    promised = {
        *("stage", "rule", "action", "parameters", "reason", "matched", "features", "risk", "intent", "execution_path"),
        *("confidence", "fallback_reason", "clarification", "targets", "seed", "policy", "snapshot"),
    }
    assert promised <= set(decision)
    assert decision["policy"] == reply.headers["x-pointsman-policy"] and decision["rule"] is None
    assert {"target", "score", "quality", "latency", "cost", "in_flight", "why"} <= set(decision["targets"][0])


def test_embeddings_and_rerank_are_relayed_byte_for_byte_both_ways(gateway: Door):
    answer = b'{"data":[ {"embedding":[1.0,-0.0,1e-3],"index":0} ],"model":"m",\n"usage":{"total_tokens":2}}'
    gateway.engine.play = replied(200, answer)
    sent = b'{"input":["\\u4f60"], "dimensions": 1e1,"model":"medium","encoding_format":"float","x":1.0}'
    reply = gateway.post("/v1/embeddings", sent)
    assert reply.body == answer and reply.headers["x-pointsman-target"] == "m@b1"
    wanted = [(key, '"m"' if key == "model" else value) for key, value in members(sent)]
    assert members(gateway.engine.asked[-1].body) == wanted
    answer = b'{"results": [{"index":1,"relevance_score":1.0}], "extra":1e2}'
    gateway.engine.play = replied(200, answer)
    for path in ("/rerank", "/v1/rerank", "/v1/reranking"):
        sent = b'{"model":"medium","query":"q","documents":["a",{"text":"b"}],"top_n":1,"return_documents":false}'
        assert gateway.post(path, sent).body == answer
        assert gateway.engine.asked[-1].path == "/v1/rerank"
        assert members(gateway.engine.asked[-1].body) == [("model", '"m"'), *members(sent)[1:]]


def test_a_trace_is_also_in_the_reply_of_the_other_endpoints(gateway: Door):
    gateway.engine.play = replied(200, {"data": [], "usage": {"total_tokens": 1}})
    reply = gateway.post("/v1/embeddings", b'{"model":"medium","input":"x"}', "x-pointsman-trace: 1")
    assert reply.json["pointsman"]["target"] == "m@b1"


def test_credentials_of_the_client_stay_here_unless_a_backend_is_told_to_forward_them(gateway: Door):
    gateway.engine.play = streamed(conversation("x"))
    gateway.post(CHAT, ask(), "authorization: Bearer secret", "x-api-key: secret", "cookie: a=b")
    assert "secret" not in str(gateway.engine.asked[-1].headers) and "cookie" not in gateway.engine.asked[-1].headers


def test_trace_context_travels_on_and_a_broken_one_is_no_internal_error(gateway: Door):
    gateway.engine.play = streamed(conversation("x"))
    good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    gateway.post(CHAT, ask(), f"traceparent: {good}")
    assert gateway.engine.asked[-1].headers["traceparent"] == good
    for bad in ("é\x80", "\tx", "a\x01b", ""):
        assert gateway.post(CHAT, ask(), f"traceparent: {bad}").status in (200, 400), bad


def test_an_error_event_is_relayed_to_a_whole_reply_as_an_error(gateway: Door):
    gateway.engine.play = streamed(delta("a"), event({"error": {"message": "out of memory", "code": 500}}))
    reply = gateway.post(CHAT, ask(stream=False))
    assert reply.status == 502 and "out of memory" in reply.json["error"]["message"]
    assert reply.json["error"]["src"] == "backend"
