"""The real thing: SmolLM2 in llama.cpp in a child process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from fleet.conftest import FAST
from fleet.gguf_writer import LLAMA, STRING, TENSORS, gguf
from fleet.test_process import killed
from pointsman.fleet.builtin import find_builtin
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def ask(address: str, path: str, body: dict[str, Any] | None = None) -> Any:
    host, _, port = address.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    data = json.dumps(body).encode() if body is not None else b""
    writer.write(
        f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode()
        + data
    )
    answer = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    await writer.wait_closed()
    head, _, content = answer.partition(b"\r\n\r\n")
    assert head.split()[1] == b"200", answer
    return json.loads(content)


async def test_ready_with_its_alias_and_facts(smollm2: ModelProcess) -> None:
    assert smollm2.address
    models = await ask(smollm2.address, "/v1/models")
    assert [model["id"] for model in models["data"]] == ["smol"]
    facts = smollm2.facts
    assert (facts.context_length, facts.slots, facts.trained_context) == (1024, 2, 8192)
    assert facts.engine_version
    assert facts.engine_version.startswith("xllamacpp ")
    assert any("listening on" in line for line in smollm2.log_tail)


async def test_killed_and_up_again(smollm2: ModelProcess) -> None:
    before = smollm2.pid
    await killed(smollm2)
    assert smollm2.pid != before
    assert smollm2.address
    assert await ask(smollm2.address, "/v1/models")


async def test_a_client_that_hangs_up_is_cancelled(smollm2: ModelProcess) -> None:
    assert smollm2.address
    before = sum("cancel task" in line for line in smollm2.log_tail)
    body = json.dumps(
        {"messages": [{"role": "user", "content": "Tell a long story."}], "stream": True, "max_tokens": 900}
    ).encode()
    with socket.create_connection(("127.0.0.1", int(smollm2.address.rpartition(":")[2])), 10) as client:
        client.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        got = b""
        while got.count(b"data:") < 3:
            got += await asyncio.to_thread(client.recv, 4096)
    async with asyncio.timeout(30):
        while sum("cancel task" in line for line in smollm2.log_tail) == before:
            await asyncio.sleep(0.01)


async def test_a_fixed_port_that_is_taken_names_its_owner() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        problem = await failed_beside(ModelSettings(model="builtin:smollm2-135m", name="smol", port=port))
    assert f"port {port} on 127.0.0.1 is in use by " in problem
    assert f"(pid {os.getpid()})" in problem


async def failed_beside(settings: ModelSettings) -> str:
    """The problem of a model that cannot load, beside the shared one."""
    process = ModelProcess(settings)
    await process.start()
    assert await process.settled(30) == "down"
    problem = process.problem
    await process.stop()
    assert problem
    return problem


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"n_ubatchh": 1}, 'extra: CommonParams has no attribute "n_ubatchh" (close to it: n_ubatch'),
        ({"n_ctx": 1}, 'extra: "n_ctx" is set by `context`'),
        ({"cache_type_k": "q9_0"}, 'extra.cache_type_k: unknown value "q9_0" (valid: f32, f16, '),
        ({"sampling": {"temp": "hot"}}, 'extra.sampling.temp: "hot" is refused'),
        ({"warmup": "no"}, 'extra.warmup: "no" is not true or false'),
    ],
)
async def test_extra_settings_that_cannot_be(extra: dict[str, Any], words: str) -> None:
    assert words in await failed_beside(ModelSettings(model="builtin:smollm2-135m", name="smol", extra=extra))


async def test_files_that_llama_cpp_refuses(tmp_path: Path) -> None:
    foo = [("general.architecture", STRING, "foo"), *LLAMA[1:]]
    (tmp_path / "foo.gguf").write_bytes(gguf(foo, TENSORS[:1]) + bytes(2048))
    problem = await failed_beside(ModelSettings(model=str(tmp_path / "foo.gguf"), name="foo"))
    assert "foo did not load: " in problem
    assert "unknown model architecture: 'foo'" in problem
    with find_builtin("builtin:smollm2-135m").open("rb") as whole:
        (tmp_path / "half.gguf").write_bytes(whole.read(4 << 20))
    problem = await failed_beside(ModelSettings(model=str(tmp_path / "half.gguf"), name="half"))
    assert "half.gguf: the file ends at 4,194,304 bytes, its tensors (the last is " in problem


async def test_embeddings_with_extra_settings_on_a_fixed_port(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = ModelSettings(
        model="builtin:smollm2-135m",
        name="embed",
        context=300,
        slots=1,
        threads=1,
        port=port,
        embedding=True,
        extra={"cache_type_k": "q8_0", "flash_attn_type": "enabled", "warmup": False},
    )
    process = ModelProcess(settings, backoff=FAST, log_path=tmp_path / "embed.log")
    await process.start()
    assert await process.settled(60) == "up", process.problem
    assert process.address == f"http://127.0.0.1:{port}"
    assert process.facts.context_length == 512  # llama.cpp pads to 256
    answer = await ask(process.address, "/v1/embeddings", {"input": ["ping " * 280, "pong"]})
    assert [len(item["embedding"]) for item in answer["data"]] == [576, 576]
    pid = process.pid
    await process.stop()
    assert pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIG_DFL)
    assert b"listening on" in (tmp_path / "embed.log").read_bytes()
