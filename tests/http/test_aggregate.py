"""A reply put together from a stream is what the engine itself answers to a client that asks for none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.engine import CHAT, DONE, USAGE, Door, conversation, delta, door, event, replied, streamed
from execution.real import EngineLog
from pointsman.http.openai.aggregate import Aggregate
from running import Process, running
from thorough import tries
from twins import Twin

ENGINES = {
    "llamacpp": "llamacpp-2026.10.11549",
    "vllm": "vllm-0.33.0",
    "ollama": "ollama-0.32.9",
    "trtllm": "trtllm-1.2.1",
}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door() as opened:
        yield opened


def ask(**more: object) -> bytes:
    return json.dumps(
        {"model": "medium", "messages": [{"role": "user", "content": "Tell me of trains."}]} | more
    ).encode()


def whole(gateway: Door, *stream: bytes) -> Any:
    gateway.engine.play = streamed(b"".join(stream))
    reply = gateway.post(CHAT, ask())
    assert reply.status == 200, reply.body
    return reply.json


@pytest.mark.parametrize("engine", ENGINES)
async def test_the_aggregate_says_what_each_engines_own_whole_reply_says(engine: str, tmp_path):
    async with Twin(ENGINES[engine]) as twin:
        backend = {"engine": engine, "model": twin.engine.model, "base_url": twin.base_url + "/v1"}
        models = {"medium": {"backends": [backend]}}
        async with running({"models": models}, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            got = (await client.post(CHAT, content=ask())).json()
        [asked] = twin.asked(CHAT)
        assert json.loads(asked.body).get("stream") is (None if engine == "vllm" else True)  # see adr 12
        own = json.loads(twin.recorded(CHAT, messages=[]))
        assert own["object"] == got["object"] == "chat.completion"
        assert got["model"] == own["model"] and got["id"] and got["created"]
        for mine, theirs in zip(got["choices"], own["choices"], strict=True):
            for key in ("index", "finish_reason"):
                assert mine[key] == theirs[key]
            said = {key: value for key, value in theirs["message"].items() if value not in (None, [])}
            assert {key: value for key, value in mine["message"].items() if value is not None} == said
            assert "delta" not in mine
        counts = ("prompt_tokens", "completion_tokens", "total_tokens")
        assert [got["usage"][key] for key in counts] == [own["usage"][key] for key in counts]


def call(
    index: int, *, id: str | None = None, name: str | None = None, arguments: str = "", **more: Any
) -> dict[str, Any]:
    function = ({"name": name} if name else {}) | {"arguments": arguments}
    return {"index": index, **({"id": id, "type": "function"} if id else {}), "function": function, **more}


PARALLEL = (
    delta(None, role="assistant", tool_calls=[call(0, id="call_a", name="weather")]),
    delta(None, tool_calls=[call(0, arguments='{"city":')]),
    delta(None, tool_calls=[call(0, arguments=' "北京"}')]),
    delta(None, tool_calls=[call(1, id="call_b", name="time", arguments="")]),
    delta(None, tool_calls=[call(1, arguments="{}")]),
    delta(None, tool_calls=[call(2, id="call_c", name="noop", arguments="")]),
    delta(finish="tool_calls"),
    USAGE,
    DONE,
)
CALLS = [
    {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": '{"city": "北京"}'}},
    {"id": "call_b", "type": "function", "function": {"name": "time", "arguments": "{}"}},
    {"id": "call_c", "type": "function", "function": {"name": "noop", "arguments": ""}},
]


def test_parallel_tool_calls_are_put_together_in_order_and_without_index(gateway: Door):
    [choice] = whole(gateway, *PARALLEL)["choices"]
    assert choice["message"] == {"role": "assistant", "content": None, "tool_calls": CALLS}
    assert choice["finish_reason"] == "tool_calls"


def test_interleaved_tool_deltas_end_in_the_right_calls(gateway: Door):
    mixed = [PARALLEL[0], PARALLEL[3], PARALLEL[1], PARALLEL[4], PARALLEL[5], PARALLEL[2], *PARALLEL[6:]]
    assert whole(gateway, *mixed)["choices"][0]["message"]["tool_calls"] == CALLS


def test_text_beside_tool_calls_is_kept_and_an_empty_list_of_calls_is_none(gateway: Door):
    message = whole(gateway, delta("Let me see.", tool_calls=[]), *PARALLEL)["choices"][0]["message"]
    assert message["content"] == "Let me see." and message["tool_calls"] == CALLS
    message = whole(gateway, delta("hi", tool_calls=[]), delta(finish="stop"), DONE)["choices"][0]["message"]
    assert message["content"] == "hi" and not message.get("tool_calls")
    # openai's own API leaves the key out; `tool_calls: []` sends agents into a loop over nothing
    assert "tool_calls" not in message


def test_reasoning_refusals_and_unknown_fields_are_kept(gateway: Door):
    reply = whole(
        gateway,
        delta("", role="assistant", reasoning_content="Let me "),
        delta(None, reasoning_content="think: 你好"),
        delta("42", refusal=None),
        delta(None, finish="stop", annotations=[{"a": 1}]),
        event(
            {"id": "c1", "object": "chat.completion.chunk", "choices": [], "vendor": {"x": [1.0]}, "usage": {"n": 1}}
        ),
        DONE,
    )
    message = reply["choices"][0]["message"]
    assert message["reasoning_content"] == "Let me think: 你好" and message["content"] == "42"
    assert message["annotations"] == [{"a": 1}] and reply["vendor"] == {"x": [1.0]}


def test_several_choices_are_kept_apart_and_in_order(gateway: Door):
    def part(index: int, content: str, finish: str | None = None) -> bytes:
        choice = {"index": index, "delta": {"content": content}, "finish_reason": finish}
        return event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})

    reply = whole(gateway, part(1, "b"), part(0, "a"), part(1, "B", "length"), part(0, "A", "stop"), DONE)
    said = [(c["index"], c["message"]["content"], c["finish_reason"]) for c in reply["choices"]]
    assert said == [(0, "aA", "stop"), (1, "bB", "length")]


def test_lists_that_grow_in_a_stream_are_whole_in_the_reply(gateway: Door):
    """vLLM with return_token_ids: every chunk brings its own ids, the whole reply has all of them."""

    def part(**more: Any) -> bytes:
        choice = {"index": 0, "finish_reason": None, **more}
        return event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})

    reply = whole(
        gateway,
        part(delta={"role": "assistant", "content": ""}, token_ids=None),
        part(delta={"content": "a"}, token_ids=[1, 2], logprobs={"content": [{"token": "a", "logprob": -0.5}]}),
        part(delta={"content": "b"}, token_ids=[3], logprobs={"content": [{"token": "b", "logprob": -0.25}]}),
        part(delta={}, finish_reason="stop", token_ids=[4], logprobs=None),
        DONE,
    )
    [choice] = reply["choices"]
    assert [entry["token"] for entry in choice["logprobs"]["content"]] == ["a", "b"]
    assert choice["token_ids"] == [1, 2, 3, 4]


def test_completions_have_text_and_legacy_logprobs(gateway: Door):
    def part(text: str, offset: int, finish: str | None = None) -> bytes:
        logprobs = {"tokens": [text], "token_logprobs": [-1.0], "top_logprobs": [{text: -1.0}], "text_offset": [offset]}
        choice = {"index": 0, "text": text, "logprobs": logprobs, "finish_reason": finish}
        return event({"id": "c", "object": "text_completion", "model": "m", "choices": [choice]})

    gateway.engine.play = streamed(
        part("a", 0), part("b", 1, "length"), USAGE.replace(b"chat.completion.chunk", b"text_completion"), DONE
    )
    reply = gateway.post("/v1/completions", b'{"model":"medium","prompt":"Trains are","logprobs":1}').json
    [choice] = reply["choices"]
    assert reply["object"] == "text_completion" and reply["usage"]["total_tokens"] == 5
    assert (choice["text"], choice["finish_reason"]) == ("ab", "length") and "message" not in choice
    assert choice["logprobs"] == {
        "tokens": ["a", "b"],
        "token_logprobs": [-1.0, -1.0],
        "top_logprobs": [{"a": -1.0}, {"b": -1.0}],
        "text_offset": [0, 1],
    }


def test_an_engine_that_answers_whole_though_it_was_asked_for_a_stream_is_relayed(gateway: Door):
    answer = b'{"id":"x", "object":"chat.completion","choices":[],"odd":1.0}'
    gateway.engine.play = replied(200, answer)
    assert gateway.post(CHAT, ask()).body == answer


def test_a_stream_of_crlf_lines_without_a_space_after_data_is_understood(gateway: Door):
    stream = conversation("x").replace(b"\n", b"\r\n").replace(b"data: ", b"data:")
    assert whole(gateway, stream)["choices"][0]["message"]["content"] == "x"


def test_a_stream_that_breaks_off_without_a_finish_is_no_good_reply(gateway: Door):
    """The engine died in mid-sentence but its connection was ended cleanly: half an answer must not pass for a whole."""
    gateway.engine.play = streamed(delta("", role="assistant"), delta("The answer is"))
    reply = gateway.post(CHAT, ask())
    assert reply.status == 502 and reply.json["error"]["src"] == "backend"


BODY = b"".join(PARALLEL)


@settings(max_examples=tries(60, 200), deadline=None)
@given(st.lists(st.integers(0, len(BODY)), max_size=12))
def test_splits_change_nothing(places: list[int]):
    edges = [0, *sorted(places), len(BODY)]
    pieces, one = Aggregate(), Aggregate()
    one.feed(BODY)
    for start, end in pairwise(edges):
        pieces.feed(BODY[start:end])
    assert pieces.result() == one.result()


# The real engine, greedy. The first ask of each kind warms its prompt cache, so that both see the same numbers.

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stopped": {"stop": ["."]},
    "logprobs": {"logprobs": True, "top_logprobs": 2},
    "two": {"n": 2},
    "tools": {"tools": [WEATHER], "tool_choice": "auto"},
    "schema": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "f",
                "schema": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
            },
        },
        "max_tokens": 24,
    },
}


def comparable(reply: dict[str, Any]) -> dict[str, Any]:
    """Without what differs from one run to the next."""
    kept = {key: value for key, value in reply.items() if key not in ("id", "created", "timings")}
    kept["usage"] = {key: value for key, value in reply["usage"].items() if key != "prompt_tokens_details"}
    for choice in kept["choices"]:
        for entry in (choice.get("logprobs") or {}).get("content") or ():
            entry["logprob"] = pytest.approx(entry["logprob"], abs=0.3)  # moves with the prompt cache and with batching
            entry["top_logprobs"] = (len(entry["top_logprobs"]), entry["top_logprobs"][0]["token"])
    return kept


def same(through: dict[str, Any], own: dict[str, Any]) -> None:
    mine, theirs = comparable(through), comparable(own)
    for one, other in zip(mine["choices"], theirs["choices"], strict=True):
        for entry, twin in zip(*((c.get("logprobs") or {}).get("content") or () for c in (one, other)), strict=True):
            assert entry["logprob"] == twin["logprob"].expected
            entry["logprob"] = twin["logprob"] = None
    assert mine == theirs


@pytest.mark.parametrize("kind", KINDS)
def test_a_chat_is_what_llamacpp_itself_answers(real_gateway: Process, kind: str):
    direct = EngineLog(real_gateway).address
    fields = {
        "model": "light",
        "messages": [{"role": "user", "content": "Name three fruits please."}],
        "max_tokens": 8,
        "temperature": 0,
        "seed": 7,
        "cache_prompt": False,
        **KINDS[kind],
    }
    with httpx.Client(timeout=60) as client:
        through = client.post(real_gateway.base + CHAT, json=fields)
        own = client.post(direct + CHAT, json=fields)
    assert through.status_code == own.status_code == 200, (through.text, own.text)
    same(through.json(), own.json())


@pytest.mark.parametrize("more", [{}, {"logprobs": 2}, {"n": 2}, {"prompt": ["The sky is", "Two and two"]}], ids=str)
def test_a_completion_is_what_llamacpp_itself_answers(real_gateway: Process, more: dict[str, Any]):
    direct = EngineLog(real_gateway).address
    fields = {"model": "light", "prompt": "The capital of France is", "max_tokens": 5, "temperature": 0, "seed": 7}
    fields |= {"cache_prompt": False} | more
    with httpx.Client(timeout=60) as client:
        through = client.post(real_gateway.base + "/v1/completions", json=fields)
        own = client.post(direct + "/v1/completions", json=fields)
    assert through.status_code == own.status_code == 200, (through.text, own.text)
    same(through.json(), own.json())
