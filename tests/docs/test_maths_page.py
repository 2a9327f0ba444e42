"""What docs/actions/maths.md shows, in both languages: its rule holds, examples are read, replies are what is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from docs.pages import DOCS, blocks, needs_docs
from pointsman.actions.child import Room
from pointsman.calculation import read
from pointsman.config.action_schema.maths import Maths
from pointsman.config.load import load
from pointsman.domain.said import Tongue
from pointsman.rules import compile_rules, failed_cases, parse_rules

NAMES = ("maths.md", "maths.zh-CN.md")

pytestmark = needs_docs


def text_of(name: str) -> str:
    return (DOCS / "actions" / name).read_text(encoding="utf-8")


def test_the_config_loads_and_its_rule_holds(tmp_path: Path) -> None:
    config, rules = blocks(text_of(NAMES[0]), "yaml")
    parsed = parse_rules(yaml.safe_load(rules), pack="docs")
    assert [str(case.problem) for case in failed_cases(compile_rules(parsed), parsed)] == []
    (tmp_path / "pointsman.yaml").write_text(config, encoding="utf-8")
    assert not load(tmp_path / "pointsman.yaml", None, {}).problems


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_in_the_table_and_every_example_is_read(name: str) -> None:
    text = text_of(name)
    rows = re.findall(r"^\|.*$", text, re.MULTILINE)
    for key in Maths.__struct_fields__:
        assert any(row.startswith(f"| `{key}`") for row in rows), key
    section = text.split("\n## ")[1]
    examples = [one for row in re.findall(r"^\|.*$", section, re.MULTILINE) for one in re.findall(r"`([^`]+)`", row)]
    assert len(examples) > 25
    for example in examples:
        if example not in ("化简", "因式分解", "展开", "factor"):
            read(example)


@pytest.mark.parametrize(
    ("name", "tongue", "question"),
    [(NAMES[0], "en", "solve x^2 - 5x + 6 = 0"), (NAMES[1], "zh", "解方程 x^2 - 5x + 6 = 0")],
)
def test_the_reply_is_what_is_said(name: str, tongue: Tongue, question: str, tmp_path: Path) -> None:
    pytest.importorskip("sympy")
    pytest.importorskip("ziamath")
    from pointsman.actions.maths.child import calculate
    from pointsman.actions.maths.job import MathsTask
    from pointsman.actions.maths.told import text_of as told

    [shown] = re.findall(r"^````\n(.*?)^````$", text_of(name), re.DOTALL | re.MULTILINE)
    assert question in text_of(name)
    made = calculate(MathsTask(read(question), tongue, True, False), Room(tmp_path, 60))
    assert told(made, tongue, None) == shown.strip()
