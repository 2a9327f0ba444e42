"""docs/console-pages.md in both languages: it names pages that there are."""

from __future__ import annotations

import re

import pytest

from docs.pages import needs_docs, text_of
from pointsman.console.shell import PLACES

PAGES = ("console-pages.md", "console-pages.zh-CN.md")

pytestmark = needs_docs


@pytest.mark.parametrize("page", PAGES)
def test_its_pages_are_in_the_menu(page: str) -> None:
    named = set(re.findall(r"`(/ui/\w+)`", text_of(page)))
    assert named <= {place.path for place in PLACES} and len(named) == 7
