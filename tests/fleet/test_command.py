"""Engines that a command line starts: every way to fail, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import uvloop

from fleet.conftest import FAST
from pointsman.domain.said import Said
from pointsman.fleet.command import CommandChild
from pointsman.fleet.command_settings import CommandSettings
from pointsman.fleet.health_probe import get
from pointsman.fleet.process import Backoff, ModelProcess

SCRIPT = str(Path(__file__).with_name("scripted_engine.py"))
ENGINE = (sys.executable, "-I", "-S", SCRIPT)
ONCE = Backoff(delays=(600.0,))


def command(*words: str, **more: Any) -> CommandSettings:
    return CommandSettings(**({"model": "some", "name": "some", "engine": "vllm", "command": (*ENGINE, *words)} | more))


LISTENS = ("--port", "{port}")


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def ended(*pids: int) -> None:
    async with asyncio.timeout(20):
        while any(map(runs, pids)):
            await asyncio.sleep(0.02)


async def failed(settings: CommandSettings, load_timeout: float = 20.0) -> tuple[str, str, str]:
    """Fault and problem after the first try, in both languages."""
    process = ModelProcess(settings, load_timeout=load_timeout)
    await process.start(restart=False)
    assert await process.settled(40) == "down"
    assert not process.running
    problem, fault = process.problem, process.fault
    assert isinstance(problem, Said)
    assert fault is not None
    assert process.remains() == []
    await process.stop()
    return fault, str(problem), problem.zh


async def facts(process: ModelProcess) -> dict[str, Any]:
    assert process.address
    return json.loads((await get(process.address, "/facts", 5.0))[1])


async def test_up_restarted_and_ended(tmp_path: Path) -> None:
    settings = command(*LISTENS, directory=str(tmp_path), env={"SCRIPTED": "yes"})
    process = ModelProcess(settings, backoff=FAST, log_path=tmp_path / "engine.log")
    await process.start()
    assert await process.settled(20) == "up", process.problem
    told = await facts(process)
    assert (told["cwd"], told["env"], told["stdin"]) == (str(tmp_path), "yes", "/dev/null")
    os.kill(told["pid"], signal.SIGKILL)
    async with asyncio.timeout(20):
        while process.starts < 2 or process.state != "up":
            await asyncio.sleep(0.02)
    again = await facts(process)
    assert again["pid"] != told["pid"]
    keeper = process.pid
    assert keeper
    await process.stop()
    assert (process.state, process.address, process.remains()) == ("down", None, [])
    assert not runs(again["pid"])
    assert not runs(keeper)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_it_inherits_nothing_but_its_outputs(loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    async def files() -> list[int]:
        process = ModelProcess(command(*LISTENS))
        await process.start(restart=False)
        assert await process.settled(20) == "up", process.problem
        found: list[int] = (await facts(process))["files"]
        await process.stop()
        return found

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(files()) == [0, 1, 2]


async def test_an_engine_without_health_is_up_when_it_lists_its_models() -> None:
    process = ModelProcess(command(*LISTENS, "--no-health"))
    await process.start(restart=False)
    assert await process.settled(20) == "up", process.problem
    await process.stop()


@pytest.mark.parametrize("how", ["group", "session"])
async def test_what_it_started_ends_with_it(tmp_path: Path, how: str) -> None:
    pids = tmp_path / "pids"
    process = ModelProcess(command(*LISTENS, "--child", how, "--pids", str(pids), grace=0.2))
    await process.start(restart=False)
    assert await process.settled(20) == "up", process.problem
    first, second = map(int, pids.read_text().split())
    assert runs(first)
    assert runs(second)
    await process.stop()
    assert not runs(first)
    assert not runs(second)


async def test_what_a_dead_command_leaves_behind_ends_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    fault, problem, _ = await failed(
        command("--child", "session", "--pids", str(pids), "--exit", "3", *LISTENS, grace=0.2)
    )
    assert (fault, problem) == ("exited", "the process of some ended: exit status 3")
    assert not any(map(runs, map(int, pids.read_text().split())))


async def test_deaf_to_sigterm_and_a_second_stop_kills_at_once(tmp_path: Path) -> None:
    process = ModelProcess(command(*LISTENS, "--deaf", grace=60.0))
    await process.start(restart=False)
    await process.settled(20)
    pid = (await facts(process))["pid"]
    first = asyncio.create_task(process.stop())
    await asyncio.sleep(0.05)
    assert runs(pid)
    await asyncio.wait_for(process.stop(), 20)
    await asyncio.wait_for(first, 20)
    assert not runs(pid)


GATEWAY = """
import asyncio, sys
from pointsman.fleet.command_settings import CommandSettings
from pointsman.fleet.process import ModelProcess
async def main():
    settings = CommandSettings(model="some", name="some", engine="vllm", command=tuple(sys.argv[1:]), grace=0.2)
    process = ModelProcess(settings)
    await process.start()
    await process.settled(20)
    print(process.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.parametrize("killed", ["gateway", "keeper"])
async def test_it_dies_with_the_gateway_and_with_its_keeper(tmp_path: Path, killed: str) -> None:
    pids = tmp_path / "pids"
    words = [sys.executable, "-c", GATEWAY, *ENGINE, *LISTENS, "--pids", str(pids)]
    gateway = subprocess.Popen(
        [*words, *(["--child", "session"] if killed == "gateway" else [])], stdout=subprocess.PIPE
    )
    assert gateway.stdout
    try:
        keeper = int(await asyncio.to_thread(gateway.stdout.readline))
        all_of_them = [keeper, *map(int, pids.read_text().split())]
        assert all(map(runs, all_of_them))
        os.kill(gateway.pid if killed == "gateway" else keeper, signal.SIGKILL)
        await ended(*all_of_them)
    finally:
        gateway.kill()
        gateway.wait()
        gateway.stdout.close()
    await ended(*map(int, pids.read_text().split()))


async def test_a_command_that_exits_at_once_or_goes_to_the_background() -> None:
    fault, problem, zh = await failed(command("--exit", "0", "--say", "started in the background", *LISTENS))
    assert fault == "exited"
    assert "ended with exit status 0 before it served: does it go to the background" in problem
    assert "started in the background" in problem
    assert "以状态 0 结束" in zh
    fault, problem, _ = await failed(command("--exit", "2", "--say", "error: unknown flag --prot", *LISTENS))
    assert (fault, problem) == ("exited", "the process of some ended: exit status 2: error: unknown flag --prot")


async def test_a_command_that_never_listens() -> None:
    fault, problem, zh = await failed(command("--hang", *LISTENS), load_timeout=1.0)
    assert (fault, problem) == ("timeout", "some was not ready after 1 s; it listens nowhere")
    assert "没有在任何端口监听" in zh


async def test_a_command_that_listens_elsewhere() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    settings = command("--port", str(port), address="http://127.0.0.1:9/v1")
    process = ModelProcess(settings)
    await process.start(restart=False)
    child, told = CommandChild(settings), ""
    async with asyncio.timeout(20):
        while f"127.0.0.1:{port}" not in told:
            await asyncio.sleep(0.02)
            told = child.silent(process.pid, settings.address) if process.pid else ""
    assert f"it listens at 127.0.0.1:{port}, and http://127.0.0.1:9/v1 was asked: put {{port}} into the command" in told
    await process.stop()


async def test_another_model_than_the_one_that_is_named() -> None:
    fault, problem, zh = await failed(command(*LISTENS, "--model", "Qwen/Qwen3-8B"))
    assert fault == "refused"
    assert 'the command serves "Qwen/Qwen3-8B", and not "some"' in problem
    assert "--served-model-name some" in problem
    assert "“Qwen/Qwen3-8B”，而不是“some”" in zh
    fault, problem, _ = await failed(command(*LISTENS, "--model", "/m/a.gguf", engine="llamacpp"))
    assert "--alias some" in problem
    process = ModelProcess(command(*LISTENS, "--model", "/m/some.gguf", engine="llamacpp", model="some.gguf"))
    await process.start(restart=False)
    assert await process.settled(20) == "up", process.problem
    await process.stop()


async def test_the_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        fault, problem, _ = await failed(command("--port", str(port), port=port))
        there = f"http://127.0.0.1:{port}/v1"
        other, _, _ = await failed(command("--port", str(port), address=there))
    assert (fault, other) == ("port", "port")  # what answers there is not what was started
    assert f"port {port} on 127.0.0.1 is in use by" in problem
    assert f"pid {os.getpid()}" in problem
    said = (
        f"OSError: [Errno 98] error while attempting to bind on address ('127.0.0.1', {port}): address already in use"
    )
    fault, problem, _ = await failed(command("--say", said, "--exit", "1", *LISTENS))
    assert fault == "port"


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (["ValueError: No available memory for the cache blocks. Try more"], 1, "cache blocks"),
        (["0.00.01.0 E ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4 MiB on device 0: cudaMalloc failed: "
          "out of memory"], 1, "cudaMalloc"),
        (["terminate called after throwing an instance of 'std::bad_alloc'"], 134, "bad_alloc"),
        ([], 137, "killed by SIGKILL (the system does that when memory runs out)"),
    ],
)  # fmt: skip
async def test_out_of_memory(words: list[str], code: int, shown: str) -> None:
    said = [part for word in words for part in ("--say", word)]
    fault, problem, zh = await failed(command(*said, "--exit", str(code), *LISTENS))
    assert fault == "memory"
    assert problem.startswith("some ran out of memory: ")
    assert shown in problem
    assert "内存不足" in zh


async def test_what_would_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = command(
        "--exit",
        "137",
        "--model",
        "{model}",
        *LISTENS,
        model="builtin:smollm2-135m",
        engine="llamacpp",
        context=8192,
        slots=4,
    )
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 1 << 30, "total": 1 << 31}))
    fault, problem, _ = await failed(settings)
    assert fault == "memory"
    assert "it takes an estimated" in problem
    assert "it would fit with context" in problem


async def test_programs_and_folders_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    for words, wanted in (
        (("pointsmann-server",), 'there is no program "pointsmann-server" in PATH'),
        ((str(tmp_path / "none"),), "there is no program"),
        ((str(tmp_path / "plain"),), "may not be executed: chmod +x"),
        ((str(tmp_path),), "is a folder, and no program"),
    ):
        fault, problem, _ = await failed(command(command=(*words, "{port}")))
        assert fault == "missing"
        assert wanted in problem
    fault, problem, _ = await failed(command(*LISTENS, directory=str(tmp_path / "nowhere")))
    assert fault == "missing"
    assert "there is no folder" in problem
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    fault, problem, _ = await failed(command(command=(str(tmp_path / "text"), "{port}")))
    assert "Exec format error" in problem


async def test_files_are_looked_at_before_the_command_starts(tmp_path: Path) -> None:
    (tmp_path / "picture.gguf").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "empty.gguf").write_bytes(b"")
    (tmp_path / "folder.gguf").mkdir()
    for name, fault, words in (
        ("picture.gguf", "damaged", "a PNG picture"),
        ("empty.gguf", "damaged", "empty"),
        ("folder.gguf", "missing", "folder"),
        ("none.gguf", "missing", "no file"),
    ):
        found = await failed(command("--model", "{model}", *LISTENS, model=str(tmp_path / name)))
        assert found[0] == fault, found
        assert words in found[1]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"command": ()}, "the command is empty"),
        ({"command": ("x", "--port")}, "nobody knows where the command will listen"),
        ({"command": ("x", "{prot}")}, '{prot} stands for nothing, did you mean "port"? (valid: port, host'),
        ({"command": ("x", "{port}", "-c", "{total_context}"), "context": 1}, "and context, slots is not set"),
        ({"command": ("x", "{port}", "-np", "{slots}")}, "names {slots}, and slots is not set"),
        ({"command": ("x\0", "{port}")}, "zero byte"),
        ({"command": ("x", "{port}"), "env": {"A=B": "c"}}, "no name of a variable"),
        ({"command": ("x",), "address": "https://127.0.0.1:1"}, "http://host:port"),
        ({"command": ("x",), "address": "http://127.0.0.1:99999"}, "http://host:port"),
        ({"command": ("x", "{port}"), "env": {"A": "{prot}"}}, "{prot} stands for nothing"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        command(**fields)
    assert words in str(raised.value)


def test_what_is_filled_in() -> None:
    words = (
        "{port}",
        "{host}:{port}",
        "{model}",
        "{name}",
        "{context}",
        "{total_context}",
        "{slots}",
        '{"a":1}',
        "{{port}}",
    )
    settings = command(
        command=("true", *words), port=0, context=512, slots=3, name="n", model="org/m", env={"AT": "{host}:{port}"}
    )
    line = json.loads(CommandChild(settings).prepare(threading.Event()).line)
    port = line["address"].rpartition(":")[2]
    assert line["env"] == {"AT": f"127.0.0.1:{port}"}
    assert line["command"][1:] == [port, f"127.0.0.1:{port}", "org/m", "n", "512", "1536", "3", '{"a":1}', "{port}"]


async def test_memory_of_the_keeper() -> None:
    process = ModelProcess(command(*LISTENS))
    await process.start(restart=False)
    assert await process.settled(20) == "up"
    assert process.pid
    assert psutil.Process(process.pid).memory_info().rss < 16 << 20
    await process.stop()


async def test_stopped_at_any_moment_leaves_nothing(tmp_path: Path) -> None:
    for delay in (None, 0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2):
        pids = tmp_path / f"pids{delay}"
        process = ModelProcess(command(*LISTENS, "--pids", str(pids), grace=1.0))
        await process.start(restart=False)
        if delay is not None:
            await asyncio.sleep(delay)
        await process.stop()
        assert process.remains() == []
        if pids.exists():
            assert not any(map(runs, map(int, pids.read_text().split())))
