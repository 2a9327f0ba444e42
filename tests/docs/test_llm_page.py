"""What docs/arbiter/llm.md shows, in both languages: configs load, commands are known, tables are complete."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
import yaml

from docs.pages import blocks
from pointsman.app.build import build
from pointsman.app.targets import targets_of
from pointsman.arbiter.llm.prompt import FEW, LISTED
from pointsman.arbiters.llm.arbiter import VOTES
from pointsman.bench.l1.instructions import INSTRUCTIONS
from pointsman.bench.l1.measure import FIELDS
from pointsman.bench.l1.schemas import FORMS
from pointsman.cli.bench import declare
from pointsman.config.load import load

DOCS = Path(__file__).resolve().parents[2] / "docs" / "arbiter"
PAGES = ("llm.md", "llm.zh-CN.md")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_configs_load(tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    for block in blocks(text_of(PAGES[0]), "yaml"):
        path.write_text(yaml.safe_dump(yaml.safe_load(block), allow_unicode=True), encoding="utf-8")
        built = build(load(path, None, {}))
        [[(target, backend)]] = targets_of(built.config).values()
        assert target.engine == "llamacpp" and backend.reset_cache in (None, 50)


def test_commands_are_known() -> None:
    parser = argparse.ArgumentParser()
    declare(parser)
    [commands] = [block for block in blocks(text_of(PAGES[0]), "") if block.startswith("pointsman")]
    for line in commands.splitlines():
        words = line.partition("#")[0].split()
        assert words[:2] == ["pointsman", "bench"]
        parser.parse_args(words[2:])


@pytest.mark.parametrize("page", PAGES)
def test_figures_are_those_of_the_code(page: str) -> None:
    text = text_of(page)
    for field in FIELDS:
        assert f"`{field}`" in text
    assert (FEW, LISTED, VOTES, len(FORMS), len(INSTRUCTIONS)) == (12, 6, 3, 30, 30)
    for number in ("12", "400", "500", "30", "15"):
        assert number in text
