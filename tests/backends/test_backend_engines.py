"""What is particular to each engine."""

import asyncio
import contextlib
import json

import msgspec
import pytest
from backend_cases import case, chat

from pointsman.backends.embedded import Embedded
from pointsman.backends.make import make_backend
from pointsman.backends.ollama import Ollama
from pointsman.backends.openai_compat import split_base
from pointsman.backends.settings import BackendSettings
from pointsman.domain.target import ModelFacts, Target
from pointsman.ports.backend import BackendFailure
from twins import Fault, Recording, Twin

PING = [{"role": "user", "content": "ping"}]


def target(engine: str, *, external: bool = False) -> Target:
    return Target("m@b", "light", "m", "b", engine, external)


# vLLM


async def test_vllm_facts_and_counts():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin) as backend:
        assert (await backend.probe()).facts == ModelFacts(context_length=32768, engine_version="0.33.0")
        assert await backend.count_tokens(PING) == 30
        assert await backend.count_tokens("ping") == 1
        assert [msgspec.json.decode(request.body) for request in twin.asked("/tokenize")] == [
            {"model": twin.engine.model, "messages": PING},
            {"model": twin.engine.model, "prompt": "ping"},
        ]


async def test_vllm_lora_has_the_context_of_its_base():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin, model="sql-lora") as backend:
        state = await backend.probe()
        assert (state.health, state.facts.context_length) == ("up", 32768)


async def test_vllm_that_cannot_count_says_none():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin, model="nope") as backend:
        assert await backend.count_tokens(PING) is None
        twin.fail("/tokenize", Fault.not_sse())
        assert await backend.count_tokens(PING) is None


async def test_vllm_whose_engine_died():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin) as backend:
        twin.scene("dead")
        state = await backend.probe()
        assert state.health == "down" and "its engine died" in str(state.problem)


async def test_a_misspelt_model_gets_a_hint():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin, model="Qwen/Qwen2.5-7B-instruct") as backend:
        assert 'did you mean "Qwen/Qwen2.5-7B-Instruct"?' in str((await backend.probe()).problem)


# TensorRT-LLM


async def test_trtllm_facts():
    async with Twin("trtllm-1.2.1") as twin, case("trtllm").backend(twin, context=8192) as backend:
        assert (await backend.probe()).facts == ModelFacts(context_length=8192, engine_version="1.2.1")
        assert await backend.count_tokens(PING) is None


async def test_trtllm_without_a_version_endpoint():
    async with Twin("trtllm-1.2.1") as twin, case("trtllm").backend(twin) as backend:
        twin.fail("/version", Fault(status=404))
        state = await backend.probe()
        assert (state.health, state.facts.engine_version) == ("up", None)


async def test_trtllm_that_is_unavailable():
    async with Twin("trtllm-1.2.1") as twin, case("trtllm").backend(twin) as backend:
        twin.scene("dead")
        state = await backend.probe()
        assert state.health == "down" and "unavailable" in str(state.problem)


# Ollama


async def test_ollama_facts_of_a_loaded_model():
    async with Twin("ollama-0.32.9") as twin, case("ollama").backend(twin) as backend:
        assert (await backend.probe()).facts == ModelFacts(
            context_length=2048,
            trained_context=32768,
            layers=24,
            heads=14,
            kv_heads=2,
            head_size=64,
            embedding_size=896,
            parameters=494032768,
            architecture="qwen2",
            engine_version="0.32.9",
        )
        assert await backend.count_tokens(PING) is None


async def test_ollama_num_ctx_of_the_model_file_and_a_name_without_a_tag():
    async with Twin("ollama-0.32.9") as twin, case("ollama").backend(twin, model="llama3") as backend:
        facts = (await backend.probe()).facts
        assert (facts.context_length, facts.trained_context, facts.head_size, facts.kv_heads) == (8192, 8192, 128, 8)


async def test_ollama_context_of_a_model_that_is_not_loaded_is_not_known():
    async with Twin("ollama-0.32.9") as twin, case("ollama").backend(twin) as backend:
        twin.answer(Recording("GET", "/api/ps", body='{"models":null}'))
        facts = (await backend.probe()).facts
        assert (facts.context_length, facts.trained_context) == (None, 32768)


async def test_ollama_with_one_kv_head_count_per_layer():
    shown = {"model_info": {"general.architecture": "g", "g.attention.head_count_kv": [0, 4, 2]}, "parameters": None}
    async with Twin("ollama-0.32.9") as twin, case("ollama").backend(twin) as backend:
        twin.answer(Recording("POST", "/api/show", body=msgspec.json.encode(shown).decode()))
        facts = (await backend.probe()).facts
        assert (facts.architecture, facts.kv_heads, facts.layers) == ("g", 4, None)


async def test_ollama_without_the_model_says_how_to_get_it_and_what_is_close():
    async with Twin("ollama-0.32.9") as twin, case("ollama").backend(twin, model="qwen2.5:7b") as backend:
        state = await backend.probe()
        assert state.health == "down"
        assert "ollama pull qwen2.5:7b" in str(state.problem) and "installed: qwen2.5:0.5b" in str(state.problem)
        twin.answer(Recording("GET", "/api/tags", body='{"models":[]}'))
        assert "nothing is installed" in str((await backend.probe()).problem)


async def test_ollamas_cloud_models_do_not_pass_for_local_ones():
    model = "gpt-oss:120b-cloud"
    async with Twin("ollama-0.32.9") as twin:
        twin.answer(Recording("POST", "/api/show", body="{}"))
        async with case("ollama").backend(twin, model=model) as backend:
            state = await backend.probe()
            assert state.health == "down" and "https://ollama.com:443" in str(state.problem)
        async with case("ollama").backend(twin, model=model) as unprobed:
            with pytest.raises(BackendFailure, match="prompts would leave this network"):
                await unprobed.open(chat())
        async with case("ollama").backend(twin, model="minimax:cloud") as unlisted:
            with pytest.raises(BackendFailure, match="has no model"):
                await unlisted.open(chat())
        assert not twin.asked("/v1/chat/completions")
        async with case("ollama").backend(twin, model=model, external=True) as backend:
            assert (await backend.probe()).health == "up"
            await (await backend.open(chat())).read()


async def test_ollama_needs_no_address(monkeypatch: pytest.MonkeyPatch):
    assert Ollama.default_base_url == "http://127.0.0.1:11434"
    async with Twin("ollama-0.32.9") as twin:
        monkeypatch.setattr(Ollama, "default_base_url", twin.base_url)
        async with case("ollama").backend(twin, base_url=None) as backend:
            assert (await backend.probe()).health == "up"


async def test_ollamas_own_api_path_is_understood():
    async with Twin("ollama-0.32.9") as twin, case("ollama").backend(twin, "/api") as backend:
        assert (await backend.probe()).health == "up"
        await (await backend.open(chat())).read()
        assert twin.requests[-1].path == "/v1/chat/completions"


# llama.cpp


async def test_llamacpp_facts_and_counts():
    async with Twin("llamacpp-2026.10.11549") as twin, case("llamacpp").backend(twin) as backend:
        assert (await backend.probe()).facts == ModelFacts(
            context_length=2048,
            trained_context=8192,
            embedding_size=576,
            parameters=134515008,
            engine_version="b0-unknown",
            slots=2,
        )
        assert await backend.count_tokens(PING) == 31
        assert await backend.count_tokens("ping") == 1
        twin.fail("/apply-template", Fault(status=400, body='{"error":{"code":400,"message":"no"}}'))
        assert await backend.count_tokens([{"role": "user"}]) is None


@pytest.mark.parametrize("told", [0, -5])
async def test_llamacpp_that_tells_of_no_slots_at_all(told: int):
    """It would hold nobody, and everybody would wait for it."""
    async with Twin("llamacpp-2026.10.11549") as twin, case("llamacpp").backend(twin) as backend:
        body = {"total_slots": told, "default_generation_settings": {"n_ctx": told}}
        twin.fail("/props", Fault(status=200, body=json.dumps(body)))
        facts = (await backend.probe()).facts
        assert (facts.slots, facts.context_length) == (None, None)


async def test_llamacpp_loading():
    async with Twin("llamacpp-2026.10.11549") as twin, case("llamacpp").backend(twin) as backend:
        twin.scene("loading")
        state = await backend.probe()
        assert state.health == "loading" and "is loading its model" in str(state.problem)


class Child:
    """A local server that the test moves about."""

    def __init__(self) -> None:
        self.address: str | None = None
        self.state: str = "loading"
        self.problem: str | None = None
        self.facts = ModelFacts(layers=30, context_length=7)
        self.load_seconds: float | None = None
        self.up = asyncio.Event()

    async def settled(self, timeout: float | None = None) -> str:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.up.wait(), timeout)
        return self.state

    def rise(self, address: str) -> None:
        self.address, self.state = address, "up"
        self.up.set()


async def test_a_child_process_that_loads_is_waited_for_and_may_move():
    child = Child()
    settings = BackendSettings(model="builtin:smollm2-135m")
    backend = make_backend("embedded", settings, target("embedded"), server=child)
    assert isinstance(backend, Embedded)
    state = await backend.probe()
    assert state.health == "loading" and "builtin:smollm2-135m is loading" in str(state.problem)
    assert state.facts.layers == 30
    with pytest.raises(BackendFailure) as failure:
        await backend.open(msgspec.structs.replace(chat(), first_byte=0.05))
    assert failure.value.kind == "connect" and "is still loading" in failure.value.message
    async with Twin("llamacpp-2026.10.11549") as first, Twin("llamacpp-2026.10.11549") as second:
        waiting = asyncio.create_task(backend.open(chat()))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        child.rise(first.base_url)
        await (await waiting).read()
        child.rise(second.base_url)
        state = await backend.probe()
        assert state.health == "up" and state.facts.layers == 30 and state.facts.context_length != 7
        await (await backend.open(chat())).read()
        assert len(first.asked("/v1/chat/completions")) == len(second.asked("/v1/chat/completions")) == 1
        assert not first.open
        child.address, child.state, child.problem = None, "down", "the model file is damaged"
        child.up.set()
        state = await backend.probe()
        assert (state.health, state.problem) == ("down", "the model file is damaged")
        with pytest.raises(BackendFailure, match="the model file is damaged"):
            await backend.open(chat())
        await backend.close()


# Any OpenAI-compatible server


async def test_a_server_that_lists_no_models_is_up():
    async with Twin("vllm-0.33.0") as twin, case("openai").backend(twin) as backend:
        twin.answer(Recording("GET", "/v1/models", status=404, body='{"detail":"Not Found"}'))
        state = await backend.probe()
        assert (state.health, state.problem, state.facts) == ("up", None, ModelFacts())


async def test_a_server_that_limits_the_rate_is_up():
    async with Twin("vllm-0.33.0") as twin, case("openai").backend(twin) as backend:
        twin.fail("/v1/models", Fault.rate_limited())
        state = await backend.probe()
        assert state.health == "up" and "429" in str(state.problem)


async def test_a_server_in_trouble_is_down():
    async with Twin("vllm-0.33.0") as twin, case("openai").backend(twin) as backend:
        twin.fail("/v1/models", Fault(status=502, body="bad gateway"))
        state = await backend.probe()
        assert state.health == "down" and "answers /v1/models with 502" in str(state.problem)


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ('{"id":"m","context_length":4096,"max_model_len":null}', 4096),
        ('{"id":"m","context_window":8192}', 8192),
        ('{"id":"m","context_length":"large"}', None),
        ('{"id":"m"}', None),
    ],
)
async def test_the_contexts_length_has_many_names(entry: str, context: int | None):
    async with Twin("vllm-0.33.0") as twin, case("openai").backend(twin, model="m") as backend:
        twin.answer(Recording("GET", "/v1/models", body=f'{{"data":[{entry}]}}'))
        assert (await backend.probe()).facts.context_length == context


# Addresses and settings


@pytest.mark.parametrize(
    ("url", "always", "prefix", "api"),
    [
        ("http://h:1", True, "", "/v1"),
        ("http://h:1/", False, "", "/v1"),
        ("http://h:1/v1", False, "", "/v1"),
        ("http://h:1/v1//", True, "", "/v1"),
        ("http://h/llm", True, "/llm", "/v1"),
        ("http://h/llm/v1/", True, "/llm", "/v1"),
        ("https://h/v1beta/openai", False, "/v1beta/openai", ""),
        ("https://h/api/v3/", False, "/api/v3", ""),
        ("http+unix://%2Frun%2Fe.sock", True, "", "/v1"),
        ("http+unix://%2Frun%2Fe.sock/v1", False, "", "/v1"),
    ],
)
def test_split_base(url: str, always: bool, prefix: str, api: str):
    origin, path = split_base(url, always=always)
    assert (origin.prefix, path) == (prefix, api)


async def test_a_hosted_api_is_reached_below_its_own_path():
    async with Twin("vllm-0.33.0") as twin, case("openai").backend(twin, "/v1beta/openai") as backend:
        twin.answer(Recording("POST", "/v1beta/openai/chat/completions", body="{}"))
        assert await (await backend.open(chat())).read() == b"{}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "engine vllm needs a base_url"),
        ({"base_url": "localhost:8000"}, "it has no scheme"),
        ({"base_url": "http://h:8000/v1/chat/completions"}, "give what stands before it: http://h:8000/v1"),
        ({"base_url": "http://h:8000", "api_key": "k\n"}, "a line break at its end?"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, str], message: str):
    with pytest.raises(ValueError) as error:
        make_backend("vllm", BackendSettings(model="m", **settings), target("vllm"))
    assert message in str(error.value)


def test_an_unknown_engine_is_told_the_valid_ones():
    with pytest.raises(ValueError) as error:
        make_backend("vlm", BackendSettings(model="m"), target("vlm"))
    assert str(error.value) == (
        'unknown engine "vlm", did you mean "vllm"? (valid: embedded, llamacpp, ollama, openai, trtllm, vllm)'
    )
    with pytest.raises(ValueError, match="needs its server"):
        make_backend("embedded", BackendSettings(model="m"), target("embedded"))
