"""docs/console-rules.md in both languages: they say the same, and what they show loads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.test_console_page import DOCS, blocks, text_of
from pointsman.config.load import load
from pointsman.console.rules.rows import MOST
from pointsman.console.rules.told import NEWEST

PAGES = ("console-rules.md", "console-rules.zh-CN.md")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def test_both_languages_say_the_same() -> None:
    english, chinese = map(text_of, PAGES)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^\d\. ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    assert blocks(english) == blocks(chinese)
    assert len({frozenset(re.findall(r"`[^`\n]+`", text)) for text in (english, chinese)}) == 1


def test_the_config_is_one(tmp_path: Path) -> None:
    [block] = [text for kind, text in blocks(text_of(PAGES[0])) if kind == "yaml"]
    (tmp_path / "pointsman.yaml").write_text(block, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text("", encoding="utf-8")
    loaded = load(tmp_path / "pointsman.yaml", None, {})
    assert loaded.problems == () and loaded.config.rules.files == ["./rules.yaml"]


@pytest.mark.parametrize("page", PAGES)
def test_its_numbers_are_those_of_the_code(page: str) -> None:
    text = text_of(page)
    assert f"{NEWEST:,}" in text and str(MOST) in text
