"""docs/routing.md in both languages: its config loads, and its worked example comes out as it is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import blocks, needs_docs, text_of
from pointsman.app.build import build
from pointsman.cli import main
from pointsman.config.load import load
from pointsman.config.policy_schema import SHIPPED

PAGES = ("routing.md", "routing.zh-CN.md")

pytestmark = needs_docs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    [config], [figures] = blocks(text_of("routing.md"), "yaml"), blocks(text_of("routing.md"), "json")
    (tmp_path / "pointsman.yaml").write_text(config, encoding="utf-8")
    (tmp_path / "quality.jsonl").write_text(figures, encoding="utf-8")
    return tmp_path


def test_the_config_shows_the_weights_that_ship(folder: Path) -> None:
    weights = build(load(folder / "pointsman.yaml", None, {})).policy.document.weights
    shown = {name: (each.quality, each.latency, each.cost) for name, each in weights.items()}
    assert shown == {**SHIPPED, "best": (1.0, 0.0, 0.02)}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("number", [0, 1])
def test_the_worked_example_was_run(
    folder: Path, page: str, number: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command, _, shown = blocks(text_of(page), "console")[number].partition("\n")
    arguments = re.findall(r'"([^"]*)"|(\S+)', command.removeprefix("$ pointsman "))
    monkeypatch.chdir(folder)
    assert main([quoted or plain for quoted, plain in arguments] + ([] if "zh" in page else ["--language", "en"])) == 0
    printed = capsys.readouterr().out.splitlines()
    for line in shown.splitlines():
        assert line in printed
