"""docs/console-rules.md in both languages: what it shows loads, and its numbers are the code's."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.pages import blocks, needs_docs, text_of
from pointsman.config.load import load
from pointsman.console.rules.rows import MOST
from pointsman.console.rules.told import NEWEST

PAGES = ("console-rules.md", "console-rules.zh-CN.md")

pytestmark = needs_docs


def test_the_config_is_one(tmp_path: Path) -> None:
    [block] = blocks(text_of(PAGES[0]), "yaml")
    (tmp_path / "pointsman.yaml").write_text(block, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("", encoding="utf-8")
    loaded = load(tmp_path / "pointsman.yaml", None, {})
    assert loaded.problems == () and loaded.config.rules.files == ["./rules.yaml"]


@pytest.mark.parametrize("page", PAGES)
def test_its_numbers_are_those_of_the_code(page: str) -> None:
    text = text_of(page)
    assert f"{NEWEST:,}" in text and str(MOST) in text
