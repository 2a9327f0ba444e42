"""`pointsman models ls|load|unload` against a gateway that runs, with the real engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from cli.invoke import Done, Shell
from running import running

MODEL = "builtin:smollm2-135m"
Ask = Callable[..., Awaitable[Done]]


@pytest.fixture
async def ask(tmp_path: Path, shell: Shell) -> AsyncIterator[Ask]:
    (tmp_path / "broken.gguf").write_bytes(b"no model")
    own = {"engine": "embedded", "model": MODEL, "context": 512, "threads": 1, "load": {"when": "demand"}}
    models = {
        "light": {"backends": [own]},
        "medium": {"backends": [own | {"model": str(tmp_path / "broken.gguf")}]},
        "heavy": {"backends": [{"engine": "openai", "model": "far", "base_url": "http://127.0.0.1:9/v1"}]},
    }
    async with running({"rules": {"packs": []}, "models": models}, tmp_path) as gateway:

        async def run(*words: str) -> Done:
            return await asyncio.to_thread(shell.run, "models", *words, "--url", gateway.base)

        yield run


async def test_models_are_listed_loaded_and_unloaded(ask: Ask, tmp_path: Path) -> None:
    listed = await ask("ls")
    assert listed.code == 0 and listed.out.count("absent") == 2 and "far@127.0.0.1:9" in listed.out
    loaded = await ask("load", MODEL, "--pin")
    assert loaded.code == 0 and "ready, pinned" in loaded.out
    kept = await ask("unload", f"{MODEL}@embedded")
    assert kept.code == 1 and "is pinned" in kept.err
    assert (await ask("load", MODEL, "--unpin", "--json")).json["pinned"] is False
    gone = await ask("unload", MODEL, "--language", "zh")
    assert gone.code == 0 and "已卸载" in gone.out

    broken = await ask("load", str(tmp_path / "broken.gguf"))
    assert broken.code == 1 and "broken.gguf" in broken.err
    listed = await ask("ls", "--language", "zh")
    assert "失败" in listed.out and "状态" in listed.out
    by_target = {each["target"]: each for each in (await ask("ls", "--json")).json["models"]}
    assert by_target[f"{MODEL}@embedded"]["loads"] == 1 and by_target[f"{MODEL}@embedded"]["stage"] == "unloaded"

    always = await ask("load", "far")
    assert always.code == 1 and "always in memory" in always.err
    unknown = await ask("load", "nothing")
    assert unknown.code == 1 and MODEL in unknown.err


def test_nobody_there(shell: Shell) -> None:
    done = shell.run("models", "ls", "--url", "http://127.0.0.1:1")
    assert done.code == 1 and "127.0.0.1:1" in done.err
    assert shell.run("models", "load", "m", "--url", "ftp://x").code == 2
