"""A whole gateway before several nodes: listed in the config, or found where `pointsman node` reports."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

import pointsman.pipeline.replicas.pool as pool
from execution.engine import CHAT, Engine, conversation, replied, streamed
from pointsman.fleet.registry.stored import StoredRegistry
from pointsman.store.ephemeral.by_url import open_ephemeral
from pointsman.store.log_reader import LogReader
from running import Process, Running, running


def config(*nodes: Engine, **more: Any) -> dict[str, Any]:
    backend = {"engine": "openai", "model": "m", "nodes": [node.url for node in nodes], "limits": {"sequences": 2}}
    return {"models": {"medium": {"backends": [backend | more]}}, "rules": {"packs": []}}


class Client:
    def __init__(self, gateway: Running) -> None:
        self.gateway = gateway
        self.http = httpx.AsyncClient(base_url=gateway.base, timeout=60)

    async def ask(self, text: str = "hello") -> httpx.Response:
        return await self.http.post(CHAT, json={"model": "auto", "messages": [{"role": "user", "content": text}]})

    async def ready(self) -> dict[str, Any]:
        return (await self.http.get("/ready", headers={"accept-language": "en"})).json()

    @property
    def pool(self) -> Any:
        return self.gateway.app._serving._nodes._pools["m@nodes"]


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not there():
            await asyncio.sleep(0.01)


async def test_nodes_of_the_config(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine("m")) for _ in range(3)]
        for engine in engines:
            engine.play = streamed(0.05, conversation("42"))
        gateway = await stack.enter_async_context(running(config(*engines), tmp_path))
        client = Client(gateway)
        stack.push_async_callback(client.http.aclose)
        replies = await asyncio.gather(*(client.ask(f"question {number}") for number in range(24)))
        assert {reply.status_code for reply in replies} == {200}
        assert {reply.headers["x-pointsman-target"] for reply in replies} == {"m@nodes"}
        assert all(len(engine.asked) >= 3 for engine in engines)
        assert max(engine.open for engine in engines) <= 8
        state = (await client.ready())["targets"][0]
        assert state["facts"]["slots"] == 6 and [node["health"] for node in state["nodes"]] == ["up"] * 3
        shown = (await client.http.get("/metrics")).text
        node = f"127.0.0.1:{engines[0].port}"
        assert f'pointsman_node_state{{node="{node}",state="up",target="m@nodes"}} 1.0' in shown
        assert "pointsman_node_gateways 1.0" in shown
    attempts = [row["attempts"][0] for row in LogReader(tmp_path / "data").rows({}, None, 100)]
    assert len(attempts) == 24 and {each["node"] for each in attempts} == {f"127.0.0.1:{e.port}" for e in engines}
    assert all(each["choice"]["node"] == each["node"] and each["choice"]["candidates"] for each in attempts)


async def test_a_node_that_dies_costs_nobody_a_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "EAGER", 0.05)
    async with AsyncExitStack() as stack:
        alive = await stack.enter_async_context(Engine("m"))
        dying = Engine("m")
        await dying.__aenter__()
        gateway = await stack.enter_async_context(running(config(alive, dying, spread={"prefix": 0}), tmp_path))
        client = Client(gateway)
        stack.push_async_callback(client.http.aclose)
        await asyncio.gather(*(client.ask() for _ in range(4)))
        await dying.__aexit__()
        replies = [await client.ask() for _ in range(8)]
        assert {reply.status_code for reply in replies} == {200}
        name = f"127.0.0.1:{dying.port}"
        await until(lambda: client.pool.members[name].health in ("down", "ejected"))
        ready = await client.ready()
        assert ready["ready"] and "1 of 2 nodes serve" in ready["targets"][0]["problem"]
        before = len(alive.asked)
        await asyncio.gather(*(client.ask() for _ in range(4)))
        assert len(alive.asked) == before + 4
        await dying.__aenter__()  # on its old port
        await until(lambda: client.pool.members[name].health == "up")
        await dying.__aexit__()


async def test_a_node_that_only_fails_gets_no_requests(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        good, bad = [await stack.enter_async_context(Engine("m")) for _ in range(2)]
        bad.play = replied(500, {"error": {"message": "broken"}})
        gateway = await stack.enter_async_context(running(config(good, bad, spread={"prefix": 0}), tmp_path))
        client = Client(gateway)
        stack.push_async_callback(client.http.aclose)
        for _ in range(30):
            assert (await client.ask()).status_code == 200
        words = [asked.fields["messages"][-1]["content"] for asked in bad.asked]
        assert words.count("hello") == 1, "and that one was served by the other node"
        assert words.count("ping") >= 1, "the gateway looks by itself"
        assert client.pool.members[f"127.0.0.1:{bad.port}"].view().success < 0.9
        assert (await client.ready())["targets"][0]["health"] == "up"


class Counted:
    """An engine that notes how many requests it works on at a time."""

    def __init__(self, engine: Engine) -> None:
        self.now = self.most = 0
        play = streamed(0.02, conversation("42"))

        async def counted(writer: asyncio.StreamWriter) -> None:
            self.now += 1
            self.most = max(self.most, self.now)
            try:
                await play(writer)
            finally:
                self.now -= 1

        engine.play = counted


async def test_two_gateways_of_one_store_share_the_slots(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        engines = [await stack.enter_async_context(Engine("m")) for _ in range(2)]
        counted = [Counted(engine) for engine in engines]
        clients = []
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            wish = config(*engines) | {"store": f"sqlite:///{tmp_path / 'shared.sqlite'}"}
            client = Client(await stack.enter_async_context(running(wish, folder)))
            stack.push_async_callback(client.http.aclose)
            clients.append(client)
        for client in clients:
            await until(lambda client=client: client.gateway.app._serving._nodes._peers.gateways == 2)
        asking = [clients[number % 2].ask(f"question {number}") for number in range(40)]
        assert {reply.status_code for reply in await asyncio.gather(*asking)} == {200}
        assert [each.most for each in counted] == [2, 2], "four slots, not four for each gateway"
        assert all(len(engine.asked) >= 8 for engine in engines)
        for client in clients:
            await until(lambda client=client: not client.pool.line.held)


async def test_found_in_the_registry(tmp_path: Path) -> None:
    """`pointsman node` beside an engine: it is found, drained at SIGTERM, and gone."""
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(Engine("m"))
        wish = config() | {
            "models": {"medium": {"backends": [{"engine": "openai", "model": "m", "nodes": "registry"}]}}
        }
        gateway = await stack.enter_async_context(running(wish, tmp_path, settle=0.5))
        client = Client(gateway)
        stack.push_async_callback(client.http.aclose)
        assert (await client.ask()).status_code == 503
        assert "no node is known yet" in (await client.ready())["targets"][0]["problem"]
        assert 'pointsman_registry_up{kind="store"} 1.0' in (await client.http.get("/metrics")).text
        arguments = ["--engine", "openai", "--base-url", engine.url, "--name", "gpu-1", "--slots", "2"]
        node = Process([*arguments, "--data-dir", str(tmp_path / "data"), "--language", "en"], verb="node")
        try:
            await asyncio.to_thread(node.wait_for, rf"node gpu-1 at {engine.url}: m")
            await until(lambda: client.pool.members and client.pool.members["gpu-1"].ready)
            assert (await client.ask()).status_code == 200
            engine.play = streamed(conversation("4"), 1.5, conversation("2"))
            long = asyncio.create_task(client.ask())
            await until(lambda: len(engine.asked) == 2)
            node.signal(signal.SIGTERM)
            await until(lambda: client.pool.members["gpu-1"].health == "draining")
            assert (await long).status_code == 200, "what it has, it finishes"
            assert (await client.ask()).status_code == 503
            await until(lambda: not client.pool.members)
            assert await asyncio.to_thread(node.ended) == 0
        finally:
            await asyncio.to_thread(node.stop)
        assert any("node gpu-1 has left" in line for line in node.lines)
        store = open_ephemeral("sqlite:///jobs.sqlite", tmp_path / "data")
        assert await StoredRegistry(store).all() == ()
        await store.close()


async def test_two_nodes_of_one_name(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        one, two = [await stack.enter_async_context(Engine("m")) for _ in range(2)]
        arguments = [
            "--engine",
            "openai",
            "--name",
            "n",
            "--data-dir",
            str(tmp_path),
            "--language",
            "en",
            "--drain",
            "0",
        ]
        first = Process([*arguments, "--base-url", one.url], verb="node")
        try:
            await asyncio.to_thread(first.wait_for, "node n at")
            second = Process([*arguments, "--base-url", two.url], verb="node")
            await asyncio.to_thread(second.wait_for, f'another node is called "n", at {one.url}')
            assert await asyncio.to_thread(second._popen.wait, 20) == 1
            second.stop()
        finally:
            await asyncio.to_thread(first.stop)


def test_words_of_the_config(tmp_path: Path) -> None:
    from pointsman.config.load import load

    backend = {"engine": "vllm", "model": "m", "nodes": [], "base_url": "http://h/v1"}
    embedded = {"engine": "embedded", "model": "builtin:smollm2-135m", "nodes": "registry", "load": {"when": "demand"}}
    path = tmp_path / "pointsman.yaml"
    path.write_text(json.dumps({"models": {"a": {"backends": [backend]}, "b": {"backends": [embedded]}}}))
    loaded = load(path)
    problems = {problem.path: problem.message for problem in loaded.problems}
    assert "leave one of them out" in problems["models.a.backends[0].base_url"]
    assert problems["models.a.backends[0].nodes"] == "names no node"
    assert "the gateway runs it itself" in problems["models.b.backends[0].nodes"]
    assert "nodes are started by others" in problems["models.b.backends[0].load"]
