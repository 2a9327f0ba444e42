"""Drivers: what loads, what unloads, what is confirmed, and what is said where it does not."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fleet.test_command import LISTENS, command, runs
from pointsman.backends.make import make_backend
from pointsman.backends.settings import BackendSettings
from pointsman.domain.said import Said
from pointsman.domain.target import Target
from pointsman.fleet.drivers.llamacpp_router import RouterDriver
from pointsman.fleet.drivers.ollama import OllamaDriver
from pointsman.fleet.drivers.process import ProcessDriver
from pointsman.fleet.drivers.vllm_sleep import SleepDriver
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings
from pointsman.ports.backend import Backend
from pointsman.ports.model_driver import LoadFailure, ModelDriver, NoRoom
from twins.steered import OllamaTwin, RouterTwin, SleepingTwin
from twins.twin import Fault, Twin

Fake = Callable[[str], ModelSettings]


@asynccontextmanager
async def adapter(
    engine: str, twin: Twin, model: str | None = None, *, embedding: bool = False
) -> AsyncIterator[Backend]:
    name = model or twin.engine.model
    target = Target(f"{name}@x", "light", name, "x", engine, embedding=embedding)
    async with twin:
        backend = make_backend(engine, BackendSettings(model=name, base_url=twin.base_url), target)
        try:
            yield backend
        finally:
            await backend.close()


async def refused(work: object) -> LoadFailure:
    with pytest.raises(LoadFailure) as raised:
        await work  # type: ignore[misc]
    assert isinstance(raised.value.said, Said)
    assert raised.value.said.zh != str(raised.value.said)
    return raised.value


async def goes_in_and_out(driver: ModelDriver) -> list[Said]:
    """In, again in, out, again out, in: as a decider may ask."""
    told: list[Said] = []
    for _ in range(2):
        await driver.load(told.append)
        assert await driver.resident()
    for _ in range(2):
        await driver.unload()
        assert not await driver.resident()
    await driver.load(told.append)
    assert await driver.resident()
    await driver.unload()
    return told


# Ollama


async def test_ollama() -> None:
    async with adapter("ollama", OllamaTwin()) as backend:
        measured: list[int] = []
        driver = OllamaDriver(backend, measured=measured.append)
        assert "Ollama loads" in str((await goes_in_and_out(driver))[0])
        assert measured[0] == 402653184


async def test_ollama_loads_a_model_for_embeddings_by_its_own_endpoint() -> None:
    twin = OllamaTwin()
    async with adapter("ollama", twin, embedding=True) as backend:
        await OllamaDriver(backend).load(lambda said: None)
        assert twin.resident
        assert len(twin.asked("/api/embed")) == 1


async def test_ollama_has_too_little_memory_or_no_such_model() -> None:
    short = "model requires more system memory (7.5 GiB) than is available (5.2 GiB)"
    async with adapter("ollama", OllamaTwin(short=short)) as backend:
        failure = await refused(OllamaDriver(backend).load(lambda said: None))
        assert failure.fault == "memory"
        assert short in str(failure)
    twin = OllamaTwin(short="unexpected EOF")
    async with adapter("ollama", twin) as backend:
        assert (await refused(OllamaDriver(backend).load(lambda said: None))).fault == "refused"
        twin.engine = type(twin.engine)("ollama", "0", "another", None)
        failure = await refused(OllamaDriver(backend).load(lambda said: None))
        assert failure.fault == "missing"
        assert "ollama pull qwen2.5:0.5b" in str(failure)


async def test_ollama_does_not_let_go() -> None:
    async with adapter("ollama", OllamaTwin(holds=True)) as backend:
        driver = OllamaDriver(backend, gone=0.2)
        await driver.load(lambda said: None)
        failure = await refused(driver.unload())
        assert failure.fault == "unconfirmed"
        assert "0.2 s later /api/ps lists it still" in str(failure)


async def test_ollama_does_not_answer_or_is_called_off() -> None:
    twin = OllamaTwin()
    async with adapter("ollama", twin) as backend:
        await backend.probe()
        twin.fail("/api/generate", Fault(hang="head"))
        assert (await refused(OllamaDriver(backend, deadline=0.1).load(lambda said: None))).fault == "timeout"
        twin.fail("/api/generate", Fault(hang="head"))
        twin.resident = True
        loading = asyncio.create_task(OllamaDriver(backend).load(lambda said: None))
        async with asyncio.timeout(20):
            while len(twin.asked("/api/generate")) < 3:
                await asyncio.sleep(0.01)
        loading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading
        assert not twin.resident  # what was begun was taken back
    assert (await refused(OllamaDriver(backend).resident())).fault == "refused"


# llama.cpp's router mode


async def test_router() -> None:
    async with adapter("llamacpp", RouterTwin()) as backend:
        told = await goes_in_and_out(RouterDriver(backend))
        assert "is loading" in str(told[0])


async def test_router_by_an_alias_and_from_sleep() -> None:
    twin = RouterTwin()
    async with adapter("llamacpp", twin, "smollm2-135m-instruct-alias") as backend:
        twin.sleeps()
        driver = RouterDriver(backend)
        assert await driver.resident() is False
        await driver.load(lambda said: None)
        assert [each.path for each in twin.requests if each.method == "POST"] == ["/models/unload", "/models/load"]


async def test_router_fails_to_load() -> None:
    for code, fault in ((1, "exited"), (137, "memory"), (-9, "memory")):
        async with adapter("llamacpp", RouterTwin(exit_code=code)) as backend:
            failure = await refused(RouterDriver(backend).load(lambda said: None))
            assert failure.fault == fault
            assert f"exit status {code}" in str(failure)
    twin = RouterTwin(stays=True)
    async with adapter("llamacpp", twin) as backend:
        failure = await refused(RouterDriver(backend, deadline=0.5).load(lambda said: None))
        assert failure.fault == "timeout"
        assert "not loaded after 0.5 s: the router says loading" in str(failure)
        assert twin.requests[-2].path == "/models/unload" or len(twin.asked("/models/unload")) == 1


async def test_router_does_not_let_go_or_is_none() -> None:
    async with adapter("llamacpp", RouterTwin(holds=True)) as backend:
        driver = RouterDriver(backend, gone=0.3)
        await driver.load(lambda said: None)
        failure = await refused(driver.unload())
        assert failure.fault == "unconfirmed"
        assert "the router still says loaded" in str(failure)
    async with adapter("llamacpp", RouterTwin(), "nobody") as backend:
        failure = await refused(RouterDriver(backend).load(lambda said: None))
        assert failure.fault == "missing"
        assert '"nobody" (it has: smollm2-135m-instruct, other)' in str(failure)
    async with adapter("llamacpp", Twin("llamacpp-2026.10.11549")) as backend:
        failure = await refused(RouterDriver(backend).resident())
        assert "no llama.cpp in router mode" in str(failure)


async def test_the_adapter_tells_what_the_router_has_and_loads_nothing() -> None:
    twin = RouterTwin()
    async with adapter("llamacpp", twin) as backend:
        state = await backend.probe()
        assert (state.health, state.resident, state.facts.slots) == ("up", False, None)
        assert await backend.count_tokens("hello") is None
        assert await backend.load() is None
        await RouterDriver(backend).load(lambda said: None)
        state = await backend.probe()
        assert (state.health, state.resident, state.facts.slots, state.facts.context_length) == ("up", True, 2, 2048)
        assert [each.path for each in twin.requests if each.method == "POST"] == ["/models/load"]
    async with adapter("llamacpp", RouterTwin(), "nobody") as backend:
        state = await backend.probe()
        assert state.health == "down"
        assert 'does not list the model "nobody"' in str(state.problem)


# vLLM's sleep mode


async def test_sleep() -> None:
    twin = SleepingTwin()
    async with adapter("vllm", twin) as backend:
        await goes_in_and_out(SleepDriver(backend))
        assert twin.sleeping


async def test_vllm_without_its_mode_for_development_or_without_sleep() -> None:
    async with adapter("vllm", SleepingTwin(dev=False)) as backend:
        failure = await refused(SleepDriver(backend).unload())
        assert failure.fault == "refused"
        assert "VLLM_SERVER_DEV_MODE=1 and --enable-sleep-mode" in str(failure)
    async with adapter("vllm", SleepingTwin(enabled=False)) as backend:
        failure = await refused(SleepDriver(backend, gone=0.2).unload())
        assert failure.fault == "unconfirmed"
        assert "is --enable-sleep-mode set?" in str(failure)


# Processes


async def test_a_process(tmp_path: Path) -> None:
    measured: list[int] = []
    driver = ProcessDriver(ModelProcess(command(*LISTENS, "--slow", "1.2")), measured=measured.append)
    told = await goes_in_and_out(driver)
    assert "its process starts" in str(told[0])
    assert any("has been loading for 1 s" in str(each) for each in told)
    assert measured[0] > 1 << 20


async def test_a_process_that_does_not_come_up_is_ended_and_says_why() -> None:
    driver = ProcessDriver(ModelProcess(command("--exit", "137", *LISTENS)))
    failure = await refused(driver.load(lambda said: None))
    assert failure.fault == "memory"
    assert not driver.process.running
    driver = ProcessDriver(ModelProcess(command("--hang", *LISTENS), load_timeout=0.5))
    assert (await refused(driver.load(lambda said: None))).fault == "timeout"
    assert driver.process.remains() == []


async def test_a_process_is_not_started_where_there_is_no_room() -> None:
    def check() -> None:
        raise NoRoom(Said("no room", "放不下"), 7)

    driver = ProcessDriver(ModelProcess(command(*LISTENS)), check=check)
    failure = await refused(driver.load(lambda said: None))
    assert isinstance(failure, NoRoom) and failure.free == 7 and not driver.process.running


async def test_a_load_that_is_called_off_ends_its_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    driver = ProcessDriver(ModelProcess(command("--hang", "--pids", str(pids), *LISTENS)))
    loading = asyncio.create_task(driver.load(lambda said: None))
    async with asyncio.timeout(20):
        while not pids.exists():
            await asyncio.sleep(0.01)
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert not runs(int(pids.read_text()))
    assert not await driver.resident()


async def test_an_unload_goes_on_though_its_caller_is_gone(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    driver = ProcessDriver(ModelProcess(command(*LISTENS, "--deaf", "--pids", str(pids), grace=0.3)))
    await driver.load(lambda said: None)
    unloading = asyncio.create_task(driver.unload())
    await asyncio.sleep(0.05)
    unloading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await unloading
    assert not runs(int(pids.read_text()))


async def test_a_process_that_dies_stays_down() -> None:
    driver = ProcessDriver(ModelProcess(command(*LISTENS)))
    await driver.load(lambda said: None)
    assert driver.process.pid
    os.kill(driver.process.pid, 15)
    async with asyncio.timeout(20):
        while await driver.resident():
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert driver.process.starts == 1
    assert "the process of some ended: killed by SIGTERM" in str(driver.ended)
    await driver.load(lambda said: None)
    assert driver.process.starts == 2
    assert driver.ended is None
    await driver.unload()


class Card:
    """Bytes in use: `before`, `model` more while a process is up, and what somebody else takes; `leak` of them never come
    back."""

    def __init__(self) -> None:
        self.process: ModelProcess | None = None
        self.others, self.leak, self.lag = 1 << 30, 0, 0
        self.model = 2 << 30
        self._was_up = False

    def __call__(self) -> int:
        assert self.process is not None
        up = self.process.state == "up"
        if self._was_up and not up and self.lag:
            self.lag -= 1
            up = True
        self._was_up = up or self._was_up
        return self.others + (self.model if up else self.leak if self._was_up else 0)


async def test_the_memory_of_the_card_is_waited_for_and_missed() -> None:
    card = Card()
    process = card.process = ModelProcess(command(*LISTENS))
    measured: list[int] = []
    driver = ProcessDriver(process, measured=measured.append, level=card, back=20.0)
    await driver.load(lambda said: None)
    assert measured == [2 << 30]
    card.others += 4 << 30  # another model came meanwhile: that is no leak of ours
    card.lag = 3
    await driver.unload()
    assert card.lag == 0
    driver = ProcessDriver(process, level=card, back=0.2)
    await driver.load(lambda said: None)
    card.leak = 1 << 30
    failure = await refused(driver.unload())
    assert failure.fault == "unconfirmed"
    assert "6,144 MiB are in use, 5,120 MiB were before it was loaded" in str(failure)


async def test_what_still_runs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = ProcessDriver(ModelProcess(command(*LISTENS)))
    await driver.load(lambda said: None)
    monkeypatch.setattr(driver.process, "remains", lambda: [4711])
    failure = await refused(driver.unload())
    assert (failure.fault, "pid 4711" in str(failure)) == ("unconfirmed", True)


# A real llama.cpp


async def test_llama_cpp_by_a_command_in_and_out_with_its_memory() -> None:
    words = ("-m", "{model}", "--port", "{port}", "-c", "{total_context}", "-np", "{slots}")
    server = str(Path(__file__).with_name("llama_server.py"))
    settings = command(
        command=(sys.executable, server, *words), model="builtin:smollm2-135m", engine="llamacpp", context=512, slots=2
    )
    process = ModelProcess(settings)
    measured: list[int] = []
    driver = ProcessDriver(process, measured=measured.append)
    name = "builtin:smollm2-135m"
    target = Target("m@x", "light", name, "x", "llamacpp")
    backend = make_backend("llamacpp", BackendSettings(model=name), target, server=process)
    for _ in range(2):
        await driver.load(lambda said: None)
        state = await backend.probe()
        assert (state.health, state.resident) == ("up", True), state.problem
        assert (state.facts.context_length, state.facts.slots, state.facts.layers) == (512, 2, 30)
        assert measured.pop() > 100 << 20
        await driver.unload()
        assert process.remains() == []
    await backend.close()
