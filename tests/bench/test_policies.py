"""Random rules mean the same in each form, and the ways to decide them agree."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import pointsman.bench
from pointsman.bench.axes import AXES, Point
from pointsman.bench.policies import as_rules, as_yaml_rules, hopeless, random_rules, random_texts
from pointsman.bench.starts import pointsman as start_pointsman
from pointsman.config.load import load
from pointsman.domain.features import Features
from pointsman.rules import RuleSet, compile_rules, parse_rules

FEATURES = Features(10, 10, 10, "zh", 1, False, False, False, 0, False, False, None, "none")
DECIDERS = Path(pointsman.bench.__file__).with_name("peers") / "deciders.py"


def decided(compiled: RuleSet, text: str) -> str | None:
    hit = compiled.match(text, FEATURES, entry="auto", endpoint="chat", role=None)
    return hit.rule.id if hit else None


def test_the_same_each_time() -> None:
    assert random_rules(20) == random_rules(20)
    words = random_rules(20)[1]
    assert random_texts(3, 200, words) == random_texts(3, 200, words)
    assert all(len(text) == 200 for text in random_texts(3, 200, words))


def test_as_written_in_a_file_they_decide_the_same() -> None:
    rules, words = random_rules(60)
    direct, read = compile_rules(as_rules(rules)), compile_rules(parse_rules({"rules": as_yaml_rules(rules)}, pack="b"))
    texts = random_texts(200, 1500, words)
    found = [decided(direct, text) for text in texts]
    assert [decided(read, text) for text in texts] == found
    assert 20 < sum(name is not None for name in found) < 200


def test_the_naive_loop_agrees() -> None:
    rules, words = random_rules(80)
    rules.sort(key=lambda rule: -rule.priority)
    texts = random_texts(200, 1000, words)
    task = json.dumps({"rules": [asdict(rule) for rule in rules], "texts": texts, "seconds": 60})
    done = subprocess.run([sys.executable, DECIDERS, "naive"], input=task, capture_output=True, text=True, check=True)
    compiled = compile_rules(as_rules(rules))
    assert json.loads(done.stdout)["decisions"] == [decided(compiled, text) for text in texts]


def test_long_texts_have_no_winner() -> None:
    for name, rules, text in hopeless(3000):
        assert len(text) == 3000
        assert decided(compile_rules(as_rules(rules)), text) is None, name


@pytest.mark.parametrize("axis", AXES)
def test_a_config_of_each_axis_is_one(axis: str, tmp_path: Path) -> None:
    size = AXES[axis].quick[-1]
    point: Point = AXES[axis].point(size)
    start_pointsman([], point.sections, [], 1, 2, tmp_path)
    config = load(tmp_path / "pointsman.yaml", env={})
    assert config.config.fallback.target == "medium"
    assert not config.problems
    if axis == "rules":
        assert sum(len(file.source.data["rules"]) for file in config.rules) == size
    if axis == "body":
        assert point.body is not None and size - 3 <= len(point.body) <= size
