"""LangChain's OpenAI integration against the gateway."""

from __future__ import annotations

from typing import Any

import httpx
import openai
import pytest
import tiktoken
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from execution.engine import DONE, USAGE, Door, conversation, delta, replied, streamed
from running import Process

SAID = "Trains run on rails: 你好 🚂"
QUESTION = "Tell me about trains."


@pytest.fixture
def model(gateway: Door):
    with httpx.Client() as http:
        yield chat(gateway, http_client=http)


def chat(gateway: Door, **more: Any) -> ChatOpenAI:
    settings: dict[str, Any] = {"model": "auto", "base_url": gateway.base + "/v1", "api_key": "any", "max_retries": 0}
    return ChatOpenAI(**(settings | more))


def test_invoke(gateway: Door, model: ChatOpenAI):
    gateway.engine.play = streamed(conversation("Hello").replace(DONE, USAGE + DONE))
    reply = model.invoke(QUESTION)
    assert reply.content == "Hello" and reply.usage_metadata is not None and reply.usage_metadata["total_tokens"] == 5
    assert reply.response_metadata["finish_reason"] == "stop"


def test_stream(model: ChatOpenAI):
    assert "".join(str(chunk.content) for chunk in model.stream(QUESTION)) == SAID


def test_stream_with_usage_as_langchain_asks_for_it(gateway: Door, model: ChatOpenAI):
    gateway.engine.play = streamed(conversation("Hello").replace(DONE, USAGE + DONE))
    whole = None
    for chunk in model.stream(QUESTION, stream_usage=True):
        whole = chunk if whole is None else whole + chunk
    assert whole is not None and whole.usage_metadata is not None and whole.usage_metadata["total_tokens"] == 5


def test_batch(gateway: Door, model: ChatOpenAI):
    replies = model.batch([QUESTION, "hello", "And of ships?"])
    assert [reply.content == SAID for reply in replies] == [True, False, True] and replies[1].content
    assert len(gateway.engine.asked) == 2


async def test_ainvoke_and_astream(gateway: Door):
    async with httpx.AsyncClient() as http:
        model = chat(gateway, http_async_client=http)
        assert (await model.ainvoke(QUESTION)).content == SAID
        assert "".join([str(chunk.content) async for chunk in model.astream(QUESTION)]) == SAID


def test_tool_calls_whole_and_streamed(gateway: Door, model: ChatOpenAI):
    first = {"index": 0, "id": "call_a", "type": "function", "function": {"name": "weather", "arguments": ""}}
    second = {"index": 1, "id": "call_b", "type": "function", "function": {"name": "weather", "arguments": ""}}
    gateway.engine.play = streamed(
        delta(None, role="assistant", tool_calls=[first]),
        delta(None, tool_calls=[{"index": 0, "function": {"arguments": '{"city": "北京"}'}}]),
        delta(None, tool_calls=[second]),
        delta(None, tool_calls=[{"index": 1, "function": {"arguments": '{"city": "Paris"}'}}]),
        delta(finish="tool_calls"),
        DONE,
    )
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
    bound = model.bind_tools([{"type": "function", "function": {"name": "weather", "parameters": parameters}}])
    wanted = [("call_a", "weather", {"city": "北京"}), ("call_b", "weather", {"city": "Paris"})]
    reply: Any = bound.invoke("hi")
    assert [(call["id"], call["name"], call["args"]) for call in reply.tool_calls] == wanted
    whole: Any = None
    for chunk in bound.stream("hi"):
        whole = chunk if whole is None else whole + chunk
    assert [(call["id"], call["name"], call["args"]) for call in whole.tool_calls] == wanted


def embeddings(gateway: Door, http: httpx.Client, **more: Any) -> OpenAIEmbeddings:
    settings: dict[str, Any] = {"model": "medium", "base_url": gateway.base + "/v1", "api_key": "any", "max_retries": 0}
    return OpenAIEmbeddings(http_client=http, **(settings | more))


class _Words:
    """Stands in for tiktoken, which would fetch its tables from the network."""

    def encode(self, text: str, **_: Any) -> list[int]:
        return [len(word) for word in text.split()]

    encode_ordinary = encode


def test_token_arrays_are_a_400_that_names_the_switch(gateway: Door, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tiktoken, "encoding_for_model", lambda _: _Words())
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: _Words())
    with httpx.Client() as http, pytest.raises(openai.BadRequestError) as caught:
        embeddings(gateway, http).embed_query("tell me of trains")
    assert "check_embedding_ctx_length=False" in str(caught.value) and caught.value.param == "input"
    assert not gateway.engine.asked


@pytest.mark.parametrize("tokens", ["[1,2,3]", "[[1,2,3],[4]]"])
def test_token_arrays_of_any_client(gateway: Door, tokens: str):
    body = f'{{"model":"medium","encoding_format":"base64","input":{tokens}}}'
    reply = gateway.post("/v1/embeddings", body.encode())
    assert reply.status == 400 and "check_embedding_ctx_length=False" in reply.json["error"]["message"]


def test_embeddings_work_with_the_switch(gateway: Door):
    def entry(index: int) -> dict[str, Any]:
        return {"object": "embedding", "index": index, "embedding": [0.5, float(index)]}

    answer = {"object": "list", "model": "m", "usage": {"prompt_tokens": 2, "total_tokens": 2}}
    with httpx.Client() as http:
        made = embeddings(gateway, http, check_embedding_ctx_length=False)
        gateway.engine.play = replied(200, answer | {"data": [entry(0), entry(1)]})
        assert made.embed_documents(["a", "b"]) == [[0.5, 0.0], [0.5, 1.0]]
        gateway.engine.play = replied(200, answer | {"data": [entry(0)]})
        assert made.embed_query("a") == [0.5, 0.0]
    assert gateway.engine.asked[-1].fields["input"] in (["a"], "a")


def test_the_real_model_through_langchain(real_gateway: Process):
    with httpx.Client(timeout=60) as http:
        model = ChatOpenAI(
            model="light",
            base_url=real_gateway.base + "/v1",
            api_key="x",
            http_client=http,
            max_tokens=6,
            temperature=0,
        )  # type: ignore[call-arg,arg-type]
        assert model.invoke("Name a fruit.").content
        assert "".join(str(chunk.content) for chunk in model.stream("Name a fruit."))
