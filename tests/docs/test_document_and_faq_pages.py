"""What docs/actions/document.md and faq.md show, in both languages: configs load, rules hold, tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pointsman.rules import compile_rules, failed_cases, parse_rules

DOCS = Path(__file__).resolve().parents[2] / "docs" / "actions"
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["document", "faq"])
def test_what_it_shows_loads(name: str, tmp_path: Path) -> None:
    blocks = BLOCK.findall(text_of(f"{name}.md"))
    assert blocks
    for block in sorted(blocks, key=lambda block: not block.startswith("# rules")):
        written = yaml.safe_load(block)
        if isinstance(written, list):
            rules = parse_rules(written, pack="docs")
            assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []
            (tmp_path / "rules.yaml").write_text(block, encoding="utf-8")
        else:
            path = tmp_path / "pointsman.yaml"
            path.write_text(block, encoding="utf-8")
