"""docs/routing.md in both languages: its config loads, and its worked example comes out as it is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.app.build import build
from pointsman.cli import main
from pointsman.config.load import load
from pointsman.config.policy_schema import SHIPPED

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("routing.md", "routing.zh-CN.md")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    [config], [figures] = blocks(text_of("routing.md"), "yaml"), blocks(text_of("routing.md"), "json")
    (tmp_path / "pointsman.yaml").write_text(config, encoding="utf-8")
    (tmp_path / "quality.jsonl").write_text(figures, encoding="utf-8")
    return tmp_path


def test_both_languages_say_the_same() -> None:
    english, chinese = map(text_of, PAGES)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^\d\. ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    for kind in ("yaml", "json"):
        assert blocks(english, kind) == blocks(chinese, kind)
    for text in (english, chinese):
        for link in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", text):
            assert (DOCS / link).resolve().exists(), link


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
