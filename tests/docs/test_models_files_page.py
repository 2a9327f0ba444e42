"""What docs/models-files.md shows, in both languages: commands are understood and say it, options and flags are complete."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from cli.invoke import Shell
from docs.pages import DOCS, blocks, needs_docs
from memory.networks import LLAMA_31_8B
from pointsman.cli import models_flags, models_pull, models_verify
from pointsman.fleet.pull import KEEP_FREE, TRIES
from pointsman.memory.flags import LONGEST, Wish, llama_launch, ollama_launch
from pointsman.memory.hf_network import hf_network
from pointsman.memory.sizes import MIB
from pointsman.memory.verdict import Room
from pointsman.memory.vllm_flags import vllm_launch

PAGES = {"en": "models-files.md", "zh": "models-files.zh-CN.md"}
VERBS = {"verify": models_verify, "pull": models_pull, "flags": models_flags}

pytestmark = needs_docs


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POINTSMAN_SERVER_DATA_DIR", str(tmp_path))
    return Shell(tmp_path, monkeypatch, capsys)


def text_of(tongue: str) -> str:
    return (DOCS / PAGES[tongue]).read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("pointsman ")]
    return [shlex.split(line)[1:] for line in lines]


def test_both_have_the_same_commands_and_figures() -> None:
    assert commands(text_of("en")) == commands(text_of("zh"))
    for text in map(text_of, PAGES):
        assert f"{LONGEST:,}" in text and f"{KEEP_FREE // MIB} MiB" in text and f" {TRIES} " in text


@pytest.mark.parametrize("tongue", PAGES)
def test_what_is_shown_is_what_is_said(tongue: str, shell: Shell) -> None:
    text = text_of(tongue)
    shown = blocks(text, "text")
    assert shell.run(*commands(text)[0], "--language", tongue).out == shown[0]
    done = shell.run(*commands(text)[-1], "--language", tongue)
    assert done.code == 0 and re.sub(r" -m \S+", " -m …", done.out.splitlines()[0]) == shown[1].strip()


def test_every_command_is_understood_and_every_option_named() -> None:
    for verb, module in VERBS.items():
        parser = argparse.ArgumentParser(exit_on_error=False)
        module.declare(parser)
        for family, asked, *words in commands(text_of("en")):
            if asked == verb:
                assert family == "models"
                parser.parse_args(words)
        for option in parser._option_string_actions:
            if option.startswith("--") and option not in ("--help", "--language", "--config"):
                assert all(option in text_of(tongue) for tongue in PAGES), (verb, option)


def test_every_flag_is_named() -> None:
    network, room = hf_network(LLAMA_31_8B), Room(80 << 30, True)
    for found in (
        llama_launch(network, Room(64 << 30, False), Wish(), "m.gguf", 8),
        ollama_launch(network, room, Wish()),
        vllm_launch(network, room, Wish(), "m", None),
    ):
        for flag in found.flags:
            assert all(f"`{flag.name}`" in text_of(tongue) for tongue in PAGES) or not flag.name, flag.name
