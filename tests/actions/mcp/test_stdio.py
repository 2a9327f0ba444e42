"""A server that is a process: what it may do wrong, and that nothing is left of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random

import pytest

from actions.left import held
from actions.mcp.given import called, gone, in_use, nothing_left, text_of
from pointsman.actions.mcp.rpc import McpFailure
from pointsman.actions.mcp.use import NoTool
from pointsman.domain.said import Said


async def failure(use, name: str, seconds: float = 20.0) -> McpFailure:
    with pytest.raises(McpFailure) as caught:
        await called(use, name, seconds=seconds)
    assert isinstance(caught.value.message, Said) and "script" in caught.value.message
    return caught.value


async def test_one_process_serves_many_calls_in_any_order():
    async with in_use() as use:
        pid = text_of(await called(use, "pid"))
        waits = [0.3, 0.0, 0.2, 0.1]
        answers = await asyncio.gather(*(called(use, "late", {"seconds": wait}) for wait in waits))
        assert [text_of(answer) for answer in answers] == [str(wait) for wait in waits]
        assert text_of(await called(use, "pid")) == pid
        tools = await use.tools()
        assert len(tools) == 29 and tools["add"].about == "Adds." and tools["task"].only_as_task
        assert (tools["echo"].reads, tools["write"].reads, tools["set"].repeats) == (True, False, True)
    assert await gone(int(pid))


async def test_its_environment_is_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("POINTSMAN_SECRET", "x")
    async with in_use() as use:
        found = json.loads(text_of(await called(use, "env")))
        assert set(found) <= {"PATH", "HOME", "LANG", "LC_CTYPE"} and found["PATH"] == os.environ["PATH"]


async def test_what_it_prints_beside_messages_is_passed_over_up_to_a_point():
    async with in_use("chatty") as use:
        assert text_of(await called(use, "echo", {"text": "hi"})) == "hi"
        wrong = await failure(use, "garbage")
        assert (wrong.kind, wrong.sent) == ("protocol", True) and "prints something else" in wrong.message
        assert "oops" in (wrong.detail or "") and "\x1b" not in (wrong.detail or "")
        assert text_of(await called(use, "echo", {"text": "a new one"})) == "a new one"


@pytest.mark.parametrize("mode", ["garbage", "dies", "hangs", "old", "deaf"])
async def test_one_that_cannot_begin_says_why_and_is_not_tried_again_at_once(mode: str):
    async with in_use(mode, start=2.0) as use:
        first = await failure(use, "echo")
        assert not first.sent
        words = {
            "garbage": "something else",
            "dies": "ended",
            "hangs": "did not begin within 2 s",
            "old": "version '1999-01-01'",
            "deaf": "did not begin",
        }
        assert words[mode] in first.message
        if mode == "dies":
            assert "No module named 'everything'" in (first.detail or "")
        children = held().children
        assert (await failure(use, "echo")).message == first.message
        assert held().children <= children


async def test_a_program_that_there_is_not():
    from pathlib import Path

    from pointsman.actions.mcp.reach import opener
    from pointsman.actions.mcp.use import ServerInUse
    from pointsman.config.action_schema import McpServer

    async with nothing_left():
        for command in (["/nowhere/at-all"], ["nothing-of-that-name"], ["\0"]):
            open_wire, _ = opener("script", McpServer(command=command), Path.cwd(), None)
            use = ServerInUse("script", open_wire)
            wrong = await failure(use, "echo")
            assert wrong.kind == "not_started" and not wrong.sent
            await use.close()


async def test_a_flood_of_errors_stops_nobody():
    async with in_use("stderr") as use:
        for _ in range(20):
            assert text_of(await called(use, "echo", {"text": "hi"})) == "hi"


@pytest.mark.parametrize(
    ("name", "words"), [("huge", "more than 16,777,216 bytes"), ("endless", "more than"), ("noise", "on and on")]
)
async def test_one_that_writes_too_much_is_ended(name: str, words: str):
    import psutil

    async with in_use() as use:
        pid = int(text_of(await called(use, "pid")))
        before = psutil.Process().memory_info().rss
        wrong = await failure(use, name, seconds=60.0)
        assert words in wrong.message and wrong.sent
        assert psutil.Process().memory_info().rss - before < 200 << 20
        assert await gone(pid)


async def test_one_that_dies_in_mid_call_is_replaced_by_the_next_call():
    async with in_use() as use:
        first = text_of(await called(use, "pid"))
        waiting = asyncio.create_task(called(use, "hang"))
        await asyncio.sleep(0.1)
        wrong = await failure(use, "die")
        assert (wrong.kind, wrong.sent) == ("lost", True) and wrong.detail == "the disk is on fire"
        with pytest.raises(McpFailure):
            await waiting
        assert text_of(await called(use, "pid")) != first


async def test_one_that_died_meanwhile_is_replaced_unnoticed():
    async with in_use() as use:
        for _ in range(3):
            pid = int(text_of(await called(use, "pid")))
            os.kill(pid, 9)
            assert await gone(pid)
            await asyncio.sleep(0.1)
            assert int(text_of(await called(use, "pid"))) != pid


async def test_a_call_that_takes_too_long_ends_and_so_does_its_server():
    async with in_use() as use:
        pid = int(text_of(await called(use, "pid")))
        wrong = await failure(use, "hang", seconds=0.3)
        assert (wrong.kind, wrong.sent) == ("timeout", True)
        assert await gone(pid)
        assert text_of(await called(use, "echo", {"text": "hi"})) == "hi"


@pytest.mark.parametrize("name", ["forks", "escapes"])
async def test_its_own_children_end_with_it(name: str):
    async with in_use() as use:
        child = int(text_of(await called(use, name)))
    assert await gone(child)


async def test_one_that_does_not_end_by_itself_is_killed():
    async with in_use("stays", idle=0.05) as use:
        pid = int(text_of(await called(use, "pid")))
        assert await gone(pid)
        assert int(text_of(await called(use, "pid"))) != pid


async def test_one_that_is_not_used_ends():
    async with in_use(idle=0.1) as use:
        pid = int(text_of(await called(use, "pid")))
        await called(use, "late", {"seconds": 0.3})
        assert await gone(pid)


async def test_what_it_asks_for_is_declined():
    async with in_use() as use:
        assert json.loads(text_of(await called(use, "asks"))) == [-32601, {}]


async def test_a_changed_list_is_asked_for_again():
    async with in_use() as use:
        assert "a" in (await use.tools())["add"].schema["properties"]
        await called(use, "change")
        assert "numbers" in (await use.tools())["add"].schema["properties"]
        with pytest.raises(NoTool) as caught:
            await called(use, "nothing")
        assert "echo" in caught.value.valid


async def test_a_list_without_end_is_cut():
    async with in_use("pages") as use:
        assert len(await use.tools()) == 50


async def test_one_that_knows_no_handshake():
    async with in_use("stateless") as use:
        assert text_of(await called(use, "echo", {"text": "hi"})) == "hi"


async def test_a_cancelled_call_is_called_off_there():
    async with in_use() as use:
        await called(use, "pid")
        task = asyncio.create_task(called(use, "hang"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(100):
            if text_of(await called(use, "cancelled")) == "1":
                break
        else:
            raise AssertionError("it was not told")


async def test_many_calls_cancelled_at_any_moment_leave_nothing():
    """At the beginning of the server, in the middle of a call, at its end."""
    rng = random.Random(7)
    async with in_use() as use:
        for round_ in range(20):
            tasks = [asyncio.create_task(called(use, rng.choice(["hang", "echo"]), {"text": "x"})) for _ in range(10)]
            await asyncio.sleep(rng.choice([0.0, 0.001, 0.01, 0.05, 0.2]))
            for task in tasks:
                task.cancel()
            for task in tasks:
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            if round_ % 5 == 4:
                await use.close()
                use._closed = False
        assert text_of(await called(use, "echo", {"text": "still"})) == "still"


async def test_closing_is_not_stopped_by_a_cancellation():
    async with in_use("stays") as use:
        pid = int(text_of(await called(use, "pid")))
        closing = asyncio.create_task(use.close())
        await asyncio.sleep(0)
        closing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await closing
        assert await gone(pid)
