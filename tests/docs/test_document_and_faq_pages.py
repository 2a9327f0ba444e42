"""What docs/actions/document.md and faq.md show, in both languages: configs load, rules hold, tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pointsman.rules import compile_rules, failed_cases, parse_rules

DOCS = Path(__file__).resolve().parents[2] / "docs" / "actions"
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["document", "faq"])
def test_both_languages_show_the_same(name: str, tmp_path: Path) -> None:
    english, chinese = text_of(f"{name}.md"), text_of(f"{name}.zh-CN.md")
    blocks = BLOCK.findall(english)
    assert blocks and BLOCK.findall(chinese) == blocks
    prose = [CODE.sub("", text) for text in (english, chinese)]
    for pattern in (r"^#+ ", r"^\|", r"^- "):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in prose}) == 1, pattern
    keys = [set(re.findall(r"^\| `([a-z_]+)`", text, re.MULTILINE)) for text in prose]
    assert keys[0] == keys[1]
    for block in sorted(blocks, key=lambda block: not block.startswith("# rules")):
        written = yaml.safe_load(block)
        if isinstance(written, list):
            rules = parse_rules(written, pack="docs")
            assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []
            (tmp_path / "rules.yaml").write_text(block, encoding="utf-8")
        else:
            path = tmp_path / "pointsman.yaml"
            path.write_text(block, encoding="utf-8")
