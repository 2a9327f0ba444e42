"""Engines are told by what they answer; ports that hang, babble or answer rubbish cost a second at most, and no error."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.fake_engines import LM_STUDIO, cards, engine, nobody, ollama, raw, recorded
from pointsman.fleet.discover import FoundModel, Unclear, discover, size_of
from thorough import tries

OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


async def test_ollama() -> None:
    with engine(recorded("ollama-0.32.9")) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.label, found.version) == ("ollama", "Ollama", "0.32.9")
    assert found.base_url == f"http://127.0.0.1:{port}/v1"
    assert [(m.name, m.billions, m.kind) for m in found.models] == [
        ("qwen2.5:0.5b", 0.5, "chat"),
        ("llama3:latest", 8.0, "chat"),
        ("gpt-oss:120b-cloud", 120.0, "remote"),
    ]
    assert [m.tier for m in found.models[:2]] == ["light", "medium"]


async def test_ollama_without_models() -> None:
    with engine(ollama()) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.models) == ("ollama", ())


async def test_an_embedding_model_by_its_family() -> None:
    with engine(ollama("quiet-name", details={"family": "nomic-bert", "parameter_size": "137M"})) as port:
        [found] = (await discover([port])).engines
    assert found.models == (FoundModel("quiet-name", 0.137, None, "embedding"),)


async def test_vllm() -> None:
    with engine(recorded("vllm-0.33.0")) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.version) == ("vllm", "0.33.0")
    assert found.models == (
        FoundModel("Qwen/Qwen2.5-7B-Instruct", 7.0, 32768),
        FoundModel("sql-lora", None, None, "adapter"),
    )


async def test_llamacpp_tells_size_and_context() -> None:
    with engine(recorded("llamacpp-2026.10.11549")) as port:
        [found] = (await discover([port])).engines
    assert found.engine == "llamacpp"
    assert found.models == (FoundModel("smollm2-135m-instruct", 0.135, 2048),)


async def test_an_older_llamacpp_by_its_props() -> None:
    props = {"default_generation_settings": {"n_ctx": 4096}, "model_path": "C:\\models\\qwen2.5-3b.gguf"}
    with engine({"/props": props, "*": (404, "File Not Found")}) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.models) == ("llamacpp", (FoundModel("qwen2.5-3b.gguf", 3.0, 4096),))


async def test_trtllm() -> None:
    with engine(recorded("trtllm-1.2.1")) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.label, found.version) == ("trtllm", "TensorRT-LLM", "1.2.1")
    assert found.models == (FoundModel("TinyLlama-1.1B-Chat-v1.0", 1.1),)


async def test_lm_studio() -> None:
    with engine(LM_STUDIO) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.label) == ("openai", "LM Studio")
    assert found.models == (
        FoundModel("qwen3-14b", 14.0, 40960),
        FoundModel("text-embedding-nomic-embed-text-v1.5", None, None, "embedding"),
    )


async def test_another_server_with_the_openai_api() -> None:
    with engine(cards("sglang", "my-model")) as port:
        [found] = (await discover([port])).engines
    assert (found.engine, found.label, found.models) == ("openai", "OpenAI API", (FoundModel("my-model"),))


async def test_all_at_once_in_the_order_of_the_ports() -> None:
    with contextlib.ExitStack() as stack:
        hung = [stack.enter_context(raw(None)) for _ in range(4)]
        vllm = stack.enter_context(engine(recorded("vllm-0.33.0")))
        there = stack.enter_context(engine(recorded("ollama-0.32.9")))
        begun = time.monotonic()
        found = await discover([vllm, *hung, nobody(), there, there], seconds=2.0)
    assert time.monotonic() - begun < 7.5  # one after another, eight seconds
    assert [e.engine for e in found.engines] == ["vllm", "ollama"]
    assert found.unclear == tuple(Unclear(port, "silent") for port in hung)


async def test_nobody_is_no_trouble() -> None:
    found = await discover([nobody(), nobody()])
    assert (found.engines, found.unclear) == ((), ())


@pytest.mark.parametrize(
    ("answers", "trouble"),
    [
        ({"/v1/models": (401, '{"error":"Unauthorized"}')}, "key"),
        ({"/v1/models": (503, '{"error":{"message":"Loading model"}}')}, "loading"),
        (cards("pointsman", "auto"), "pointsman"),
        ({"*": (200, "<html>hello</html>")}, "unknown"),
        ({}, "unknown"),
        ({"*": (200, "[" * 100_000)}, "unknown"),
        ({"*": (500, "")}, "unknown"),
        (cards("x", ""), "unknown"),
    ],
)
async def test_servers_that_cannot_be_used(answers: dict[str, Any], trouble: str) -> None:
    with engine(answers) as port:
        found = await discover([port])
    if not found.engines:
        assert found.unclear == (Unclear(port, trouble),)  # type: ignore[arg-type]
    else:
        assert found.engines[0].models == ()


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x00\xff" * 1000,
        b"",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nabc",
        b"HTTP/1.1 two OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
    ],
)
async def test_what_is_no_http(data: bytes) -> None:
    with raw(data) as port:
        [unclear] = (await discover([port])).unclear
    assert unclear.trouble in ("no_http", "unknown")


async def test_a_body_without_end_is_cut_off() -> None:
    with raw(OK + b"transfer-encoding: chunked\r\n\r\n" + b"10000\r\n" + b"x" * 65536, close=False) as port:
        begun = time.monotonic()
        found = await discover([port], seconds=0.3)
    assert time.monotonic() - begun < 20
    assert found.unclear == (Unclear(port, "silent"),)


async def test_too_large_a_body_is_refused() -> None:
    with engine({"*": (200, "x" * (5 << 20))}) as port:
        assert (await discover([port])).unclear == (Unclear(port, "no_http"),)


async def test_names_that_could_do_harm_are_left_out() -> None:
    bad = ["a\nb", "${HOME}", "\x1b[31mred", "x" * 300, " padded ", "\u202egpj", "ok:7b"]
    with engine(ollama(*bad)) as port:
        [found] = (await discover([port])).engines
    assert [m.name for m in found.models] == ["ok:7b"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["data", "models", "id", "name", "owned_by", "version", "meta", "details", "type", "n_params"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=tries(18, 60), deadline=None)
@given(st.dictionaries(st.sampled_from(["/v1/models", "/api/version", "/api/tags", "/api/v0/models", "/props"]), JSON))
async def test_any_json_is_survived(answers: dict[str, Any]) -> None:
    with engine({path: (200, json.dumps(value)) for path, value in answers.items()}) as port:
        found = await discover([port])
    assert len(found.engines) + len(found.unclear) == 1


@pytest.mark.parametrize(
    ("name", "billions", "tier"),
    [
        ("qwen2.5:7b", 7, "medium"),
        ("qwen2.5:0.5b", 0.5, "light"),
        ("llama3.2:3b", 3, "light"),
        ("phi3:3.8b", 3.8, "medium"),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", 0.135, "light"),
        ("Qwen/Qwen2.5-14B-Instruct-AWQ", 14, "heavy"),
        ("mixtral-8x7b", 56, "heavy"),
        ("qwen3-30b-a3b", 30, "heavy"),
        ("gemma3n:e4b", 4, "medium"),
        ("qwen2.5-7b-instruct-1m", 7, "medium"),
        ("gpt-oss:20b", 20, "heavy"),
        ("deepseek-v3", None, "medium"),
        ("model-q8_0-4bit-bf16", None, "medium"),
        ("llama3:latest", None, "medium"),
        ("模型7b", 7, "medium"),
    ],
)
def test_size_and_tier(name: str, billions: float | None, tier: str) -> None:
    assert size_of(name) == (pytest.approx(billions) if billions else None)
    assert FoundModel(name, size_of(name)).tier == tier
