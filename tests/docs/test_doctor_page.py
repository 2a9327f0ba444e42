"""docs/doctor.md in both languages: every check is there, the example is what is said, figures are those of the code."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from cli.invoke import Shell
from docs.pages import DOCS, needs_docs
from fleet.test_model_check import whole_gguf
from pointsman.app.doctor.checks import data_folder, kv_cache, l0_hits, thrash
from pointsman.app.doctor.examine import DAYS, SECONDS
from pointsman.app.doctor.order import PARTS
from pointsman.cli import doctor
from pointsman.memory.sizes import MIB
from pointsman.recording.token_ratio import LEAST, OFF

PAGES = {"en": "doctor.md", "zh": "doctor.zh-CN.md"}

pytestmark = needs_docs


def text_of(tongue: str) -> str:
    return (DOCS / PAGES[tongue]).read_text(encoding="utf-8")


@pytest.mark.parametrize("tongue", PAGES)
def test_every_check_stands_in_its_part(tongue: str) -> None:
    parts = re.split(r"^## ", text_of(tongue), flags=re.MULTILINE)[1:]
    assert [part.splitlines()[0] for part in parts] == [
        str(part.title) if tongue == "en" else part.title.zh for part in PARTS
    ]
    for shown, part in zip(parts, PARTS, strict=True):
        assert re.findall(r"^\| `(\w+)` \|", shown, re.MULTILINE) == [check.name for check in part.checks]


@pytest.mark.parametrize("tongue", PAGES)
def test_the_example_is_what_is_said(
    tongue: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, monkeypatch, capsys)
    shell.write("m.gguf", whole_gguf()[:-1])
    shell.write(
        "pointsman.yaml",
        "models: {light: {backends: [{engine: embedded, model: m.gguf}]}}\nfallback: {target: light}\n"
        "server: {data_dir: data, port: 0}\n",
    )
    [example] = re.findall(r"^```text\n(.*?)^```$", text_of(tongue), re.DOTALL | re.MULTILINE)
    assert example in shell.run("doctor", "--url", "http://127.0.0.1:9", "--language", tongue).out


@pytest.mark.parametrize("tongue", PAGES)
def test_options_and_figures(tongue: str) -> None:
    text = text_of(tongue)
    parser = argparse.ArgumentParser()
    doctor.declare(parser)
    for option in parser._option_string_actions:
        assert not option.startswith("--") or option in ("--help", "--language") or f"`{option}`" in text, option
    for figure in (
        f"{SECONDS:g}",
        f"{DAYS}",
        f"{100 * kv_cache.MOST:g} %",
        f"{100 * OFF:g} %",
        f"{LEAST}",
        f"{100 * l0_hits.SHARE:g} %",
        f"{l0_hits.LEAST}",
        f"{thrash.LEAST}",
        f"{data_folder.LITTLE // MIB // 1024} GiB",
        f"{data_folder.FULL // MIB} MiB",
        f"{doctor.SAMPLE}",
    ):
        assert figure in text, figure
