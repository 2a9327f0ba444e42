"""docs/guards.md and its Chinese twin: the same form, and configs that load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.config.load import load

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "guards.md", DOCS / "guards.zh-CN.md"]
CODE = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not PAGES[0].exists(), reason="the wheel is tested without the repository")


def test_both_languages_have_the_same_code_headings_tables_and_named_things():
    english, chinese = (page.read_text(encoding="utf-8") for page in PAGES)
    assert CODE.findall(english) == CODE.findall(chinese)
    for pattern in (r"^#+(?= )", r"^\| `\w+`", r"^- "):
        assert re.findall(pattern, english, re.MULTILINE) == re.findall(pattern, chinese, re.MULTILINE)
    assert set(re.findall(r"pointsman_\w+|x-[\w-]+", english)) == set(re.findall(r"pointsman_\w+|x-[\w-]+", chinese))


def test_the_configs_load(tmp_path: Path):
    blocks = CODE.findall(PAGES[0].read_text(encoding="utf-8"))
    assert len(blocks) >= 2
    for block in blocks:
        path = tmp_path / "pointsman.yaml"
        path.write_text(block, encoding="utf-8")
        assert load(path, {}, env={}).problems == ()
