"""What every adapter promises, each against the recorded twin of its engine."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from backend_cases import CASES, Case, chat

from pointsman.ports.backend import Backend, BackendFailure
from twins import Fault, Recording, Twin

BODY = b'{ "stream" : true, "no_such": {"b":2,"a":1}, "messages":[{"role":"user","content":"\xe4\xbd\xa0\\u597d"}] }'


@pytest.fixture(params=CASES, ids=lambda case: case.engine)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
async def twin(case: Case) -> AsyncIterator[Twin]:
    async with Twin(case.recording) as twin:
        yield twin


async def test_up(case: Case, twin: Twin):
    async with case.backend(twin) as backend:
        port: Backend = backend
        state = await port.probe()
    assert (state.target, state.health, state.problem) == ("m@b", "up", None)
    assert not twin.asked("/v1/chat/completions")


async def test_down(case: Case, twin: Twin):
    await twin.stop()
    async with case.backend(twin) as backend:
        state = await backend.probe()
        assert state.health == "down" and state.problem is not None
        assert f"127.0.0.1:{twin.port}" in state.problem and f"is {backend.label} running there?" in state.problem
        with pytest.raises(BackendFailure) as failure:
            await backend.open(chat())
    assert failure.value.kind == "connect"


@pytest.mark.parametrize("hang", ["head", "body"])
async def test_slow(case: Case, twin: Twin, hang: str):
    twin.fail(case.first, Fault(hang=hang))  # type: ignore[arg-type]
    loop = asyncio.get_running_loop()
    async with case.backend(twin, probe_timeout=0.2) as backend:
        started = loop.time()
        state = await backend.probe()
        assert loop.time() - started < 5
        assert state.health == "down" and state.problem is not None and str(twin.port) in state.problem
    async with case.backend(twin) as backend:
        assert (await backend.probe()).health == "up"


async def test_a_slow_engine_gets_the_time_once_not_for_each_question(case: Case, twin: Twin):
    for path in {"/health", "/version", "/props", "/v1/models", "/api/version", "/api/tags", "/api/show", "/api/ps"}:
        twin.fail(path, Fault(delay_head=0.25), times=None)
    loop = asyncio.get_running_loop()
    async with case.backend(twin, probe_timeout=0.4) as backend:
        started = loop.time()
        state = await backend.probe()
        assert loop.time() - started < 0.7
    if case.engine != "openai":  # it asks one question only
        assert (
            state.health == "down"
            and state.problem is not None
            and "did not answer a probe within 0.4 s" in state.problem
        )


async def test_wrong_model(case: Case, twin: Twin):
    async with case.backend(twin, model="nope") as backend:
        state = await backend.probe()
    assert state.health == case.missing
    if case.engine == "llamacpp":  # serves one model whatever the name
        assert state.problem is None
    else:
        assert state.problem is not None and '"nope"' in state.problem and twin.engine.model in state.problem


async def test_something_else_listens_there(case: Case, twin: Twin):
    for path in (case.first, "/props", "/v1/models"):
        for method in ("GET", "POST"):
            twin.answer(Recording(method, path, headers={"content-type": "text/html"}, body="<html>hello</html>"))
    async with case.backend(twin) as backend:
        state = await backend.probe()
    assert state.health == "down" and state.problem is not None and "is base_url right?" in state.problem


async def test_the_key_is_refused(case: Case, twin: Twin):
    path = {"llamacpp": "/props", "ollama": "/api/tags"}.get(case.engine, "/v1/models")
    twin.fail(
        path, Fault(status=401, headers={"content-type": "application/json"}, body='{"error":"Unauthorized"}'), times=2
    )
    async with case.backend(twin) as backend, case.backend(twin, api_key="wrong") as keyed:
        without, wrong = await backend.probe(), await keyed.probe()
    assert without.health == wrong.health == "down"
    assert "wants a key: set api_key" in str(without.problem) and "refuses the key: check api_key" in str(wrong.problem)
    assert "wrong" not in str(wrong.problem)


async def test_streams_bytes_as_they_came(case: Case, twin: Twin):
    async with case.backend(twin) as backend:
        stream = await backend.open(chat(BODY))
        chunks = [chunk async for chunk in stream.chunks()]
    assert stream.status == 200 and (stream.header("content-type") or "").startswith("text/event-stream")
    assert b"".join(chunks) == twin.recorded("/v1/chat/completions", stream=True) and len(chunks) > 3
    [request] = twin.asked("/v1/chat/completions")
    assert request.body == BODY and request.header("content-type") == "application/json"
    assert not request.hung_up.is_set()


async def test_an_error_of_the_engine_is_an_answer(case: Case, twin: Twin):
    body = b'{"user":"twin:too-long","stream":true}'
    async with case.backend(twin) as backend:
        stream = await backend.open(chat(body))
        assert stream.status == 400
        assert await stream.read() == twin.recorded("/v1/chat/completions", user="twin:too-long")
        twin.fail("/v1/chat/completions", Fault.rate_limited("7"))
        stream = await backend.open(chat())
        assert (stream.status, stream.header("retry-after")) == (429, "7")
        await stream.read()


async def test_transport_faults_are_failures(case: Case, twin: Twin):
    path = "/v1/chat/completions"
    async with case.backend(twin) as backend:
        twin.fail(path, Fault(reset_before_head=True))
        with pytest.raises(BackendFailure) as failure:
            await backend.open(chat())
        assert (failure.value.kind, failure.value.sent) == ("reset", False)
        twin.fail(path, Fault(reset_after=300))
        stream = await backend.open(chat())
        received = []
        with pytest.raises(BackendFailure) as failure:
            async for chunk in stream.chunks():
                received.append(chunk)
        assert b"".join(received) == twin.recorded(path, stream=True)[:300]
        assert (failure.value.kind, failure.value.sent) == ("reset", True)
        twin.fail(path, Fault(hang="head"))
        with pytest.raises(BackendFailure) as failure:
            await backend.open(chat(first_byte=0.05))
        assert failure.value.kind == "first_byte_timeout"
        twin.fail(path, Fault(hang="body"))
        stream = await backend.open(chat(first_byte=0.05))  # the head alone is no byte of an answer
        with pytest.raises(BackendFailure) as failure:
            await stream.read()
        assert failure.value.kind == "first_byte_timeout"
        twin.fail(path, Fault.empty_stream())
        assert [chunk async for chunk in (await backend.open(chat())).chunks()] == []


async def test_a_stream_closed_early_hangs_up_on_the_engine(case: Case, twin: Twin):
    twin.fail("/v1/chat/completions", Fault(delay_chunks=0.05))
    async with case.backend(twin) as backend:
        stream = await backend.open(chat())
        async for _ in stream.chunks():
            break
        stream.close()
        [request] = twin.asked("/v1/chat/completions")
        await asyncio.wait_for(request.hung_up.wait(), 20)
        assert not request.done.is_set()


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_base_url_with_and_without_v1(case: Case, twin: Twin, suffix: str):
    async with case.backend(twin, suffix) as backend:
        assert (await backend.probe()).health == "up"
        await (await backend.open(chat())).read()
    assert len(twin.asked("/v1/chat/completions")) == 1
    assert not [request for request in twin.requests if request.path.startswith(("/v1/v1", "//"))]


async def test_ipv6(case: Case):
    async with Twin(case.recording, host="::1") as twin, case.backend(twin) as backend:
        assert (await backend.probe()).health == "up"
        assert (await (await backend.open(chat())).read()).endswith(b"data: [DONE]\n\n")
        assert twin.requests[-1].header("host") == f"[::1]:{twin.port}"


async def test_only_the_configured_key_goes_out(case: Case, twin: Twin):
    theirs = (("authorization", "Bearer theirs"), ("x-api-key", "theirs"), ("cookie", "s=theirs"), ("x-user", "u1"))
    async with case.backend(twin, api_key="ours", headers=(("X-Team", "a"),)) as backend:
        await backend.probe()
        await (await backend.open(chat(headers=theirs))).read()
    for request in twin.requests:
        assert [value for name, value in request.headers if name == "authorization"] == ["Bearer ours"]
        assert request.header("x-team") == "a"
    last = twin.requests[-1]
    assert last.header("x-user") == "u1" and "theirs" not in str(last.headers)


async def test_without_a_key_nobodys_goes_out(case: Case, twin: Twin):
    async with case.backend(twin) as backend:
        await (await backend.open(chat(headers=(("Authorization", "Bearer theirs"),)))).read()
    assert twin.requests[-1].header("authorization") is None


async def test_the_clients_key_goes_out_when_told(case: Case, twin: Twin):
    async with case.backend(twin, api_key="ours", forward_authorization=True) as backend:
        await (await backend.open(chat(headers=(("authorization", "Bearer theirs"), ("x-api-key", "k"))))).read()
        await (await backend.open(chat())).read()
        await backend.probe()
    with_key = twin.asked("/v1/chat/completions")[0]
    assert with_key.header("authorization") == "Bearer theirs" and with_key.header("x-api-key") is None
    others = [request for request in twin.requests if request is not with_key]
    assert {request.header("authorization") for request in others} == {"Bearer ours"}


async def test_a_probe_does_not_wait_for_traffic(case: Case, twin: Twin):
    twin.fail("/v1/chat/completions", Fault(hang="head"), times=None)
    async with case.backend(twin) as backend:
        waiting = [asyncio.create_task(backend.open(chat())) for _ in range(20)]
        while len(twin.asked("/v1/chat/completions")) < 20:
            await asyncio.sleep(0.01)
        busy = {request.connection for request in twin.asked("/v1/chat/completions")}
        before = len(twin.requests)
        assert (await backend.probe()).health == "up"
        assert len(busy) == 20 and not busy & {request.connection for request in twin.requests[before:]}
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for request in twin.asked("/v1/chat/completions"):
            await asyncio.wait_for(request.hung_up.wait(), 20)


async def test_connections_are_used_again(case: Case, twin: Twin):
    async with case.backend(twin) as backend:
        for _ in range(3):
            await (await backend.open(chat())).read()
        assert len({request.connection for request in twin.asked("/v1/chat/completions")}) == 1


async def test_closed(case: Case, twin: Twin):
    backend = case.backend(twin)
    await (await backend.open(chat())).read()
    await backend.close()
    await backend.close()
    with pytest.raises(BackendFailure) as failure:
        await backend.open(chat())
    assert failure.value.kind == "connect"
    assert (await backend.probe()).health == "down"


async def test_context_from_the_settings_counts_only_where_the_engine_is_silent(case: Case, twin: Twin):
    async with case.backend(twin, context=777) as backend:
        known = {"llamacpp": 2048, "vllm": 32768, "openai": 32768, "ollama": 2048}
        assert (await backend.probe()).facts.context_length == known.get(case.engine, 777)
        await twin.stop()
        assert (await backend.probe()).facts.context_length == 777
