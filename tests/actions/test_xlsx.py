"""XLSX, read back with another library."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actions.orders import (
    LAST_FRIDAY,
    LAST_QUARTER,
    ORDERS,
    SOME,
    Make,
    simple_plan,
    simple_spec,
    sqlite_file,
)
from pointsman.actions.report import xlsx
from pointsman.domain.report import DimensionSpec, Filter, MeasureSpec, ReportPlan, ReportSpec, Titles
from thorough import tries

Sql = Callable[..., list[tuple[Any, ...]]]


def opened(path: Path, *, values: bool = False) -> openpyxl.Workbook:
    return openpyxl.load_workbook(path, data_only=values)


def cells(sheet: Any) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


def row_of(sheet: Any, first: str) -> int:
    return next(row[0].row for row in sheet.iter_rows() if row[0].value == first)


def test_summary_formulas_charts_and_details(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    plan = ReportPlan("sales", "xlsx", LAST_QUARTER, (Filter("region", ("华东",), ("华东区",)),), ("store",), "zh")
    path, file = make(plan, demo_specs["sales"])
    book, values = opened(path), opened(path, values=True)
    assert book.sheetnames == ["汇总", "趋势", "明细"]
    where = "FROM sales WHERE sold_on >= '2026-07-01' AND sold_on < '2026-10-01' AND region = '华东'"
    expected = demo_sql(f"SELECT sum(amount), count(*), sum(quantity), sum(profit) {where}")[0]

    summary, shown = book["汇总"], values["汇总"]
    assert summary["A1"].value == "销售报表"
    facts = {row[0]: row[1] for row in cells(summary)[2:7]}
    assert facts["时间范围"] == "2026-07-01 周三 至 2026-09-30 周三（上季度）"
    assert facts["筛选条件"] == "地区：华东区"
    assert facts["生成时间"] == "2026-11-25 15:42 (UTC+08:00)"
    head, total = row_of(summary, "门店"), row_of(summary, "合计")
    assert [cell.value for cell in summary[head]][:5] == ["门店", "销售额（元）", "订单数", "销量（件）", "毛利（元）"]
    stores = {row[0].value: row[1].value for row in summary.iter_rows(head + 1, total - 1)}
    assert stores == pytest.approx(dict(demo_sql(f"SELECT store, sum(amount) {where} GROUP BY store")))
    for column, figure in zip("BCDE", expected, strict=True):
        assert summary[f"{column}{total}"].value == f"=SUM({column}{head + 1}:{column}{total - 1})"
        assert shown[f"{column}{total}"].value == pytest.approx(figure)
        assert sum(summary[f"{column}{row}"].value for row in range(head + 1, total)) == pytest.approx(figure)
    assert summary[f"B{total}"].number_format == "#,##0.00" and summary[f"C{total}"].number_format == "#,##0"
    assert len(summary._charts) == 2

    trend = cells(book["趋势"])
    assert len(trend) == 15 and sum(row[1] for row in trend[1:]) == pytest.approx(expected[0])

    details = book["明细"]
    assert details.freeze_panes == "A2"
    assert details.auto_filter.ref == f"A1:I{file.rows + 1}"
    rows = cells(details)
    assert rows[0][:3] == ["日期", "地区", "门店"]
    assert len(rows) - 1 == file.rows == expected[1]
    assert rows[1][0] == datetime.datetime(2026, 7, 1) and details["A2"].number_format == "yyyy-mm-dd"
    assert sum(row[7] for row in rows[1:]) == pytest.approx(expected[0])
    assert file.totals["amount"] == pytest.approx(expected[0]) and file.notice is None


def test_other_aggregates_have_fitting_formulas(make: Make, tmp_path: Path) -> None:
    measures = tuple(
        MeasureSpec(name, Titles(name, name), name, "amount", 2)  # type: ignore[arg-type]
        for name in ("sum", "count", "average", "minimum", "maximum")
    )
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    path, _ = make(simple_plan("xlsx"), simple_spec(measures=measures), source)
    summary = opened(path)["Summary"]
    total = row_of(summary, "Total")
    row = [cell.value for cell in summary[total]][1:6]
    assert [str(value).partition("(")[0] for value in row] == ["=SUM", "=SUM", "9", "=MIN", "=MAX"]
    shown = opened(path, values=True)["Summary"][total]
    assert [cell.value for cell in shown][1:6] == [27, 3, 9, -3.75, 20.25]


def test_one_day_has_no_trend(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    book = opened(make(ReportPlan("sales", "xlsx", LAST_FRIDAY, language="en"), demo_specs["sales"])[0])
    assert book.sheetnames == ["Summary", "Details"]
    assert len(book["Summary"]._charts) == 1


def test_caps_say_so(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MAX_ROWS", 4)
    monkeypatch.setattr(xlsx, "MAX_GROUPS", 2)
    rows = [("2026-03-01", f"r{n}", float(n)) for n in range(1, 6)]
    path, file = make(simple_plan("xlsx"), simple_spec(), sqlite_file(tmp_path / "s.sqlite", ORDERS, rows))
    assert file.notice is not None and "first 4 of 5 rows" in file.notice and "first 2 rows" in file.notice
    summary = opened(path, values=True)["Summary"]
    assert [row[:2] for row in cells(summary)[-4:]] == [["r5", 5], ["r4", 4], ["Others", 6], ["Total", 15]]
    assert file.notice in [row[1] for row in cells(summary)]
    assert len(cells(opened(path)["Details"])) == 5


def test_rows_stop_when_time_is_short(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.actions.report.make.XLSX_UNTIL", -1.0)
    rows = [("2026-03-01", "a", 1.0)] * 10_000
    path, file = make(simple_plan("xlsx"), simple_spec(), sqlite_file(tmp_path / "s.sqlite", ORDERS, rows))
    assert file.notice is not None and "first 4,096 of 10,000 rows" in file.notice
    assert opened(path)["Details"].max_row == 4097


HOSTILE = [
    "=cmd|'/C calc'!A0",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "{=A1}",
    "http://evil.example/x",
    "mailto:a@b.c",
    "external:c:\\x.xlsx",
    "internal:Sheet1!A1",
    "\t=1",
    "<r><t>&\"'",
    "_x0041_",
    "x" * 40_000,
    "\x00\x01\x1f\ufffe",
    "0123456789012345678",
]


def check_no_life(path: Path, formulas: int) -> None:
    """Formulas are those of the total's row alone, and there is no link, not outward nor inward."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            assert b"hyperlink" not in data.lower() or name.startswith("docProps"), name
            if "worksheets/sheet" in name and name.endswith(".xml"):
                assert data.count(b"<f>") + data.count(b"<f ") == (formulas if "sheet1" in name else 0), name
            assert not name.startswith("xl/externalLinks")


def test_texts_of_the_data_are_texts(make: Make, tmp_path: Path) -> None:
    rows = [("2026-03-01", text, 1.0) for text in HOSTILE]
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, rows)
    spec = simple_spec(
        titles=Titles("=1+1", "=1+1"),
        measures=(MeasureSpec("amount", Titles("=A1", "=A1"), column="amount", unit=Titles("@", "@")),),
        dimensions=(DimensionSpec("region", Titles("=地区", "=Region"), "region"),),
    )
    plan = simple_plan("xlsx", filters=(Filter("region", tuple(HOSTILE), ("=1", "http://x.example")),))
    path, _ = make(plan, spec, source)
    check_no_life(path, formulas=1)
    details = opened(path)["Details"]
    texts = {row[1] for row in cells(details)[1:]}
    assert {"=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "http://evil.example/x", "0123456789012345678"} <= texts
    assert all(row[1].data_type in ("s", "inlineStr") for row in details.iter_rows(2))
    summary = opened(path)["Summary"]
    assert summary["A1"].value == "=1+1" and summary["A1"].data_type != "f"


@settings(max_examples=tries(8, 25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labels=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), min_size=1, max_size=20))
def test_any_text_gives_a_workbook(labels: list[str], make: Make, tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = [("2026-03-01", label, 1.0) for label in labels]
    source = sqlite_file(tmp_path_factory.mktemp("any") / "s.sqlite", ORDERS, rows)
    path, _ = make(simple_plan("xlsx"), simple_spec(), source)
    check_no_life(path, formulas=1)
    assert opened(path)["Details"].max_row == len(labels) + 1


def test_dates_numbers_and_the_rest(make: Make, tmp_path: Path) -> None:
    script = """
    CREATE TABLE orders (sold_on TIMESTAMP, region TEXT, amount NUMERIC, big INTEGER, raw BLOB, flag BOOLEAN, odd DATE);
    INSERT INTO orders VALUES ('2026-03-01 10:20:30', 'a', 1.5, 9007199254740993, x'00ff', 1, 'not a date');
    INSERT INTO orders VALUES ('2026-03-02', 'b', 2, 12, NULL, 0, '1890-01-01');
    """
    path, _ = make(simple_plan("xlsx"), simple_spec(), sqlite_file(tmp_path / "s.sqlite", script))
    rows = cells(opened(path)["Details"])[1:]
    assert rows[0] == [
        datetime.datetime(2026, 3, 1, 10, 20, 30),
        "a",
        1.5,
        "9007199254740993",
        "0x00ff",
        1,
        "not a date",
    ]
    assert rows[1] == [datetime.datetime(2026, 3, 2), "b", 2, 12, None, 0, "1890-01-01"]
