"""docs/engines.md in both languages: the same configs, which load; the slots, faults and figures that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import needs_docs, text_of
from pointsman.app.residence import wrong_residency
from pointsman.app.targets import unworkable
from pointsman.config.load import load
from pointsman.domain.errors import Problem
from pointsman.fleet.command_settings import SLOTS, CommandSettings
from pointsman.pipeline import quiet_restart

PAGES = ("engines.md", "engines.zh-CN.md")
pytestmark = needs_docs


def configs() -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", text_of(PAGES[0]), re.DOTALL | re.MULTILINE)


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
