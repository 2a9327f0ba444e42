"""What a rule answers looks to every client like a model's answer, and only then does a rule answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from execution.engine import CHAT, Door, Reply, assert_error, conversation, door, events_of, streamed

LIMIT = 400


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door() as outer:
        models = {"medium": {"backends": [outer.engine.backend(name="b1", context=LIMIT)]}}
        rules = {"packs": ["builtin:smalltalk", "builtin:ops-faq"]}
        with door(models=models, rules=rules) as opened:
            opened.engine = outer.engine
            yield opened


@pytest.fixture(autouse=True)
def good_engine(gateway: Door) -> None:
    gateway.engine.asked.clear()
    gateway.engine.play = streamed(conversation("from the model"))


def ask(gateway: Door, text: Any = "hello", model: str = "auto", *headers: str, **more: Any) -> Reply:
    fields = {"model": model, "messages": [{"role": "user", "content": text}]} | more
    return gateway.post(CHAT, json.dumps(fields).encode(), *headers)


@pytest.mark.parametrize("text", ["hello", "你好", [{"type": "text", "text": "hello"}]])
def test_a_whole_answer_of_a_rule_is_a_completion(gateway: Door, text: Any):
    reply = ask(gateway, text)
    assert reply.status == 200 and not gateway.engine.asked
    body = reply.json
    assert body["object"] == "chat.completion" and body["id"] and isinstance(body["created"], int)
    assert body["model"] == "auto"
    [choice] = body["choices"]
    assert choice["index"] == 0 and choice["finish_reason"] == "stop"
    assert choice["message"]["role"] == "assistant" and choice["message"]["content"]
    usage = body["usage"]
    assert usage["prompt_tokens"] > 0 and usage["completion_tokens"] > 0
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    headers = reply.headers
    assert headers["x-pointsman-stage"] == "l0" and headers["x-pointsman-rule"] and headers["x-pointsman-reason"]
    assert "x-pointsman-target" not in headers
    assert "tool_calls" not in choice["message"]


@pytest.mark.parametrize("usage", [True, False])
@pytest.mark.parametrize("trace", [True, False])
def test_a_streamed_answer_of_a_rule_is_a_stream(gateway: Door, usage: bool, trace: bool):
    more = {"stream_options": {"include_usage": True}} if usage else {}
    headers = ("x-pointsman-trace: 1",) if trace else ()
    reply = ask(gateway, "hello", "auto", *headers, stream=True, **more)
    assert reply.status == 200 and reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["x-pointsman-stage"] == "l0" and reply.body.endswith(b"data: [DONE]\n\n")
    events = events_of(reply.body)
    assert all(e["object"] == "chat.completion.chunk" and e["model"] == "auto" for e in events)
    assert len({e["id"] for e in events}) == 1
    first = events[0]["choices"][0]
    assert first["delta"]["role"] == "assistant"
    text = "".join(c["delta"].get("content") or "" for e in events for c in e["choices"])
    assert text == ask(gateway, "hello").json["choices"][0]["message"]["content"]
    assert [c["finish_reason"] for e in events for c in e["choices"] if c["finish_reason"]] == ["stop"]
    assert ["usage" in e and not e["choices"] for e in events].count(True) == int(usage)
    assert ["pointsman" in e for e in events].count(True) == int(trace)
    if trace:
        assert "pointsman" in events[-1] and events[-1]["choices"][0]["delta"] == {}
        assert events[-1]["pointsman"]["decision"]["stage"] == "l0"
    assert b"\r" not in reply.body and b"event:" not in reply.body


@pytest.mark.parametrize("stream", [True, False])
def test_completions_get_a_text_completion(gateway: Door, stream: bool):
    fields = {"model": "auto", "prompt": "hello", "stream": stream}
    reply = gateway.post("/v1/completions", json.dumps(fields).encode())
    assert reply.status == 200 and reply.headers["x-pointsman-stage"] == "l0"
    if stream:
        events = events_of(reply.body)
        assert all(e["object"] == "text_completion" for e in events)
        assert "".join(c["text"] for e in events for c in e["choices"])
    else:
        assert reply.json["object"] == "text_completion" and reply.json["choices"][0]["text"]
        assert reply.json["usage"]["total_tokens"]


TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
SHOULD_PASS: dict[str, dict[str, Any]] = {
    "tools": {"tools": [TOOL]},
    "functions": {"functions": [{"name": "f"}]},
    "json_object": {"response_format": {"type": "json_object"}},
    "json_schema": {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}},
    "raw json schema": {"response_format": {"type": "object", "properties": {}}},
    "logprobs": {"logprobs": True},
    "two choices": {"n": 2},
    "grammar": {"grammar": 'root ::= "x"'},
    "guided": {"guided_json": {"type": "object"}},
}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("kind", SHOULD_PASS)
def test_a_greeting_that_must_be_machine_readable_goes_to_the_model(gateway: Door, kind: str, stream: bool):
    reply = ask(gateway, "hi", stream=stream, **SHOULD_PASS[kind])
    assert reply.status == 200 and reply.headers["x-pointsman-stage"] == "model", reply
    assert len(gateway.engine.asked) == 1


def test_a_text_response_format_is_no_obstacle(gateway: Door):
    assert ask(gateway, "hi", response_format={"type": "text"}).headers["x-pointsman-stage"] == "l0"


def test_a_greeting_with_an_image_goes_to_the_model():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    with door() as gateway:
        reply = ask(gateway, [{"type": "text", "text": "hi"}, image])
        assert reply.headers["x-pointsman-stage"] == "model" and len(gateway.engine.asked) == 1
        reply = ask(gateway, [image])
        assert reply.headers["x-pointsman-stage"] == "model", "an image alone is no empty message"


def turns(*texts: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("earlier", "last"),
    [
        (("Book me a train.", "At eight or at nine?"), "ok"),
        (("Delete the file.", "Do you really want that?"), "ok"),
        (("订一张票", "您要确认吗？"), "好的"),
        (("订一张票", "需要我继续吗?"), "好的"),
    ],
)
def test_ok_after_a_question_of_the_assistant_goes_to_the_model(gateway: Door, earlier: tuple[str, ...], last: str):
    reply = ask(gateway, messages=turns(*earlier, last))
    assert reply.headers["x-pointsman-stage"] == "model" and len(gateway.engine.asked) == 1


def test_ok_after_a_statement_is_small_talk(gateway: Door):
    reply = ask(gateway, messages=turns("Tell me of trains.", "Trains run on rails.", "ok"))
    assert reply.headers["x-pointsman-stage"] == "l0"


def test_no_rule_fires_in_a_tool_loop(gateway: Door):
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "hello"},
    ]
    assert ask(gateway, messages=messages).headers["x-pointsman-stage"] == "model"


LONG = {
    "en": "Tell me a very long story about trains and stations. " * 60,
    "zh": "请讲一个很长很长的关于火车和车站的故事。" * 60,
}
ADVICE = {"en": "split", "zh": "内容过长，请分段提交"}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("language", LONG)
def test_too_long_for_an_entry_is_advice_in_the_users_language(gateway: Door, language: str, stream: bool):
    reply = ask(gateway, LONG[language], stream=stream)
    assert reply.status == 200 and reply.headers["x-pointsman-stage"] == "l0" and not gateway.engine.asked
    assert reply.headers["x-pointsman-rule"] == "guard.length"
    if stream:
        text = "".join(c["delta"].get("content") or "" for e in events_of(reply.body) for c in e["choices"])
    else:
        text = reply.json["choices"][0]["message"]["content"]
        assert reply.json["choices"][0]["finish_reason"] == "stop"
    assert ADVICE[language] in text and any(str(number) in text for number in range(LIMIT - 32, LIMIT + 1))


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("model", ["medium", "model-medium", "m"])
def test_too_long_for_a_tier_is_context_length_exceeded_with_the_numbers(gateway: Door, model: str, stream: bool):
    reply = ask(gateway, LONG["en"], model, stream=stream)
    assert reply.status == 400 and not gateway.engine.asked
    assert_error(reply.json, code="context_length_exceeded")
    error = reply.json["error"]
    numbers = [int(word.strip(",.;")) for word in error["message"].split() if word.strip(",.;").isdigit()]
    assert any(number > LIMIT for number in numbers) and any(LIMIT - 32 <= number <= LIMIT for number in numbers)
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize("text", ["", "   ", "\n\t ", "\u3000", "\u200b", [], [{"type": "text", "text": ""}]])
def test_an_empty_message_is_answered_by_the_guard(gateway: Door, text: Any):
    for model in ("auto", "medium"):
        reply = ask(gateway, text, model)
        assert reply.status == 200 and reply.headers["x-pointsman-rule"] == "guard.empty", reply
        assert reply.json["choices"][0]["message"]["content"] and not gateway.engine.asked


def test_a_tier_named_directly_passes_no_small_talk_rules(gateway: Door):
    assert ask(gateway, "hello", "medium").headers["x-pointsman-stage"] == "model"


def test_headers_of_a_chinese_rule_are_ascii_and_can_be_decoded(gateway: Door):
    reply = ask(gateway, "你好")
    assert all(value.isascii() for value in reply.headers.values())
    assert "你好" in unquote(reply.headers["x-pointsman-reason"])
