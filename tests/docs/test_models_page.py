"""docs/models.md in both languages: what it shows loads, and what it names there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from docs.pages import needs_docs, text_of
from pointsman.app.residence import wrong_residency
from pointsman.cli.models import VERBS
from pointsman.config.load import load
from pointsman.config.residency_schema import Load, Memory
from pointsman.domain.residence import Stage
from pointsman.telemetry import catalogue

PAGES = ("models.md", "models.zh-CN.md")

pytestmark = needs_docs


def blocks(text: str) -> list[tuple[str, str]]:
    """(language, text) of each."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_config_is_one(tmp_path: Path) -> None:
    [block] = [text for kind, text in blocks(text_of(PAGES[0])) if kind == "yaml"]
    path = tmp_path / "pointsman.yaml"
    path.write_text(block, encoding="utf-8")
    config = load(path, None, {}).draft
    assert list(wrong_residency(config)) == []
    assert yaml.safe_load(block)["memory"]["budget"] == config.memory.budget


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_there_is(page: str) -> None:
    text = text_of(page)
    for name in set(re.findall(r"`pointsman_(\w+)", text)):
        assert re.sub(r"_total$", "", name) in catalogue.FAMILIES, name
    for name in (*Load.__struct_fields__, *get_args(Stage)):
        assert f"`{name}`" in text, name
    for name in Memory.__struct_fields__:
        assert f"`memory.{name}`" in text, name
    verbs = set(re.findall(r"^pointsman models (\w+)", text, re.MULTILINE))
    assert verbs and verbs <= set(VERBS)
