"""What docs/actions/sql.md and http.md show, in both languages: configs load, rules hold, tables are complete, replies are
what is really said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from docs.pages import DOCS, blocks, needs_docs
from pointsman.actions.child import Room
from pointsman.actions.http.spec import spec_of
from pointsman.actions.specs import Surroundings
from pointsman.actions.sql.child import examine
from pointsman.actions.sql.job import Task
from pointsman.actions.sql.told import text_of as told
from pointsman.config.action_schema.http import Http
from pointsman.config.action_schema.sql import Sql
from pointsman.config.load import load
from pointsman.domain.said import Tongue
from pointsman.rules import compile_rules, failed_cases, parse_rules

PAGES = ("sql", "http")

pytestmark = needs_docs


def text_of(name: str) -> str:
    return (DOCS / "actions" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_config_loads_and_its_rules_hold(page: str, tmp_path: Path) -> None:
    config, rules = blocks(text_of(f"{page}.md"), "yaml")
    parsed = parse_rules(yaml.safe_load(rules), pack="docs")
    assert [str(case.problem) for case in failed_cases(compile_rules(parsed), parsed)] == []
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    (tmp_path / "pointsman.yaml").write_text(config, encoding="utf-8")
    loaded = load(tmp_path / "pointsman.yaml", None, {"STOCK_TOKEN": "t"})
    assert not loaded.problems
    for name, given in loaded.draft.actions.items():
        if given.http is not None:
            assert spec_of(name, given, Surroundings(loaded.draft, tmp_path)).required == ("sku",)


@pytest.mark.parametrize(("page", "section"), [("sql", Sql), ("http", Http)])
def test_every_key_is_in_the_table(page: str, section: type) -> None:
    for text in (text_of(f"{page}.md"), text_of(f"{page}.zh-CN.md")):
        rows = " ".join(re.findall(r"^\| (`[^|]*)", text, re.MULTILINE))
        for key in section.__struct_fields__:  # type: ignore[attr-defined]
            assert f"`{key}`" in rows, key


@pytest.mark.parametrize(("name", "tongue"), [("sql.md", "en"), ("sql.zh-CN.md", "zh")])
def test_the_reply_is_what_is_said(name: str, tongue: Tongue, tmp_path: Path) -> None:
    text = text_of(name)
    [shown] = re.findall(r"^````\n(.*?)^````$", text, re.DOTALL | re.MULTILINE)
    sql = "SELECT region, sum(amount) FROM sales WHERE region = '华东' OR region = '华南' GROUP BY region"
    assert sql in text
    found = examine(Task(sql=sql, source="demo", demo=str(tmp_path), today="2026-11-30"), Room(tmp_path, 60))
    assert told(found, "", tongue) == shown.strip()
