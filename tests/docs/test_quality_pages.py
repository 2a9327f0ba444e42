"""What docs/routing says of feedback and of eval sets, in both languages: configs and lines load, commands are known, tables
are complete."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec
import pytest

from docs.pages import blocks
from pointsman.app.quality import feedback_rules
from pointsman.bench.quality.checkers import _KINDS
from pointsman.bench.quality.eval_set import _FIELDS, read_set
from pointsman.cli.bench import declare as declare_bench
from pointsman.cli.quality import declare as declare_quality
from pointsman.config.load import load
from pointsman.domain.feedback import Word
from pointsman.routing.feedback import FeedbackRules, grade_of

DOCS = Path(__file__).resolve().parents[2] / "docs" / "routing"
PAGES = ("feedback", "eval-set")

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def texts(page: str) -> tuple[str, str]:
    english, chinese = ((DOCS / f"{page}{ending}").read_text(encoding="utf-8") for ending in (".md", ".zh-CN.md"))
    return english, chinese


@pytest.mark.parametrize("page", PAGES)
def test_configs_load(page: str, tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    for block in blocks(texts(page)[0], "yaml"):
        path.write_text(block, encoding="utf-8")
        assert load(path, None, {}).problems == ()


def test_lines_of_a_set_load(tmp_path: Path) -> None:
    [lines] = blocks(texts("eval-set")[0], "json")
    (tmp_path / "set.jsonl").write_text(lines, encoding="utf-8")
    tasks = read_set(str(tmp_path / "set.jsonl"))
    assert len(tasks.tasks) == 3 and tasks.judged


def test_commands_are_known() -> None:
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest="verb")
    declare_bench(verbs.add_parser("bench"))
    declare_quality(verbs.add_parser("quality"))
    found = [line for page in PAGES for line in texts(page)[0].splitlines()]
    commands = [line.split()[1:] for line in found if line.startswith("pointsman ")]
    assert len(commands) == 8
    for command in commands:
        parser.parse_args(command)


@pytest.mark.parametrize("language", [0, 1])
def test_tables_are_complete(language: int) -> None:
    page = texts("eval-set")[language]
    for name in (*_KINDS, *_FIELDS):
        assert f"`{name}`" in page, name
    page, rules = texts("feedback")[language], FeedbackRules()
    assert all(f"`{name}`" in page for name in ("rating", "adopted", "edited", "retried", "asked_again", "hung_up"))
    weights = re.findall(r"\| ([\d.]+) \| `(\w+)` \|$", page, re.MULTILINE)
    assert len(weights) == 7 and all(float(weight) == getattr(rules, name) for weight, name in weights)


def test_the_defaults_are_those_of_the_estimator(tmp_path: Path) -> None:
    (tmp_path / "pointsman.yaml").write_text("{}")
    assert feedback_rules(load(tmp_path / "pointsman.yaml", None, {}).config) == FeedbackRules()
    edited = Word(0, "a", "m", None, None, True, True, False)
    assert grade_of(edited, FeedbackRules())[0] == 0.75
    assert msgspec.structs.asdict(FeedbackRules())["half_life"] == 14.0
