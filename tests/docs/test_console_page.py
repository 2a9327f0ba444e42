"""docs/console.md in both languages: what it shows loads, and what it names there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import blocks, needs_docs, text_of
from pointsman.config.console_schema import Console
from pointsman.config.load import load
from pointsman.console.pages.requests import FILTERS
from pointsman.console.visit import Visit, Who

PAGES = ("console.md", "console.zh-CN.md")

pytestmark = needs_docs


def test_the_config_is_one(tmp_path: Path) -> None:
    [block] = blocks(text_of(PAGES[0]), "yaml")
    path = tmp_path / "pointsman.yaml"
    path.write_text(block, encoding="utf-8")
    config = load(path, None, {}).draft
    assert [(key.admin, key.console) for key in config.auth.keys] == [(True, None), (False, "read")]


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_there_is(page: str) -> None:
    text = text_of(page)
    assert set(re.findall(r"`console\.(\w+)`", text)) == set(Console.__struct_fields__)
    named = set(re.findall(r"`(caller|error|task_type|language|intent|mark|shadow)`", text))
    assert named == set(FILTERS) - {"rule", "target", "outcome", "model"}


def test_visits_are_told_apart_by_right() -> None:
    """What the page says of `console: read`."""
    visit = Visit(method="POST", path="/ui", who=Who(name="desk", may_change=False, by_key=True), tongue="en")
    with pytest.raises(Exception, match="may only look"):
        visit.must_change()
