"""What docs/actions/mcp.md and docs/mcp-server.md show, in both languages: configs load, rules hold, links lead on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from pointsman.config.load import load
from pointsman.rules import compile_rules, failed_cases, parse_rules

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("actions/mcp", "mcp-server")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_say_the_same(page: str) -> None:
    english, chinese = text_of(f"{page}.md"), text_of(f"{page}.zh-CN.md")
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    assert blocks(english, "yaml") == blocks(chinese, "yaml")
    for text in (english, chinese):
        for link in re.findall(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)", text):
            assert (DOCS / page).parent.joinpath(link).resolve().exists(), link
        for block in blocks(text, "json"):
            assert "pointsman" in json.loads(block)["mcpServers"]


def test_the_config_loads_and_its_rules_hold(tmp_path: Path) -> None:
    config, rules = blocks(text_of("actions/mcp.md"), "yaml")
    parsed = parse_rules(yaml.safe_load(rules), pack="docs")
    assert [str(case.problem) for case in failed_cases(compile_rules(parsed), parsed)] == []
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    (tmp_path / "pointsman.yaml").write_text(config, encoding="utf-8")
    assert not load(tmp_path / "pointsman.yaml", None, {"TRACKER_KEY": "k"}).problems
