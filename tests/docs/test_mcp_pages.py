"""What docs/actions/mcp.md and docs/mcp-server.md show, in both languages: configs load, rules hold, links lead on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from docs.pages import blocks, needs_docs, text_of
from pointsman.config.load import load
from pointsman.rules import compile_rules, failed_cases, parse_rules

PAGES = ("actions/mcp", "mcp-server")

pytestmark = needs_docs


@pytest.mark.parametrize("page", PAGES)
def test_what_a_client_is_configured_with(page: str) -> None:
    english, chinese = text_of(f"{page}.md"), text_of(f"{page}.zh-CN.md")
    for text in (english, chinese):
        for block in blocks(text, "json"):
            assert "pointsman" in json.loads(block)["mcpServers"]


def test_the_config_loads_and_its_rules_hold(tmp_path: Path) -> None:
    config, rules = blocks(text_of("actions/mcp.md"), "yaml")
    parsed = parse_rules(yaml.safe_load(rules), pack="docs")
    assert [str(case.problem) for case in failed_cases(compile_rules(parsed), parsed)] == []
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    (tmp_path / "pointsman.yaml").write_text(config, encoding="utf-8")
    assert not load(tmp_path / "pointsman.yaml", None, {"TRACKER_KEY": "k"}).problems
