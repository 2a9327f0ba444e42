"""`pointsman actions`: what there is, what it takes, and having it done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from cli.invoke import MODELS, Shell
from running import Running, running

ACTIONS = {
    "sum_up": {
        "about": {"en": "Summarises a text", "zh": "概括一段文字"},
        "generate": {"prompt": "Summarise {text}"},
        "parameters": {
            "text": {"type": "string", "description": "what to summarise"},
            "words": {"type": "integer", "default": 20},
        },
        "redact": ["text"],
        "gpu_memory": 300,
    },
    "twice": {"steps": [{"action": "sum_up", "parameters": {"text": "{text}"}}]},
}


@pytest.fixture
def config(shell: Shell) -> Path:
    return shell.write("pointsman.yaml", MODELS + yaml.safe_dump({"actions": ACTIONS}, allow_unicode=True))


def test_ls(shell: Shell, config: Path) -> None:
    done = shell.run("actions", "ls", "-c", str(config))
    assert done.code == 0 and done.out.splitlines()[1].split("  ")[:1] == ["sum_up"]
    assert "text [words]" in done.out and "Summarises a text" in done.out
    assert "概括一段文字" in shell.run("actions", "ls", "-c", str(config), "--language", "zh").out
    first, _ = shell.run("actions", "ls", "-c", str(config), "--json").lines
    assert first["parameters"]["required"] == ["text"] and first["seconds"] == 60.0 and first["gpu_memory"] == 300


def test_ls_of_none(shell: Shell) -> None:
    config = shell.write("pointsman.yaml", MODELS)
    assert "no actions" in shell.run("actions", "ls", "-c", str(config)).out


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            [
                "whole number",
                "default 20",
                "required",
                "never shown in logs",
                "300 MB of GPU memory",
                "0.01 s of CPU time, cores: 1",
            ],
        ),
        ("zh", ["整数", "默认 20", "必填", "不会出现在日志里", "占用显存 300 MB", "CPU 时间 0.01 秒，占用 1 个核"]),
    ],
)
def test_show(shell: Shell, config: Path, language: str, words: list[str]) -> None:
    done = shell.run("actions", "show", "sum_up", "-c", str(config), "--language", language)
    assert done.code == 0 and all(word in done.out for word in words), done.out


def test_show_of_none(shell: Shell, config: Path) -> None:
    done = shell.run("actions", "show", "sumup", "-c", str(config))
    assert done.code == 1 and 'did you mean "sum_up"' in done.err and "twice" in done.err


@pytest.mark.parametrize(
    ("given", "words"), [("text", "not NAME=VALUE"), ("text=@no-such-file", "no file no-such-file")]
)
def test_run_with_wrong_usage(shell: Shell, given: str, words: str) -> None:
    done = shell.run("actions", "run", "twice", "-p", given)
    assert done.code == 2 and words in done.err


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[Running]:
    chain = {"steps": [{"action": "sum_up", "parameters": {"text": "{text}"}}]}
    async with running({"models": {}, "actions": {**ACTIONS, "twice": chain}}, tmp_path) as served:
        yield served


async def test_run(shell: Shell, gateway: Running) -> None:
    """The built-in model does it."""

    def run(*more: str) -> tuple[int, str, str]:
        return shell.run("actions", "run", *more, "--url", gateway.base)

    code, _, err = await asyncio.to_thread(run, "sumup", "-p", "text=a")
    assert code == 1 and "sum_up" in err
    code, _, err = await asyncio.to_thread(run, "sum_up", "-p", "words=many", "-p", "text=a")
    assert code == 1 and "parameters.words must be a whole number" in err
    code, out, _ = await asyncio.to_thread(run, "sum_up", "-p", "text=a", "--json")
    assert code == 0 and '"outcome":"ok"' in out
