"""What docs/fit.md shows, in both languages: commands say what they are shown to say, options are complete, code runs."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from cli.invoke import Shell
from docs.pages import DOCS, blocks, needs_docs
from memory.networks import CONFIGS
from pointsman.cli import fit
from pointsman.cli.plan_file import PlannedModel
from pointsman.memory import kv_bytes
from pointsman.memory.hf_network import hf_network

PAGES = {"en": "fit.md", "zh": "fit.zh-CN.md"}

pytestmark = needs_docs


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, monkeypatch, capsys)


def text_of(tongue: str) -> str:
    return (DOCS / PAGES[tongue]).read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    lines = [line for block in blocks(text, "") for line in block.splitlines() if line.startswith("pointsman ")]
    return [shlex.split(line)[1:] for line in lines]


def test_both_have_the_same_commands() -> None:
    assert commands(text_of("en")) == commands(text_of("zh"))


@pytest.mark.parametrize("tongue", PAGES)
def test_the_first_command_says_what_is_shown(tongue: str, shell: Shell) -> None:
    text = text_of(tongue)
    done = shell.run(*commands(text)[0], "--language", tongue)
    assert done.code == 1 and done.out == blocks(text, "text")[0]


def test_every_command_is_understood() -> None:
    for verb, *words in commands(text_of("en")):
        parser = argparse.ArgumentParser()
        if verb == "calibrate":
            from pointsman.cli import calibrate_memory

            assert words.pop(0) == "memory"
            calibrate_memory.declare(parser)
        else:
            fit.declare(parser)
        parser.parse_args(words)


def test_the_plan_is_one(shell: Shell) -> None:
    shell.write("models.yaml", blocks(text_of("en"), "yaml")[0])
    done = shell.run("fit", "--plan", "models.yaml", "--json")
    assert done.code == 0 and [each["models"] for each in done.json["together"]] == [["light", "medium"]]


def test_every_option_is_in_the_table() -> None:
    parser = argparse.ArgumentParser()
    fit.declare(parser)
    options = {action.option_strings[0] for action in parser._actions if action.option_strings}
    for tongue in PAGES:
        rows = " ".join(re.findall(r"^\| (`[^|]*)", text_of(tongue), re.MULTILINE))
        for option in options - {"-h", "--json", "--language"}:
            assert f"`{option}`" in rows, option
    flags = {option.removeprefix("--").replace("-", "_") for option in options}
    assert set(PlannedModel.__struct_fields__) <= flags | {"model", "share"}


@pytest.mark.parametrize("tongue", PAGES)
def test_the_figures_are_those_of_the_formula(tongue: str) -> None:
    rows = re.findall(r"^\| (.+?) \| ([0-9,]+) MiB \|$", text_of(tongue), re.MULTILINE)
    shown = [int(mib.replace(",", "")) for _, mib in rows]
    assert shown == [kv_bytes(hf_network(config), 32_768) >> 20 for config, _ in CONFIGS.values()]


def test_the_python_runs() -> None:
    exec(compile(blocks(text_of("en"), "python")[0], "fit.md", "exec"), {})
