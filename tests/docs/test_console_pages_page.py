"""docs/console-pages.md in both languages: they say the same, and name pages and settings that there are."""

from __future__ import annotations

import re

import pytest

from docs.test_console_page import DOCS, text_of
from pointsman.console.shell import PLACES

PAGES = ("console-pages.md", "console-pages.zh-CN.md")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def test_both_languages_say_the_same() -> None:
    english, chinese = map(text_of, PAGES)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    assert len({frozenset(re.findall(r"`[^`\n]+`", text)) for text in (english, chinese)}) == 1


@pytest.mark.parametrize("page", PAGES)
def test_its_pages_are_in_the_menu(page: str) -> None:
    named = set(re.findall(r"`(/ui/\w+)`", text_of(page)))
    assert named <= {place.path for place in PLACES} and len(named) == 7
