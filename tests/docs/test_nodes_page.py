"""docs/nodes.md in both languages: what it shows loads, and the metrics, flags and words that it names are there."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import yaml

from docs.pages import DOCS, needs_docs, text_of
from pointsman.cli.node import declare
from pointsman.config.load import load
from pointsman.domain.node import NodeChoice
from pointsman.telemetry import catalogue

PAGES = ("nodes.md", "nodes.zh-CN.md")

pytestmark = needs_docs


def blocks(text: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(len(blocks(text_of(PAGES[0])) if DOCS.exists() else [])))
def test_every_config_is_one(number: int, tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    path.write_text(blocks(text_of(PAGES[0]))[number])
    assert yaml.safe_load(path.read_text())
    load(path, None, {})


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_there_is(page: str) -> None:
    text = text_of(page)
    shown = set(re.findall(r"`pointsman_(\w+)", text))
    assert shown == {family.name for family in catalogue.NODES}
    parser = argparse.ArgumentParser()
    declare(parser)
    flags = {option for action in parser._actions for option in action.option_strings}
    assert set(re.findall(r"--[a-z][a-z-]+", text)) <= flags
    for why in get_args(get_type_hints(NodeChoice)["why"]):
        assert f"`{why}`" in text, why
