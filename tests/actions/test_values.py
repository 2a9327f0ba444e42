"""Values of a dimension and their synonyms, read by a query of their own: another table, merged rows, any text."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from actions.orders import NOW, ORDERS, SOME, runner_in, simple_plan, simple_spec, sqlite_file
from pointsman.actions.report.runner import ReportRunner
from pointsman.actions.report.settings import SourceSettings
from pointsman.actions.report.values import LONGEST, MAX_WORDS, values_of_rows
from pointsman.domain.report import DimensionSpec, DimensionValue, ReportSpec, Titles, ValuesFrom
from pointsman.domain.said import in_zh
from pointsman.ports.action import ActionFailed

REGIONS = """
CREATE TABLE regions (name TEXT, name_en TEXT, short_name TEXT);
CREATE VIEW in_use AS SELECT DISTINCT region AS name, '区' AS short_name FROM orders;
"""


@pytest.fixture
def runner(tmp_path: Path) -> ReportRunner:
    return runner_in(tmp_path)


@pytest.fixture
def shop(tmp_path: Path) -> SourceSettings:
    source = sqlite_file(tmp_path / "shop.sqlite", ORDERS + REGIONS, SOME)
    rows = [
        ("华东", "East China", "东区"),
        ("华东", "East", "东区、沪宁杭"),
        ("华北", None, ""),
        ("华南", " South  China ", "华南, S，粤桂琼;South China；S|"),
        (None, "nowhere", "x"),
        ("  ", "blank", "x"),
    ]
    with contextlib.closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database:
        database.executemany("INSERT INTO regions VALUES (?, ?, ?)", rows)
        database.commit()
    return source


def asking(table: str, column: str, *words: str) -> ReportSpec:
    asked = ValuesFrom(table, column, words)
    return simple_spec(dimensions=(DimensionSpec("region", Titles("地区", "Region"), "region", values_from=asked),))


async def test_another_table_with_two_columns_of_synonyms(runner: ReportRunner, shop: SourceSettings) -> None:
    read = await runner.values_of(shop, asking("regions", "name", "name_en", "short_name"), NOW)
    assert {value.value: set(value.words) for value in read["region"]} == {
        "华东": {"East China", "East", "东区", "沪宁杭"},
        "华北": set(),
        "华南": {"South China", "S", "粤桂琼"},
    }


async def test_a_view_and_the_report_s_own_table(runner: ReportRunner, shop: SourceSettings) -> None:
    read = await runner.values_of(shop, asking("in_use", "name", "short_name"), NOW)
    assert read["region"] == (DimensionValue("华东", ("区",)), DimensionValue("华北", ("区",)))
    read = await runner.values_of(shop, asking("orders", "region", "region", "sold_on"), NOW)
    assert {value.value: value.words for value in read["region"]} == {
        "华东": ("2026-03-01", "2026-04-01"),
        "华北": ("2026-03-02",),
    }


@pytest.mark.parametrize(
    ("spec", "en", "zh"),
    [
        (
            asking("region", "name"),
            'no table "region", did you mean "regions"',
            "没有名为“region”的表，是不是“regions”",
        ),
        (
            asking("regions", "nam"),
            'regions: there is no column "nam", did you mean "name"',
            "表“regions”里没有名为“nam”",
        ),
        (asking("regions", "name", "en"), "(there are: name, name_en, short_name)", "现有：name、name_en、short_name"),
    ],
)
async def test_what_is_not_there(
    spec: ReportSpec, en: str, zh: str, runner: ReportRunner, shop: SourceSettings
) -> None:
    with pytest.raises(ActionFailed) as caught:
        await runner.values_of(shop, spec, NOW)
    assert caught.value.code == "schema" and en in caught.value.message and zh in in_zh(caught.value.message)
    assert (await runner.run(simple_plan(), spec, shop, NOW)).rows == 3  # a report that needs none is still made


def test_text_of_the_database_is_only_text() -> None:
    rows: list[tuple[Any, ...]] = [
        ("苏州", ".*", "<b>苏</b>", "= 1+1", "x" * 10_000, "\0\1\2", "a\u200bb\tc"),
        ("杭\n州 ", 7, None, "、，", b"\x01", "Hang\nZhou", "  "),
        ("y" * (LONGEST + 1), "long", None, None, None, None, None),
    ]
    [suzhou, hangzhou] = values_of_rows(rows)
    assert suzhou == DimensionValue("苏州", (".*", "<b>苏</b>", "= 1+1", "a b c"))
    assert hangzhou == DimensionValue("杭\n州 ", ("杭 州", "7", "0x01", "Hang", "Zhou"))


def test_no_more_words_than_a_request_can_be_searched_for() -> None:
    many = values_of_rows([(f"v{n}", "、".join(f"w{n}-{m}" for m in range(1000))) for n in range(100)])
    assert len(many) == 100 and sum(len(value.words) for value in many) == MAX_WORDS
