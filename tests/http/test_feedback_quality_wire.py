"""From feedback on the wire to another choice of target, in every process that reads the log."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

import pointsman.app.quality
from cli.invoke import Shell
from execution.engine import CHAT, Engine, asking, conversation, delta, streamed
from pointsman.app.quality import QualityFeed, key_of, of_others, packed
from pointsman.domain.feedback import Signs, Word
from pointsman.http.auth import hash_key
from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral.memory import MemoryEphemeral
from pointsman.store.log_reader import LogReader
from running import Running, running

FEEDBACK = "/v1/feedback"
KEYS = [{"name": f"app{number}", "hash": hash_key(f"k{number}")} for number in range(4)]
TABLE = [
    {"model": "good", "task": None, "value": 0.55, "weight": 20},
    {"model": "other", "task": None, "value": 0.50, "weight": 20},
]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pointsman.app.quality, "_EVERY", 0.1)
    monkeypatch.setattr(pointsman.app.quality, "_SOON", 0.0)
    monkeypatch.setattr(pointsman.app.quality, "_SHARE", 1.0)


def config(folder: Path, *engines: Engine, **quality: Any) -> dict[str, Any]:
    (folder / "quality.jsonl").write_text("\n".join(map(json.dumps, TABLE)), "utf-8")
    return {
        "models": {
            tier: {"backends": [engine.backend(name=tier, model=model)]}
            for tier, model, engine in zip(("light", "heavy"), ("good", "other"), engines, strict=True)
        },
        "entries": {"auto": {"policy": "quality_only"}},
        "policy": {"quality_only": {"quality": 1.0}},
        "rules": {"packs": ["builtin:smalltalk"]},
        "auth": {"keys": KEYS},
        "quality": {"file": "quality.jsonl", **quality},
    }


class Client:
    def __init__(self, gateway: Running) -> None:
        self.gateway = gateway
        self._http = httpx.AsyncClient(base_url=gateway.base, timeout=60)

    async def ask(self, text: str, key: int = 0) -> tuple[str, str]:
        """Id and target."""
        body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
        headers = {"authorization": f"Bearer k{key}", "x-pointsman-task": "math"}
        reply = await self._http.post(CHAT, json=body, headers=headers)
        assert reply.status_code == 200, reply.text
        return reply.headers["x-pointsman-request-id"], reply.headers.get("x-pointsman-target", "")

    async def say(self, name: str, key: int = 0, **told: Any) -> int:
        headers = {"authorization": f"Bearer k{key}"}
        reply = await self._http.post(FEEDBACK, json={"request_id": name, **told}, headers=headers)
        return reply.status_code

    @property
    def shifts(self) -> dict[tuple[str, str | None], float]:
        return {(each.model, each.task): each.shift for each in self.gateway.app._serving.pipeline.snapshot().shifts}

    async def until(self, holds: Callable[[], Any]) -> None:
        deadline = time.monotonic() + 30
        while not holds():
            assert time.monotonic() < deadline, f"it never came to that: {self.shifts}"
            await asyncio.sleep(0.02)

    async def close(self) -> None:
        await self._http.aclose()


async def test_complaints_move_the_choice_and_a_restart_knows_them(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine(name)) for name in ("good", "other")]
        for engine in engines:
            engine.play = streamed(conversation("42"))
        settings = config(tmp_path, *engines, feedback={"asked_again": 0, "hung_up": 0})
        async with running(settings, tmp_path) as gateway:
            client = Client(gateway)
            for number in range(8):
                name, target = await client.ask(f"how much is {number} and {number}", key=number % 4)
                assert target == "good@light", "nothing has moved yet"
                assert await client.say(name, key=(number + 1) % 4, adopted=False) == 404, "another's request"
                assert await client.say(name, key=number % 4, adopted=False) == 201
                if number == 0:
                    await client.until(lambda: client.shifts)
            await client.until(lambda: client.shifts == {("good", None): -0.1, ("good", "math"): -0.1})
            name, target = await client.ask("how much is 9 and 9")
            assert target == "other@heavy"
            rule, _ = await client.ask("hello")
            assert await client.say(rule, adopted=False) == 201, "of a rule's reply nothing moves"
            await client.close()
        async with running(settings, tmp_path) as gateway:
            client = Client(gateway)
            await client.until(lambda: client.shifts == {("good", None): -0.1, ("good", "math"): -0.1})
            assert (await client.ask("how much is 3 and 3"))[1] == "other@heavy"
            assert await client.say(name, adopted=True) == 201, "a request of the log, answered before the restart"
            await client.until(lambda: client.shifts.get(("other", "math")))
            await client.close()
        settings["quality"]["feedback"] = {"bound": 0}
        async with running(settings, tmp_path) as gateway:
            client = Client(gateway)
            assert (await client.ask("how much is 4 and 4"))[1] == "good@light" and client.shifts == {}
            await client.close()


async def test_one_caller_has_its_bound(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine(name)) for name in ("good", "other")]
        for engine in engines:
            engine.play = streamed(conversation("42"))
        async with running(config(tmp_path, *engines, feedback={"per_caller": 1}), tmp_path) as gateway:
            client = Client(gateway)
            names = [(await client.ask(f"tell me about {number}"))[0] for number in range(12)]
            for name in names:
                assert await client.say(name, rating=1) == 201
            await client.until(lambda: client.shifts.get(("good", "math")) == -0.03)
            quality = gateway.app._serving._quality
            [math] = [each for each in quality._moved.moved if (each.model, each.task) == ("good", "math")]
            await client.until(lambda: [each.words for each in quality._moved.moved if each.task == "math"] == [12])
            assert math.shift == -0.03
            await client.close()


async def test_what_is_said_before_the_reply_is_whole_counts_once_it_is(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine(name)) for name in ("good", "other")]
        engines[0].play = streamed(delta("", role="assistant"), delta("a"), 30.0)
        async with running(config(tmp_path, *engines), tmp_path) as gateway:
            client = Client(gateway)
            fields = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]}
            async with asking(gateway, fields) as stream:
                assert await stream.head() == 200
                name = stream.headers["x-pointsman-request-id"]
                reply = await client._http.post(FEEDBACK, json={"request_id": name, "adopted": False})
                assert reply.status_code == 201
            await client.until(lambda: client.shifts.get(("good", None)))
            await client.close()
    reader = LogReader(tmp_path / "data")
    [signs] = reader.signs(0, 100_000)
    reader.close()
    assert (signs.caller, signs.model, signs.replies, signs.hung_up) == ("anonymous", "good", 1, 1)


async def test_the_verb_shows_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine(name)) for name in ("good", "other")]
        for engine in engines:
            engine.play = streamed(conversation("42"))
        async with running(config(tmp_path, *engines), tmp_path) as gateway:
            client = Client(gateway)
            name, _ = await client.ask("how much is 2 and 3")
            assert await client.say(name, rating=5) == 201
            await client.until(lambda: client.shifts.get(("good", "math")))
            shifts = client.shifts
            await client.close()
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, monkeypatch, capsys)
    told = shell.run("quality", "--data-dir", "data", "--json").json
    found = {(each["model"], each["task"]): each["shift"] for each in told["models"] if each["shift"]}
    assert found == shifts and told["rules"]["bound"] == 0.1
    lines = shell.run("quality", "--data-dir", "data", "--model", "good", "--language", "en").out.splitlines()
    assert lines[0].split()[:4] == ["model", "task", "measured", "n"] and len(lines) == 4
    assert lines[2].split()[:6] == ["good", "math", "0.55", "20", "+0.02", "0.57"]
    assert "测得" in shell.run("quality", "--data-dir", "data", "--language", "zh").out
    for language, says in (("en", "nothing is known of 'nobody'"), ("zh", "没有 'nobody' 的数据")):
        nobody = shell.run("quality", "--data-dir", "data", "--model", "nobody", "--language", language)
        assert nobody.code == 1 and says in nobody.err and "good, other" in nobody.err
    empty = shell.run("quality", "--data-dir", "nowhere", "--model", "other", "--language", "en")
    assert empty.code == 0 and "other" in empty.out


def test_gateways_add_up_what_they_tell_each_other(tmp_path: Path) -> None:
    words = [Word(20_000, "a", "m", None, 5, None, False, False, 2)]
    signs = [Signs(20_000, "a", "m", "math", 3, 1, 0)]
    told = {"quality/1": packed((words, signs)), "quality/2": packed((words, [])), "quality/3": b"older"}
    assert of_others(told, "quality/1") == (words, [])
    assert of_others(told, "quality/9") == ([*words, *words], signs)
    assert key_of(tmp_path) != key_of(tmp_path / "x") and key_of(tmp_path) == key_of(tmp_path)


class Lost(MemoryEphemeral):
    async def scan(self, prefix: str) -> dict[str, bytes]:
        raise StoreError("the store is gone")


@pytest.mark.parametrize("lost", [False, True])
async def test_gateways_with_one_store_know_what_the_other_was_told(tmp_path: Path, lost: bool) -> None:
    """Two gateways, each with a log of its own; a store that is lost leaves each with its own."""
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine(name)) for name in ("good", "other")]
        for engine in engines:
            engine.play = streamed(conversation("42"))
        shared = Lost() if lost else MemoryEphemeral()
        clients = []
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            gateway = await stack.enter_async_context(running(config(folder, *engines), folder))
            feed: QualityFeed = gateway.app._serving._quality
            feed._shared = shared
            clients.append(Client(gateway))
        for number in range(3):
            asked, _ = await clients[0].ask(f"how much is {number} and 1")
            assert await clients[0].say(asked, adopted=False) == 201
        await clients[0].until(lambda: clients[0].shifts.get(("good", "math")) == -0.07)
        if lost:
            assert clients[1].shifts == {}
        else:
            await clients[1].until(lambda: clients[1].shifts == clients[0].shifts)
        for client in clients:
            await client.close()
