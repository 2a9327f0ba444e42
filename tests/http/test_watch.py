"""A config that is read again by itself when a file of it is saved, in a process of its own."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from execution.engine import CHAT, Engine, config, conversation, streamed
from pointsman.app import reading
from pointsman.app.build import Before
from pointsman.app.reading import Origin, read_apart
from pointsman.domain.errors import Problems
from running import running

RULE = """
- id: {name}
  when: {{any: [{word}]}}
  answer: {name}
  examples: [{word}]
  counter_examples: [other]
  boundary: [{{text: {word}s, takes: false}}]
"""


def rule(name: str, word: str = "payroll") -> str:
    return RULE.format(name=name, word=word)


@pytest.fixture
async def served(tmp_path: Path):
    (tmp_path / "rules.yaml").write_text(rule("first"))
    (tmp_path / "packs").mkdir()
    async with Engine() as engine:
        engine.play = streamed(conversation("x"))
        sections = config(engine, rules={"packs": [], "files": ["rules.yaml"]})
        sections["server"] = {**sections.get("server", {}), "watch": True}
        async with running(sections, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            yield gateway, client, sections


async def taken_by(client: httpx.AsyncClient, text: str = "payroll") -> str | None:
    reply = await client.post(CHAT, json={"model": "auto", "messages": [{"role": "user", "content": text}]})
    return reply.headers.get("x-pointsman-rule")


async def until(holds: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not await holds():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.05)


async def test_a_saved_rule_file_counts_by_itself(served, tmp_path: Path) -> None:
    _, client, _ = served
    assert await taken_by(client) == "first"
    before = (await client.get("/ready")).json()["policy"]
    (tmp_path / "rules.yaml").write_text(rule("second"))

    async def second() -> bool:
        return await taken_by(client) == "second"

    await until(second)
    ready = (await client.get("/ready")).json()
    assert ready["policy"] != before and ready["ready"]
    replaced = tmp_path / "other.yaml"  # as editors do: a new file in the old one's place
    replaced.write_text(rule("third"))
    replaced.replace(tmp_path / "rules.yaml")

    async def third() -> bool:
        return await taken_by(client) == "third"

    await until(third)


async def test_a_broken_file_changes_nothing_and_is_told_and_the_mended_one_counts(served, tmp_path: Path) -> None:
    _, client, _ = served
    (tmp_path / "rules.yaml").write_text(rule("second").replace("examples: [payroll]", "examples: [wages]"))

    async def told() -> bool:
        return any("wages" in problem for problem in (await client.get("/ready")).json()["problems"])

    await until(told)
    assert await taken_by(client) == "first"
    assert 'pointsman_reloads_total{outcome="refused"} 1' in (await client.get("/metrics")).text
    (tmp_path / "rules.yaml").write_text(rule("second"))

    async def mended() -> bool:
        return await taken_by(client) == "second" and not (await client.get("/ready")).json()["problems"]

    await until(mended)


async def test_the_config_and_new_packs_are_seen(served, tmp_path: Path) -> None:
    gateway, client, _ = served
    pack = tmp_path / "packs" / "hr"
    pack.mkdir()
    (pack / "pack.yaml").write_text("name: hr\n")
    (pack / "rules.yaml").write_text(rule("leave", "holiday"))
    text = gateway.config.read_text().replace("packs: []", "packs: [./packs]")
    assert "./packs" in text
    gateway.config.write_text(text)

    async def leave() -> bool:
        return await taken_by(client, "holiday") == "leave"

    await until(leave)
    (pack / "more.yaml").write_text(rule("sick", "flu"))

    async def sick() -> bool:
        return await taken_by(client, "flu") == "sick"

    await until(sick)


async def test_what_is_wrong_comes_back_in_both_languages(tmp_path: Path) -> None:
    (tmp_path / "pointsman.yaml").write_text("models: {light: {backends: [{engine: olama, model: m}]}}\n")
    read = await read_apart(Origin(str(tmp_path / "pointsman.yaml")), Before())
    assert read.setup is None and read.problems is not None
    [problem] = read.problems.problems
    assert 'did you mean "ollama"' in problem.text("en") and "是不是" in problem.text("zh")
    assert str(problem).startswith(f"{tmp_path}/pointsman.yaml:1")
    assert list(read.seen) == [str(tmp_path / "pointsman.yaml")]


async def test_a_policy_that_was_read_apart_is_the_same(tmp_path: Path) -> None:
    from pointsman.app.build import build

    (tmp_path / "rules.yaml").write_text(rule("first") + rule("second", "wages"))
    path = tmp_path / "pointsman.yaml"
    path.write_text("rules: {packs: ['builtin:smalltalk'], files: [rules.yaml]}\n")
    origin = Origin(str(path), {"server.port": 0})
    read = await read_apart(origin, Before())
    built = build(origin.load())
    assert read.setup is not None
    assert read.setup.policy.document == built.policy.document
    assert read.setup.policy.hash == built.policy.hash == built.policy.document.hash
    assert read.setup.config == built.config and read.setup.notes == built.notes


async def test_a_reader_that_dies_is_a_refusal_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = psutil.Process()
    before = {child.pid for child in here.children()}
    monkeypatch.setattr(reading, "COMMAND", (reading.COMMAND[0], "-c", "import os, signal; os.kill(os.getpid(), 9)"))
    read = await read_apart(Origin(None), Before())
    assert read.setup is None and isinstance(read.problems, Problems) and "broke off" in str(read.problems)
    monkeypatch.setattr(reading, "COMMAND", (reading.COMMAND[0], "-c", "import time; time.sleep(600)"))
    task = asyncio.create_task(read_apart(Origin(None), Before()))
    async with asyncio.timeout(20):
        while len({child.pid for child in here.children()} - before) != 1:
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert {child.pid for child in here.children()} <= before
