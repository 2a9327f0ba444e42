"""Rules in the flat form, as they stand."""

from __future__ import annotations

import pytest
import yaml

from flat_rules import FLAT_RULES
from pointsman.rules import compile_rules, parse_rules
from pointsman.rules.cases import plain_features

RULES = parse_rules(yaml.safe_load(FLAT_RULES), pack="article", source="rules.yaml")
RULESET = compile_rules(RULES)


def winner(text: str) -> str | None:
    hit = RULESET.match(text, plain_features(text), entry="auto", endpoint="chat", role=None)
    return hit and hit.rule.id


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("导出昨天的报表PDF", "export_pdf"),
        ("请生成本周的销售报表", "export_pdf"),
        ("把Q1的文档导出来", "export_pdf"),
        ("检查 main.py 里的漏洞", "code_review"),
        ("Please review app.js for a bug", "code_review"),
    ],
)
def test_hits(text: str, rule: str) -> None:
    assert winner(text) == rule


@pytest.mark.parametrize(
    "text",
    ["今天生成一首诗", "不要导出昨天的报表PDF", "this debugging guide", "review the bug in data.json", "导出报表PDF"],
)
def test_misses(text: str) -> None:
    assert winner(text) is None


def test_what_the_flat_form_means() -> None:
    export, review = RULES
    assert [(group.name, group.at_least, len(group.terms)) for group in export.groups] == [
        ("pattern", 2, 5),
        ("time", 1, 8),
    ]
    assert {term.kind for term in review.groups[1].terms} == {"extension"}
    assert (export.action, export.priority, export.negatable) == ("export_pdf", 95, True)
