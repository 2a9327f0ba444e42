"""docs/engines.md in both languages: the same configs, which load; the slots, faults and figures that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.app.residence import wrong_residency
from pointsman.app.targets import unworkable
from pointsman.config.load import load
from pointsman.domain.errors import Problem
from pointsman.fleet.command_settings import SLOTS, CommandSettings
from pointsman.pipeline import quiet_restart

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("engines.md", "engines.zh-CN.md")
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def configs() -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", text_of(PAGES[0]), re.DOTALL | re.MULTILINE)


def test_both_languages_say_the_same() -> None:
    english, chinese = map(text_of, PAGES)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    codes = [re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE) for text in (english, chinese)]
    assert codes[0] == codes[1]
    assert {*re.findall(r"`[^`\n]+`", english)} == {*re.findall(r"`[^`\n]+`", chinese)}
    for text in (english, chinese):
        for link in re.findall(r"\]\(([^)#:]+\.md)\)", text):
            assert (DOCS / link).resolve().exists(), link
        headings = {
            re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ (.*)$", text, re.M)
        }
        assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings


@pytest.mark.parametrize("number", range(5))
def test_the_configs_load(tmp_path: Path, number: int) -> None:
    assert len(configs()) == 5
    path = tmp_path / "pointsman.yaml"
    path.write_text(configs()[number])
    config = load(path, {}).config
    problems: list[Problem] = [*unworkable(config), *wrong_residency(config)]
    assert problems == []


def test_what_is_filled_in_and_figures() -> None:
    english = text_of(PAGES[0])
    assert set(re.findall(r"^\| `\{([a-z_]+)\}` \|", english, re.MULTILINE)) == set(SLOTS)
    settings = CommandSettings(model="m", name="m", engine="vllm", command=("x", "{port}"))
    assert settings.grace == 10.0
    assert f"served for {quiet_restart.QUIET:.0f} seconds" in english
    assert quiet_restart.WITHIN == 3600.0
