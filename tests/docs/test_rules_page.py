"""Every rule that docs/rules.md, and its Chinese twin, show loads and holds its own cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from docs.pages import DOCS, needs_docs
from pointsman.rules import compile_rules, failed_cases, missing_cases, parse_rules

PAGES = [DOCS / "rules.md", DOCS / "rules.zh-CN.md"]
BLOCK = re.compile(r"^```yaml\n(- id: .*?)^```$", re.DOTALL | re.MULTILINE)

pytestmark = needs_docs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_rules_of_the_page(page: Path) -> None:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert len(blocks) >= 8
    for block in blocks:
        written = yaml.safe_load(block)
        rules = parse_rules(written, pack="docs")
        assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []
        for rule, data in zip(rules, written, strict=True):
            assert "when" not in data or missing_cases(rule) is None, rule.id
