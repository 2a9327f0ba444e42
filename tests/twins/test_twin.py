"""The twin is an instrument: it has to be right before anything measured with it is."""

import asyncio
import json

import msgspec
import pytest

from twins import Fault, Recording, Twin
from twins.twin import RECORDINGS, Engine, load

ENGINES = sorted(path.name for path in RECORDINGS.iterdir())


async def ask(twin: Twin, method: str, path: str, body: bytes = b"") -> bytes:
    """Everything that the server sends until it has nothing more to say for 0.3 s or closes."""
    reader, writer = await asyncio.open_connection(twin.host, twin.port)
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    received = b""
    try:
        while part := await asyncio.wait_for(reader.read(65536), 0.3):
            received += part
    except TimeoutError:
        pass
    writer.close()
    return received


def test_there_is_a_twin_of_every_engine_and_the_readme_names_its_source():
    readme = (RECORDINGS.parent / "README.md").read_text()
    assert {name.partition("-")[0] for name in ENGINES} == {"llamacpp", "ollama", "trtllm", "vllm"}
    for name in ENGINES:
        assert f"| `{name}` |" in readme


@pytest.mark.parametrize("name", ENGINES)
def test_recordings_hold_what_they_claim(name: str):
    engine = msgspec.json.decode((RECORDINGS / name / "engine.json").read_bytes(), type=Engine)
    assert name == f"{engine.engine}-{engine.version}"
    for recording in load(RECORDINGS / name):
        texts = [chunk.data for chunk in recording.chunks or ()]
        assert all(text.startswith("data: ") and text.endswith("\n\n") for text in texts)
        assert not texts or texts[-1] == "data: [DONE]\n\n"
        for event in texts[:-1]:
            json.loads(event.removeprefix("data: "))
        if "json" in recording.headers.get("content-type", recording.headers.get("Content-Type", "")):
            json.loads(recording.body)


async def test_replays_bytes_and_records_the_request():
    async with Twin("vllm-0.33.0") as twin:
        body = b'{"stream": true,  "x":1}'
        received = await ask(twin, "POST", "/v1/chat/completions", body)
        [request] = twin.requests
        assert request.body == body and request.header("host") == "x" and request.connection == 1
        await asyncio.wait_for(request.done.wait(), 20)
        assert not request.hung_up.is_set()
    assert received.startswith(b"HTTP/1.1 200 Recorded\r\n") and received.endswith(b"0\r\n\r\n")
    assert b'{"content":"\xe4\xbd\xa0\xe5\xa5\xbd"}' in received


async def test_the_most_exact_recording_answers_and_a_test_can_put_one_before_it():
    async with Twin("vllm-0.33.0") as twin:
        assert b'"choices":[],"usage"' in twin.recorded("/v1/chat/completions", stream=True, stream_options={})
        assert b'"choices":[],"usage"' not in twin.recorded("/v1/chat/completions", stream=True)
        twin.answer(Recording("GET", "/version", body="mine"))
        assert (await ask(twin, "GET", "/version")).endswith(b"mine")
        assert b" 404 " in await ask(twin, "GET", "/nowhere")


async def test_scenes():
    async with Twin("llamacpp-2026.10.11549") as twin:
        assert b" 200 " in await ask(twin, "GET", "/health")
        twin.scene("loading")
        assert b"Loading model" in await ask(twin, "GET", "/health")


async def test_faults():
    async with Twin("vllm-0.33.0") as twin:
        path = "/v1/chat/completions"
        stream = b'{"stream":true}'
        twin.fail(path, Fault.rate_limited("7"))
        reply = await ask(twin, "POST", path, stream)
        assert b" 429 " in reply and b"retry-after: 7\r\n" in reply
        twin.fail(path, Fault.empty_stream())
        assert (await ask(twin, "POST", path, stream)).endswith(b"content-length: 0\r\n\r\n")
        twin.fail(path, Fault.not_sse())
        assert (await ask(twin, "POST", path, stream)).endswith(b"</html>")
        twin.fail(path, Fault(hang="head"))
        assert await ask(twin, "POST", path, stream) == b""
        twin.fail(path, Fault(hang="body"))
        assert (await ask(twin, "POST", path, stream)).endswith(b"\r\n\r\n")
        twin.fail(path, Fault(reset_before_head=True))
        with pytest.raises(ConnectionResetError):
            await ask(twin, "POST", path, stream)
        twin.fail(path, Fault(reset_after=10))
        with pytest.raises(ConnectionResetError):
            await ask(twin, "POST", path, stream)
        twin.fail(path, Fault(delay_head=0.1, delay_chunks=0), times=2)
        for _ in range(2):
            started = asyncio.get_running_loop().time()
            assert b"[DONE]" in await ask(twin, "POST", path, stream)
            assert asyncio.get_running_loop().time() - started > 0.1
        assert b"[DONE]" in await ask(twin, "POST", path, stream)
        await asyncio.sleep(0)
        hung_up = [request.hung_up.is_set() for request in twin.requests]
        assert hung_up == [False, False, False, True, True, False, False, False, False, False]


async def test_idle_connections_end_with_the_engines_keep_alive():
    async with Twin("vllm-0.33.0") as twin:
        twin.engine = msgspec.structs.replace(twin.engine, keep_alive=0.05)
        reader, writer = await asyncio.open_connection(twin.host, twin.port)
        writer.write(b"GET /version HTTP/1.1\r\n\r\nGET /version HTTP/1.1\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 20)).count(b"0.33.0") == 2
        assert twin.connections == 1 and not twin.open
        writer.close()
