"""The three forms of a dimension's values, what is said of a mistake in each, and what `check` asks the source."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pointsman.app.build import build, check_sources
from pointsman.config.load import load
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.report import DimensionSpec, DimensionValue, ValuesFrom
from pointsman.domain.said import in_zh

CONFIG = """\
rules: {{packs: [builtin:report-export]}}
server: {{data_dir: ./data}}
sources: {{shop: {{url: "sqlite:///shop.sqlite"}}}}
reports:
  orders:
    source: shop
    table: orders
    time: day
    measures: {{amount: {{}}}}
    dimensions:
      city: {{column: town, values: {values}}}
"""
PATH = "reports.orders.dimensions.city.values"
WAYS = "a list, a query {table, column, words}, or from_source: a query with its defaults"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.execute("create table orders (day text, town text, amount real)")
        database.execute("create table regions (name text, name_en text)")
        database.execute("insert into orders values ('2026-11-01', '苏州', 5)")
        database.execute("insert into regions values ('苏州', 'Suzhou')")
    return tmp_path


def dimension(folder: Path, values: str) -> DimensionSpec:
    return build(load(_written(folder, values), None, {})).policy.document.reports[0].dimensions[0]


def problems(folder: Path, values: str, *, check: bool = False) -> list[Problem]:
    with pytest.raises(Problems) as caught:
        built = build(load(_written(folder, values), None, {}))
        if check:
            check_sources(built)
    return caught.value.problems


def _written(folder: Path, values: str) -> Path:
    path = folder / "pointsman.yaml"
    path.write_text(CONFIG.format(values=values), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("values", "asked", "words"),
    [
        ("from_source", ValuesFrom("orders", "town"), ()),
        ("{}", ValuesFrom("orders", "town"), ()),
        ("{table: regions, column: name}", ValuesFrom("regions", "name"), ()),
        ("{table: regions, column: name, words: [name_en]}", ValuesFrom("regions", "name", ("name_en",)), ("Suzhou",)),
        ("{words: [amount]}", ValuesFrom("orders", "town", ("amount",)), ("5.0",)),
    ],
)
def test_a_query_and_its_defaults(values: str, asked: ValuesFrom, words: tuple[str, ...], shop: Path) -> None:
    found = dimension(shop, values)
    assert found.values_from == asked and found.values == (DimensionValue("苏州", words),)


def test_a_list_asks_nothing(shop: Path) -> None:
    found = dimension(shop, "[{value: 苏州, words: [姑苏]}]")
    assert found.values_from is None and found.values == (DimensionValue("苏州", ("姑苏",)),)


@pytest.mark.parametrize(
    ("values", "path", "en", "zh", "valid"),
    [
        (
            "{tabel: x}",
            f"{PATH}.tabel",
            'unknown key, did you mean "table"?',
            "不认识的键，是不是“table”？",
            "table, column, words",
        ),
        ("nonsense", PATH, "'nonsense' is not one of them", "'nonsense' 不是可用的值", WAYS),
        (
            "from_sorce",
            PATH,
            "'from_sorce' is not one of them, did you mean \"from_source\"?",
            "'from_sorce' 不是可用的值，是不是“from_source”？",
            WAYS,
        ),
        (
            "5",
            PATH,
            "must be a list of mappings or a mapping or 'from_source', not a number",
            "必须是映射列表或映射或'from_source'，而不是数字",
            WAYS,
        ),
        ("{words: name_en}", f"{PATH}.words", "expected array, got str ('name_en')", "必须是列表", None),
        ("{words: ['']}", f"{PATH}.words[0]", "expected str of length >= 1 ('')", "长度必须不小于 1", None),
        ("{table: [x]}", f"{PATH}.table", "expected str, got array", "必须是文本，而不是列表", None),
        ("[{vale: x}]", f"{PATH}[0].vale", "unknown key", "不认识的键", "value, words"),
        ("[x]", f"{PATH}[0]", "must be a mapping, not text", "必须是映射，而不是文本", "value, words"),
    ],
)
def test_mistakes_name_their_place(values: str, path: str, en: str, zh: str, valid: str | None, shop: Path) -> None:
    found = next(problem for problem in problems(shop, values) if problem.path == path)
    assert en in found.message and zh in in_zh(found.message) and found.where.endswith("pointsman.yaml:11")
    if valid is not None:
        assert found.valid == valid
        assert "列表、查询" in in_zh(found.valid) if valid == WAYS else in_zh(found.valid) == valid


@pytest.mark.parametrize(
    ("values", "en", "zh"),
    [
        ("{table: region}", 'no table "region", did you mean "regions"', "没有名为“region”的表"),
        ("{table: regions}", 'regions: there is no column "town" (there are: name, name_en)', "没有名为“town”的列"),
        ("{table: regions, column: name, words: [en]}", 'no column "en"', "没有名为“en”的列"),
        ("{words: [name_en]}", 'orders: there is no column "name_en"', "表“orders”里没有名为“name_en”的列"),
    ],
)
def test_check_finds_what_the_source_lacks(values: str, en: str, zh: str, shop: Path) -> None:
    [problem] = problems(shop, values, check=True)
    assert problem.path == "reports.orders" and en in problem.message and zh in in_zh(problem.message)
    built = build(load(_written(shop, values), None, {}))  # serving goes on without the values, and says so
    assert any(en in note for note in built.unread) and built.policy.document.reports[0].dimensions[0].values == ()
