"""The official client of OpenAI, sync and async, against the gateway."""

from __future__ import annotations

import asyncio
import base64
import struct
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai
import pytest

from execution.engine import (
    DONE,
    USAGE,
    Door,
    conversation,
    delta,
    door,
    event,
    replied,
    streamed,
)
from running import Process

SAID = "Trains run on rails: 你好 🚂"
QUESTION: Any = [{"role": "user", "content": "Tell me about trains."}]


@pytest.fixture
def client(gateway: Door) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=gateway.base + "/v1", api_key="any", max_retries=0, timeout=10) as made:
        yield made


@pytest.fixture
async def later(gateway: Door) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=gateway.base + "/v1", api_key="any", max_retries=0, timeout=10) as made:
        yield made


def test_chat(gateway: Door, client: openai.OpenAI):
    gateway.engine.play = streamed(conversation("Hello").replace(DONE, USAGE + DONE))
    reply = client.chat.completions.create(model="auto", messages=QUESTION, extra_body={"drop_params": True})
    assert reply.object == "chat.completion" and reply.choices[0].message.content == "Hello"
    assert reply.choices[0].finish_reason == "stop" and reply.usage is not None and reply.usage.total_tokens == 5
    assert reply.choices[0].message.tool_calls is None
    assert gateway.engine.asked[-1].fields["drop_params"] is True


def test_chat_with_raw_response_shows_the_headers(client: openai.OpenAI):
    raw = client.chat.completions.with_raw_response.create(model="auto", messages=QUESTION)
    assert raw.headers["x-pointsman-target"] == "m@b1" and raw.parse().choices[0].message.content == SAID


def test_stream(client: openai.OpenAI):
    with client.chat.completions.create(model="medium", messages=QUESTION, stream=True) as stream:
        chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == SAID
    assert chunks[-1].choices[0].finish_reason == "stop" and all(chunk.usage is None for chunk in chunks)


def test_stream_with_usage(gateway: Door, client: openai.OpenAI):
    gateway.engine.play = streamed(conversation("x").replace(DONE, USAGE + DONE))
    options: Any = {"include_usage": True}
    for text, model in (("Tell me about trains.", "medium"), ("hello", "auto")):
        messages: Any = [{"role": "user", "content": text}]
        with client.chat.completions.create(model=model, messages=messages, stream=True, stream_options=options) as s:
            chunks = list(s)
        assert chunks[-1].usage is not None and chunks[-1].usage.total_tokens > 0 and chunks[-1].choices == []
        assert all(chunk.usage is None for chunk in chunks[:-1])


async def test_async_chat_and_stream(later: openai.AsyncOpenAI):
    reply = await later.chat.completions.create(model="auto", messages=QUESTION)
    assert reply.choices[0].message.content == SAID
    stream = await later.chat.completions.create(model="auto", messages=QUESTION, stream=True)
    async with stream:
        texts = [chunk.choices[0].delta.content or "" async for chunk in stream]
    assert "".join(texts) == SAID


async def test_async_client_that_closes_its_stream_early_stops_the_engine(gateway: Door, later: openai.AsyncOpenAI):
    async def endless(writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            piece = delta("word ")
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
            await asyncio.sleep(0.01)

    gateway.engine.play = endless
    stream = await later.chat.completions.create(model="auto", messages=QUESTION, stream=True)
    async for _ in stream:
        break
    await stream.close()
    began = time.monotonic()
    while not gateway.engine.asked[-1].hung_up.is_set():
        assert time.monotonic() - began < 20
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("text", ["hello", "你好"])
def test_an_answer_of_a_rule(gateway: Door, client: openai.OpenAI, stream: bool, text: str):
    messages: Any = [{"role": "user", "content": text}]
    if stream:
        with client.chat.completions.create(model="auto", messages=messages, stream=True) as chunks:
            said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    else:
        reply = client.chat.completions.create(model="auto", messages=messages)
        said = reply.choices[0].message.content or ""
        assert reply.usage is not None and reply.usage.total_tokens and reply.choices[0].finish_reason == "stop"
    assert said and not gateway.engine.asked


def test_completions(gateway: Door, client: openai.OpenAI):
    def part(text: str, finish: str | None = None) -> bytes:
        choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish}
        return event({"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]})

    gateway.engine.play = streamed(part("on "), part("rails", "stop"), DONE)
    reply = client.completions.create(model="medium", prompt="Trains run")
    assert reply.object == "text_completion" and reply.choices[0].text == "on rails"
    with client.completions.create(model="medium", prompt="Trains run", stream=True) as stream:
        assert "".join(chunk.choices[0].text for chunk in stream) == "on rails"
    assert client.completions.create(model="auto", prompt="hello").choices[0].text


FLOATS = [0.5, -0.25, 1.0, 0.1]
EMBEDDED = {
    "object": "list",
    "model": "m",
    "data": [{"object": "embedding", "index": 0, "embedding": FLOATS}],
    "usage": {"prompt_tokens": 2, "total_tokens": 2},
}


def test_embeddings_which_the_client_asks_for_as_base64(gateway: Door, client: openai.OpenAI):
    gateway.engine.play = replied(200, EMBEDDED)
    reply = client.embeddings.create(model="medium", input=["ping"])
    assert reply.data[0].embedding == pytest.approx(FLOATS) and reply.usage.total_tokens == 2
    assert gateway.engine.asked[-1].fields["encoding_format"] == "float"
    raw: Any = client.embeddings.create(model="medium", input="ping", encoding_format="base64")
    assert struct.unpack("<4f", base64.b64decode(raw.data[0].embedding)) == pytest.approx(FLOATS)
    plain = client.embeddings.create(model="medium", input="ping", encoding_format="float")
    assert plain.data[0].embedding == FLOATS


def test_models(client: openai.OpenAI):
    listed = client.models.list().data
    kinds = {model.id: getattr(model, "pointsman")["kind"] for model in listed}  # noqa: B009
    assert kinds == {"auto": "entry", "medium": "tier", "model-medium": "alias", "m": "model"}
    assert all(model.object == "model" and model.created and model.owned_by for model in listed)
    for name in kinds:
        assert client.models.retrieve(name).id == name
    with pytest.raises(openai.NotFoundError) as caught:
        client.models.retrieve("mediun")
    assert 'did you mean "medium"' in str(caught.value)


# Tools

CALLS = [("call_a", "weather", '{"city": "北京"}'), ("call_b", "time", "{}")]
TOOL_STREAM = (
    delta(None, role="assistant", tool_calls=[tool]) if number == 0 else delta(None, tool_calls=[tool])
    for number, tool in enumerate(
        [
            {"index": 0, "id": "call_a", "type": "function", "function": {"name": "weather", "arguments": ""}},
            {"index": 0, "function": {"arguments": '{"city": '}},
            {"index": 0, "function": {"arguments": '"北京"}'}},
            {"index": 1, "id": "call_b", "type": "function", "function": {"name": "time", "arguments": ""}},
            {"index": 1, "function": {"arguments": "{}"}},
        ]
    )
)
PARALLEL = b"".join([*TOOL_STREAM, delta(finish="tool_calls"), DONE])
TOOLS: Any = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for _, name, _ in CALLS
]


def test_parallel_tool_calls_whole(gateway: Door, client: openai.OpenAI):
    gateway.engine.play = streamed(PARALLEL)
    choice = client.chat.completions.create(model="auto", messages=QUESTION, tools=TOOLS).choices[0]
    calls: Any = choice.message.tool_calls
    assert [(call.id, call.function.name, call.function.arguments) for call in calls] == CALLS
    assert choice.finish_reason == "tool_calls" and choice.message.content is None
    assert {call.type for call in calls} == {"function"}


def test_parallel_tool_calls_streamed_and_accumulated_by_the_client(gateway: Door, client: openai.OpenAI):
    gateway.engine.play = streamed(PARALLEL)
    with client.chat.completions.stream(model="auto", messages=QUESTION, tools=TOOLS) as stream:
        final: Any = stream.get_final_completion()
    calls = final.choices[0].message.tool_calls
    assert [(call.id, call.function.name, call.function.arguments) for call in calls] == CALLS


# Errors


def test_an_unknown_model_is_not_found(client: openai.OpenAI):
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="gpt-9", messages=QUESTION)
    assert caught.value.code == "model_not_found" and caught.value.param == "model"
    body: Any = caught.value.body
    assert body["src"] == "gateway" and body["request_id"]


def test_a_bad_request(gateway: Door, client: openai.OpenAI):
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="auto", messages=[])
    assert caught.value.param == "messages"
    gateway.engine.play = replied(400, {"error": {"message": "no such grammar", "type": "invalid_request_error"}})
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="auto", messages=QUESTION, stream=True)
    body: Any = caught.value.body
    assert body["src"] == "backend" and "no such grammar" in str(caught.value)


def test_a_wrong_key(gateway: Door):
    headers = {"x-forwarded-for": "203.0.113.7"}
    base = gateway.base + "/v1"
    with openai.OpenAI(base_url=base, api_key="wrong", max_retries=0, default_headers=headers) as client:
        with pytest.raises(openai.AuthenticationError) as caught:
            client.chat.completions.create(model="auto", messages=QUESTION)
        assert caught.value.code == "invalid_api_key"


@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, openai.RateLimitError), (503, openai.InternalServerError), (500, openai.InternalServerError)],
)
def test_a_failing_backend_is_the_matching_status_error(
    gateway: Door, client: openai.OpenAI, status: int, kind: type[openai.APIStatusError]
):
    gateway.engine.play = replied(status, {"error": {"message": "boom"}}, "retry-after: 1")
    with pytest.raises(kind) as caught:
        client.chat.completions.create(model="auto", messages=QUESTION)
    assert "boom" in str(caught.value)


async def test_an_error_in_the_middle_of_a_stream_is_an_api_error(gateway: Door, later: openai.AsyncOpenAI):
    async def broken(writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        piece = delta("", role="assistant") + delta("half")
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.transport.abort()

    gateway.engine.play = broken
    said = ""
    with pytest.raises(openai.APIError) as caught:
        stream = await later.chat.completions.create(model="auto", messages=QUESTION, stream=True)
        async with stream:
            async for chunk in stream:
                said += chunk.choices[0].delta.content or ""
    assert said == "half" and "broke off" in caught.value.message
    body: Any = caught.value.body
    assert body["src"] == "backend" and body["request_id"].startswith("req_")


def test_too_long_is_told_by_its_code(gateway: Door):
    models = {"medium": {"backends": [gateway.engine.backend(context=300)]}}
    with door(models=models) as small, openai.OpenAI(base_url=small.base + "/v1", api_key="x") as client:
        messages: Any = [{"role": "user", "content": "a long story of trains " * 200}]
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="medium", messages=messages)
        assert caught.value.code == "context_length_exceeded"
        assert client.chat.completions.create(model="auto", messages=messages).choices[0].message.content


# The real model


def test_the_real_model_answers_whole_and_streamed_alike(real_gateway: Process):
    with openai.OpenAI(base_url=real_gateway.base + "/v1", api_key="x", timeout=60) as client:
        shared: Any = {"model": "light", "messages": QUESTION, "max_tokens": 8, "temperature": 0, "seed": 1}
        whole = client.chat.completions.create(**shared)
        with client.chat.completions.create(**shared, stream=True) as stream:
            said = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        assert whole.choices[0].message.content == said and said
        assert whole.usage is not None and whole.usage.completion_tokens == 8
        assert whole.choices[0].finish_reason == "length"
        text = client.completions.create(model="light", prompt="The capital of France is", max_tokens=4, temperature=0)
        assert text.choices[0].text
