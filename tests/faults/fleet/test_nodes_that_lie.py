"""A node that says more slots than it has, and nodes whose engine has another model than was said: each is told of, gets
what it is good for, and the honest one beside it is not touched."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from execution.engine import Engine, conversation, streamed
from faults.fleet.gateways import Gateway, gateways, pool, until
from running import Process
from store.jobs.servers import Valkey, free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_ENGINE = Path(__file__).with_name("node_engine.py")


@contextlib.contextmanager
def _engine(notes: Path, *words: str) -> Iterator[int]:
    """Its port."""
    port = free_port()
    notes.touch()
    command = [sys.executable, "-I", "-S", str(_ENGINE), "127.0.0.1", str(port), str(notes), *words]
    with subprocess.Popen(command) as engine:
        try:
            yield port
        finally:
            engine.kill()


async def _node(gateway: Gateway, name: str) -> dict[str, Any]:
    nodes = (await gateway.ready())["targets"][0]["nodes"]
    return next((node for node in nodes if node["name"] == name), {"health": "", "slots": None, "problem": None})


async def _is(gateway: Gateway, name: str, **wanted: Any) -> bool:
    return wanted.items() <= (await _node(gateway, name)).items()


async def test_about_slots(tmp_path: Path) -> None:
    """It says 8, and works on one: the honest one beside it, with 4, gets the most."""
    lies, honest = tmp_path / "lies.txt", tmp_path / "honest.txt"
    with _engine(lies, "--slots", "8", "--works", "1") as liar, _engine(honest, "--slots", "4") as other:
        config = pool([f"http://127.0.0.1:{port}/v1" for port in (liar, other)], engine="llamacpp", limits={})
        async with gateways(1, tmp_path / "gateway", config) as (gateway,):
            for port, slots in ((liar, 8), (other, 4)):
                await until(lambda port=port, slots=slots: _is(gateway, f"127.0.0.1:{port}", health="up", slots=slots))
            asking = [asyncio.create_task(gateway.ask(f"question {number} pieces 10 gap 0.06")) for number in range(40)]
            await until(lambda: _is(gateway, f"127.0.0.1:{liar}", slots=1))
            told = await _node(gateway, f"127.0.0.1:{liar}")
            assert told["health"] == "up"
            assert told["problem"] == (
                "it says that it has 8 slots, and worked on 1 requests while others waited in it: it gets 1"
            )
            assert {reply.status_code for reply in await asyncio.gather(*asking)} == {200}
            assert await _is(gateway, f"127.0.0.1:{other}", health="up", slots=4, problem=None)
        asked = [len(notes.read_text().splitlines()) for notes in (lies, honest)]
        assert asked[0] < asked[1], asked


async def test_about_models(store: Valkey, tmp_path: Path) -> None:
    """One says that its engine has `m`, which it has not; one says that it has another model, and is nobody's business."""
    async with contextlib.AsyncExitStack() as stack:
        honest = await stack.enter_async_context(Engine("m"))
        wrong = await stack.enter_async_context(Engine("another"))
        other = await stack.enter_async_context(Engine("another"))
        for engine, name, words in (
            (honest, "honest", []),
            (wrong, "liar", ["--model", "m"]),
            (other, "stranger", []),
        ):
            engine.play = streamed(conversation("42"))
            arguments = ["--engine", "openai", "--base-url", engine.url, "--name", name, "--slots", "2"]
            arguments += ["--store", store.url, "--language", "en", "--drain", "0", *words]
            node = Process(arguments, verb="node")
            stack.callback(node.stop)
        config = pool("registry") | {"store": store.url}
        (gateway,) = await stack.enter_async_context(gateways(1, tmp_path, config))
        await until(lambda: _is(gateway, "honest", health="up"))
        await until(lambda: _is(gateway, "liar", health="refused"))
        assert (await _node(gateway, "liar"))["problem"] == (
            'it says that it serves "m", and its engine lists another: nothing is sent there'
        )
        replies = await asyncio.gather(*(gateway.ask(f"question {number}") for number in range(12)))
        assert {reply.status_code for reply in replies} == {200}
        assert (len(honest.asked), len(wrong.asked), len(other.asked)) == (12, 0, 0)
        assert (await _node(gateway, "stranger"))["health"] == ""
        target = (await gateway.ready())["targets"][0]
        assert target["health"] == "up" and "liar" in target["problem"]


async def test_about_models_where_the_config_lists_them(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.txt", tmp_path / "wrong.txt"
    with _engine(right) as honest, _engine(wrong, "--model", "another") as other:
        config = pool([f"http://127.0.0.1:{port}/v1" for port in (honest, other)], engine="vllm")
        async with gateways(1, tmp_path / "gateway", config) as (gateway,):
            await until(lambda: _is(gateway, f"127.0.0.1:{honest}", health="up"))
            await until(lambda: _is(gateway, f"127.0.0.1:{other}", health="down"))
            told = await _node(gateway, f"127.0.0.1:{other}")
            assert 'does not list the model "m"' in told["problem"] and "another" in told["problem"]
            replies = await asyncio.gather(*(gateway.ask(f"question {number}") for number in range(12)))
            assert {reply.status_code for reply in replies} == {200}
        asked = [len(notes.read_text().splitlines()) for notes in (right, wrong)]
        assert asked == [12, 0]
