"""Supervision, with children that only play a model: every way to fail, in little time."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from fleet.conftest import FAST, children
from pointsman.fleet.process import Backoff, ModelProcess
from pointsman.fleet.settings import ModelSettings

Fake = Callable[[str], ModelSettings]


async def failed(settings: ModelSettings, load_timeout: float = 20.0) -> str:
    """The problem after the first try."""
    process = ModelProcess(settings, backoff=Backoff(delays=(60.0,)), load_timeout=load_timeout)
    await process.start()
    assert process.state == "loading"
    assert await process.settled(20) == "down"
    assert process.address is None
    assert process.retry_after == 60.0
    problem = process.problem
    await process.stop()
    assert children() == []
    assert problem is not None
    assert "Traceback" not in problem
    return problem


async def killed(process: ModelProcess, number: int = signal.SIGKILL) -> None:
    """Kills the child and waits until another one is up."""
    pid = process.pid
    assert pid
    os.kill(pid, number)
    async with asyncio.timeout(20):
        while process.pid in (pid, None) or process.state != "up":
            await asyncio.sleep(0.01)


async def test_up_and_restarted_five_times_without_zombies(fake: Fake) -> None:
    states: list[tuple[str, bool]] = []
    process = ModelProcess(
        fake("listen()"), backoff=FAST, on_change=lambda seen: states.append((seen.state, seen.address is not None))
    )
    await process.start()
    assert await process.settled(20) == "up"
    facts = process.facts
    assert (facts.context_length, facts.slots, facts.trained_context, facts.kv_heads) == (4096, 2, 8192, 2)
    for _ in range(5):
        await killed(process)
        assert len(children()) == 1
        assert process.problem is None
    assert process.starts == 6
    await process.stop()
    assert children() == []
    assert (process.state, process.address, process.pid) == ("down", None, None)
    once = [("loading", False), ("up", True), ("down", False)]
    assert states == once * 6


async def test_start_stop_start(fake: Fake) -> None:
    process = ModelProcess(fake("listen()"), backoff=FAST)
    await process.stop()
    for _ in range(2):
        await process.start()
        with pytest.raises(RuntimeError, match="started already"):
            await process.start()
        assert await process.settled(20) == "up"
        await asyncio.gather(process.stop(), process.stop())
        await process.stop()
        assert children() == []


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_stop_at_any_moment_leaves_no_process(fake: Fake, loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    settings = fake("listen()")

    async def moments() -> None:
        for delay in (None, 0, 0.001, 0.003, 0.006, 0.01, 0.02, 0.05, 0.1):
            process = ModelProcess(settings, backoff=FAST)
            await process.start()
            if delay is not None:
                await asyncio.sleep(delay)
            await process.stop()
            assert children() == []

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(moments())


async def test_a_child_deaf_to_sigterm_is_killed(fake: Fake) -> None:
    settings = fake("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nlisten()")
    process = ModelProcess(settings, stop_timeout=0.2)
    await process.start()
    await process.settled(20)
    began = time.monotonic()
    await process.stop()
    assert time.monotonic() - began >= 0.2
    assert children() == []


async def test_a_second_stop_kills_at_once(fake: Fake) -> None:
    settings = fake("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nlisten()")
    process = ModelProcess(settings, stop_timeout=60)
    await process.start()
    await process.settled(20)
    first = asyncio.create_task(process.stop())
    await asyncio.sleep(0.05)
    await asyncio.wait_for(process.stop(), 20)
    await asyncio.wait_for(first, 20)
    assert children() == []


async def test_a_model_that_never_gets_ready(fake: Fake) -> None:
    assert await failed(fake("time.sleep(60)"), load_timeout=0.5) == "fake was not ready after 0.5 s"
    deaf = fake("report(address='http://127.0.0.1:9', context_length=1, slots=1)\ntime.sleep(60)")
    assert "was not ready after 0.5 s" in await failed(deaf, load_timeout=0.5)


LOG = r"""
    print("0.00.001.000 I srv load_model: loading", file=sys.stderr)
    print("0.00.002.000 E llama_model_load: unknown model architecture: 'foo'", file=sys.stderr)
    print("0.00.003.000 E srv load_model: failed to load model", file=sys.stderr, flush=True)
"""


async def test_problems_say_what_the_engine_said(fake: Fake) -> None:
    body = LOG + "    report(error='Failed to init server')\n"
    assert await failed(fake(body)) == "fake did not load: llama_model_load: unknown model architecture: 'foo'"
    assert "fake did not load: no such thing" in await failed(fake("report(error='no such thing')"))
    assert "killed by SIGABRT: llama_model_load: unknown" in await failed(fake(LOG + "    os.abort()"))
    assert "killed by SIGKILL (the system does that when memory runs out)" in await failed(
        fake("os.kill(os.getpid(), signal.SIGKILL)")
    )
    assert "exit status 3" in await failed(fake("sys.exit(3)"))
    assert "its report is unreadable" in await failed(fake("print('nonsense', flush=True)\ntime.sleep(60)"))
    dead = fake("report(address='http://127.0.0.1:9', context_length=1, slots=1)\nsys.exit(4)")
    assert "exit status 4" in await failed(dead)


async def test_the_delays_grow_to_the_cap_and_start_anew(fake: Fake) -> None:
    backoff = Backoff(delays=(0.01, 0.02, 0.03), reset_after=0.0)
    assert [Backoff().delay(n) for n in range(1, 9)] == [1, 2, 4, 8, 16, 30, 30, 30]
    delays: list[float | None] = []
    process = ModelProcess(
        fake("sys.exit(1)"),
        backoff=backoff,
        on_change=lambda seen: delays.append(seen.retry_after) if seen.state == "down" else None,
    )
    await process.start()
    async with asyncio.timeout(20):
        while len(delays) < 4:
            await asyncio.sleep(0.01)
    fake("listen()")
    async with asyncio.timeout(20):
        while process.state != "up":
            await asyncio.sleep(0.01)
    await killed(process)
    await process.stop()
    assert delays[:4] == [0.01, 0.02, 0.03, 0.03]
    assert delays[-2:] == [0.01, None]  # it had been up; then it was stopped


async def test_what_cannot_be_started_is_a_problem_and_not_an_error(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = fake("listen()")
    missing = ModelSettings(model=str(tmp_path / "none.gguf"), name="fake")
    assert "no file" in await failed(missing)
    (tmp_path / "bad.gguf").write_bytes(b"<html>not found</html>")
    bad = ModelSettings(model=str(tmp_path / "bad.gguf"), name="fake")
    assert "it is no GGUF file but a web page" in await failed(bad)
    monkeypatch.setattr("pointsman.fleet.launch.COMMAND", (str(tmp_path / "no-python"),))
    assert "cannot be run" in await failed(settings)
    long = ModelSettings(model=settings.model, name="fake", extra={"chat_template": "x" * 40_000})
    assert "the settings take" in await failed(long)


async def test_a_callback_that_fails_stops_nothing(fake: Fake) -> None:
    seen: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: seen.append(context["message"]))

    def wrong(process: ModelProcess) -> None:
        raise LookupError

    process = ModelProcess(fake("listen()"), on_change=wrong)
    await process.start()
    assert await process.settled(20) == "up"
    await process.stop()
    assert seen == ["on_change of a model process failed"] * 3


async def test_a_flood_of_log_is_kept_in_bounds(fake: Fake, tmp_path: Path) -> None:
    settings = fake("os.write(2, b'y' * 3_000_000 + b'\\n' + b'line\\n' * 1000)\nlisten()")
    process = ModelProcess(settings, log_lines=10, log_path=tmp_path / "m.log")
    await process.start()
    assert await process.settled(20) == "up"
    await process.stop()
    assert process.log_tail == ["line"] * 10
    assert (tmp_path / "m.log").stat().st_size == 3_000_001 + 5000


@pytest.mark.parametrize(
    ("field", "value"), [("slots", 0), ("port", 65_536), ("context", 0), ("batch", 0), ("name", ""), ("model", "a\0b")]
)
def test_settings_out_of_range(field: str, value: object) -> None:
    fields = {"model": "m", "name": "n", field: value}
    with pytest.raises(ValueError, match=field):
        ModelSettings(**fields)
