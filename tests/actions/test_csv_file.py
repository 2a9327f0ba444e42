"""CSV: every row, and nothing that a spreadsheet would run."""

from __future__ import annotations

import codecs
import csv
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.orders import LAST_FRIDAY, ORDERS, SHANGHAI, SOME, Make, simple_plan, simple_spec, sqlite_file
from pointsman.actions.report import csv_file
from pointsman.actions.report.cells import RISKY, csv_row, safe_text
from pointsman.domain.report import DimensionSpec, Filter, ReportPlan, ReportSpec, Titles

Sql = Callable[..., list[tuple[Any, ...]]]


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_every_row_of_the_demo(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    plan = ReportPlan("sales", "csv", LAST_FRIDAY, (Filter("region", ("华东",), ("华东区",)),), language="zh")
    path, file = make(plan, demo_specs["sales"])
    assert path.read_bytes().startswith(codecs.BOM_UTF8)
    head, *rows = rows_of(path)
    assert head == ["日期", "地区", "门店", "品类", "产品", "渠道", "销量", "销售额", "毛利"]
    expected = demo_sql(
        "SELECT count(*), sum(amount), sum(quantity) FROM sales WHERE sold_on = '2026-11-20' AND region = '华东'"
    )[0]
    assert file.rows == len(rows) == expected[0]
    assert sum(float(row[7]) for row in rows) == pytest.approx(expected[1], abs=0.001)
    assert file.totals["amount"] == pytest.approx(expected[1], abs=0.001)
    assert file.totals["quantity"] == expected[2] == sum(int(row[6]) for row in rows)
    assert {row[1] for row in rows} == {"华东"}
    assert file.notice is None
    english = rows_of(make(ReportPlan("sales", "csv", LAST_FRIDAY), demo_specs["sales"])[0])[0]
    assert english[:3] == ["Date", "Region", "Store"]


def test_more_rows_than_the_cap(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_file, "MAX_ROWS", 2)
    source = sqlite_file(tmp_path / "shop.sqlite", ORDERS, SOME)
    path, file = make(simple_plan(), simple_spec(), source)
    assert rows_of(path)[1:] == [["2026-03-01", "华东", "10.5"], ["2026-03-02", "华北", "20.25"]]
    assert (file.rows, file.totals) == (3, {"amount": 27.0})
    assert file.notice is not None and "first 2 of 3 rows" in file.notice
    assert "前 2 行，共 3 行" in str(make(simple_plan(language="zh"), simple_spec(), source)[1].notice)


def test_rows_stop_when_time_is_short(tmp_path: Path) -> None:
    rows = [("2026-01-01", "a", 1.0)] * 10_000
    spec, names = simple_spec(), ["sold_on", "region", "amount"]
    path = tmp_path / "file.csv"
    notice = csv_file.write_csv(path, spec, simple_plan(), names, rows, 10_000, SHANGHAI, lambda: True)
    written = len(rows_of(path)) - 1
    assert 0 < written < 10_000
    assert f"first {written:,} of 10,000" in str(notice)


HOSTILE = [
    "=cmd|'/C calc'!A0",
    '=HYPERLINK("http://evil.example","x")',
    "+1",
    "-1+1|cmd",
    "@SUM(A1:A9)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\u3000=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(1)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_never_a_formula(text: str, make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "shop.sqlite", ORDERS, [("2026-03-01", text, 1.0)])
    path, _ = make(simple_plan(), simple_spec(), source)
    assert rows_of(path)[1][1] == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "-12.50", "5", "a=b", "华东", "", "'", "x\ty", "-", "http://example.org"])
def test_harmless_texts_stay(text: str) -> None:
    assert safe_text(text) == (text if text != "-" else "'-")


@given(st.text())
def test_no_text_begins_dangerously(text: str) -> None:
    cell = csv_row([text], SHANGHAI)[0]
    assert cell == safe_text(text) and cell.endswith(text)
    begins = cell.lstrip()[:1]
    if begins in RISKY and begins:
        assert begins == "-" and cell[1:].replace(".", "", 1).isdigit()


def test_other_kinds_of_cells() -> None:
    import decimal

    moment = datetime.datetime(2026, 5, 1, 20, 30, tzinfo=datetime.UTC)
    row = [None, True, -3, -2.5, decimal.Decimal("1E+3"), b"\x00\xff", datetime.date(2026, 5, 1), moment]
    assert csv_row(row, SHANGHAI) == [
        None,
        True,
        -3,
        -2.5,
        "1000",
        "0x00ff",
        "2026-05-01",
        "2026-05-02 04:30:00",
    ]


def test_heads_from_the_database_are_texts_too(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(
        tmp_path / "shop.sqlite",
        'CREATE TABLE orders (sold_on DATE, region TEXT, amount REAL, "=1+1" TEXT); '
        "INSERT INTO orders VALUES ('2026-03-01', 'x', 1, 'y')",
    )
    spec = simple_spec(dimensions=(DimensionSpec("region", Titles("地区", "@Region"), "region"),))
    assert rows_of(make(simple_plan(), spec, source)[0])[0] == ["Date", "'@Region", "Amount", "'=1+1"]
