"""Every rule of every pack that ships runs its own cases, alone and with all packs together."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import pointsman.packs
from pointsman.domain.rule import Rule
from pointsman.rules import compile_rules, duplicate_ids, failed_cases, parse_rules
from pointsman.rules.cases import plain_features

FOLDERS = sorted(path.parent for path in Path(pointsman.packs.__file__).parent.glob("*/rules.yaml"))


def load(folder: Path) -> tuple[Rule, ...]:
    text = (folder / "rules.yaml").read_text(encoding="utf-8")
    return parse_rules(yaml.safe_load(text), pack=folder.name, source=str(folder.name))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_cases_hold(folder: Path) -> None:
    rules = load(folder)
    assert all(rule.examples and rule.counter_examples for rule in rules)
    assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []


def test_packs_live_together() -> None:
    rules = [rule for folder in FOLDERS for rule in load(folder)]
    assert duplicate_ids(rules) == []
    assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_card_of_a_pack(folder: Path) -> None:
    card = yaml.safe_load((folder / "pack.yaml").read_text(encoding="utf-8"))
    assert set(card) == {"name", "version", "guard", "summary"}
    assert card["name"] == folder.name
    assert isinstance(card["guard"], bool)
    assert set(card["summary"]) == {"zh", "en"}


@pytest.mark.parametrize(
    "text",
    [
        *("ok, now explain why", "this", "是的", "yes", "2", "画重点", "draw a conclusion", "draw up a plan", "计划"),
        *("write a function that resets a password", "如何设计密码重置流程", "帮我写一首诗", "今天天气怎么样"),
        *("What is the capital of France?", "动画电影有哪些", "select a gift for my mother"),
    ],
)
def test_ordinary_requests_go_to_the_model(text: str) -> None:
    ruleset = compile_rules([rule for folder in FOLDERS for rule in load(folder)])
    assert ruleset.match(text, plain_features(text), entry="auto", endpoint="chat", role=None) is None


def test_small_talk_leaves_answers_tools_and_images_alone() -> None:
    folder = next(folder for folder in FOLDERS if folder.name == "smalltalk")
    for rule in load(folder):
        conditions = rule.conditions
        assert (conditions.asked, conditions.tools, conditions.images, conditions.structured) == (False,) * 4
        assert all(term.kind == "whole" for group in rule.groups for term in group.terms)
