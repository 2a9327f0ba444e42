"""Sheets, comparisons and charts: every figure is that of an independent sum."""

from __future__ import annotations

import datetime
import html
import itertools
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from actions.orders import LAST_QUARTER, ORDERS, SOME, Make, simple_plan, simple_spec, sqlite_file
from actions.test_pdf import text_of
from pointsman.actions.report.section_columns import growth
from pointsman.actions.report.section_sheets import sheet_names
from pointsman.actions.report.shapes import drawn, round_chart, stacked
from pointsman.domain.report import Filter, MeasureSpec, Period, ReportPlan, ReportSpec, SheetSpec, TemplateSpec, Titles
from pointsman.ports.action import ActionFailed

Sql = Callable[..., list[tuple[Any, ...]]]
QUARTER = ("2026-07-01", "2026-10-01")
BEFORE = ("2026-04-01", "2026-07-01")
YEAR_AGO = ("2025-07-01", "2025-10-01")
AMOUNTS = "SELECT region, sum(amount) FROM sales WHERE sold_on >= ? AND sold_on < ? GROUP BY region"


def table(sheet: Any, head: str) -> tuple[list[str], dict[str, list[Any]]]:
    """The heads of the table whose first one is that, and its rows by their first cell, until a blank one."""
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    first = next(number for number, row in enumerate(rows) if row[0] == head)
    found = {}
    for row in rows[first + 1 :]:
        if row[0] is None:
            break
        found[row[0]] = row[1:]
    return [name for name in rows[first] if name is not None], found


def plan(format: str = "xlsx", **changes: Any) -> ReportPlan:
    return ReportPlan("sales", format, LAST_QUARTER, language="zh", **changes)  # type: ignore[arg-type]


def test_a_comparison_with_both_earlier_periods(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    path, _ = make(plan(compare=("previous", "year"), group_by=("region",)), demo_specs["sales"])
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["汇总", "趋势", "对比", "明细", "说明"]
    heads, rows = table(book["对比"], "地区")
    assert heads[:8] == [
        "地区",
        "销售额（元）",
        "销售额 上期",
        "销售额 环比增减",
        "销售额 环比",
        "销售额 上年同期",
        "销售额 同比增减",
        "销售额 同比",
    ]
    now, before, ago = (dict(demo_sql(AMOUNTS, *span)) for span in (QUARTER, BEFORE, YEAR_AGO))
    assert set(rows) == {*now, "合计"}
    for region, figure in now.items():
        a, b = before[region], ago[region]
        expected = [figure, a, figure - a, (figure - a) / a, b, figure - b, (figure - b) / b]
        assert rows[region][:7] == pytest.approx(expected)
    whole, past = sum(now.values()), sum(before.values())
    assert rows["合计"][:4] == pytest.approx([whole, past, whole - past, (whole - past) / past])
    sheet = book["对比"]
    assert sheet["A2"].value == "上期" and sheet["B2"].value == "2026-04-01 周三 至 2026-06-30 周二"
    assert len(sheet._charts) == 1 and len(sheet._charts[0].series) == 3
    place = next(row for row in sheet.iter_rows() if row[0].value == "华东")
    assert (place[3].number_format, place[4].number_format) == ("+#,##0.00;-#,##0.00;#,##0.00", "+0.0%;-0.0%;0.0%")
    notes = {row[0]: row[1] for row in book["说明"].iter_rows(values_only=True)}
    assert notes["上年同期"].startswith("2025-07-01") and "÷" in notes["对比"]


def test_a_change_from_nothing_is_no_percentage(make: Make, tmp_path: Path) -> None:
    rows = [("2026-03-05", "new", 5.0), ("2026-03-06", "zero", 4.0), ("2026-02-05", "zero", 0.0)]
    rows += [("2026-02-06", "gone", 8.0), ("2026-03-07", "loss", 2.0), ("2026-02-07", "loss", -4.0)]
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, rows)
    march = Period(datetime.date(2026, 3, 1), datetime.date(2026, 4, 1), "month")
    asked = simple_plan("xlsx", period=march, compare=("previous",))
    _, found = table(openpyxl.load_workbook(make(asked, simple_spec(), source)[0])["Comparison"], "Region")
    assert found["new"] == [5, 0, 5, "from 0"]
    assert found["zero"] == [4, 0, 4, "from 0"]
    assert found["gone"] == [0, 8, -8, -1]  # what is gone is part of the comparison
    assert found["loss"] == [2, -4, 6, 1.5]  # of the size of what was before
    assert found["Total"] == [11, 4, 7, 1.75]
    text = text_of(make(replace(asked, format="pdf"), simple_spec(), source)[0])
    assert "from0" in text and "-100.0%" in text and "+150.0%" in text
    chinese = replace(asked, format="pdf", language="zh")
    assert "基数为0" in text_of(make(chinese, simple_spec(), source)[0])


def test_nothing_before_at_all(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, [("2026-03-05", "a", 5.0)])
    spec = simple_spec(measures=(MeasureSpec("mean", Titles("均值", "Mean"), "average", "amount", 1),))
    asked = simple_plan("xlsx", compare=("year",))
    _, found = table(openpyxl.load_workbook(make(asked, spec, source)[0])["Comparison"], "Region")
    assert found["a"] == [5, None, None, "–"] == found["Total"]  # of no rows there is no average


def test_growth() -> None:
    assert growth(3, 2) == 0.5 and growth(1, -2) == 1.5 and growth(0, 0) == "from_zero"
    assert growth(None, 2) is None and growth(2, None) is None


def test_the_largest_and_the_rest(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    where = "FROM sales WHERE sold_on >= ? AND sold_on < ?"
    profits = demo_sql(f"SELECT store, sum(profit) {where} GROUP BY store ORDER BY 2 DESC", *QUARTER)
    asked = plan(group_by=("store",), top=3, rank="profit", chart="pie")
    path, file = make(asked, demo_specs["sales"])
    book = openpyxl.load_workbook(path)
    _, rows = table(book["汇总"], "门店")
    assert list(rows) == [*(store for store, _ in profits[:3]), "其他", "合计"]
    assert [row[3] for row in rows.values()][:3] == pytest.approx([figure for _, figure in profits[:3]])
    assert rows["其他"][3] == pytest.approx(sum(figure for _, figure in profits[3:]))
    assert file.notice is None  # it was asked for
    [chart] = book["汇总"]._charts
    assert chart.tagname == "pieChart"
    drawn = {row[0]: row[1:] for row in book["图表"].iter_rows(values_only=True)}
    assert drawn[profits[0][0]][0] == pytest.approx(profits[0][1])


def test_rows_and_columns(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    path, _ = make(plan(group_by=("region",), bucket="month"), demo_specs["sales"])
    heads, rows = table(openpyxl.load_workbook(path)["销售额（元）：按月 × 地区"], "日期")
    sql = "SELECT sum(amount) FROM sales WHERE region = ? AND substr(sold_on, 1, 7) = ?"
    for month in (7, 8, 9):
        for place, region in enumerate(heads[1:-1]):
            [(figure,)] = demo_sql(sql, region, f"2026-{month:02}")
            assert rows[f"{month}月"][place] == pytest.approx(figure)
    whole = demo_sql("SELECT sum(amount) FROM sales WHERE sold_on >= ? AND sold_on < ?", *QUARTER)[0][0]
    assert heads[-1] == "合计" and rows["合计"][-1] == pytest.approx(whole)


SHEETS = (
    SheetSpec(Titles("华东", "East"), ("@month",), ("profit",), (Filter("region", ("华东",), ("华东",)),), "line"),
    SheetSpec(group_by=("category", "channel"), chart="stacked", top=2),
    SheetSpec(Titles("华东", "East"), ("product",), ("quantity", "amount"), top=3, chart="donut"),
)
CHARTS = (
    SheetSpec(group_by=("@month",), measures=("amount",), chart="column", compare=("year",)),
    SheetSpec(group_by=("region",), measures=("profit",), chart="bar"),
)


def test_sheets_and_charts_of_the_config(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    spec = replace(demo_specs["sales"], sheets=SHEETS, charts=CHARTS)
    path, _ = make(plan(), spec)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == [
        "汇总",
        "趋势",
        "华东",
        "销售额（元）：品类 × 渠道前 2",
        "华东 2",
        "图表",
        "明细",
        "说明",
    ]
    _, months = table(book["华东"], "日期")
    sql = "SELECT sum(profit) FROM sales WHERE region = '华东' AND sold_on >= ? AND sold_on < ?"
    assert months["合计"] == pytest.approx([demo_sql(sql, *QUARTER)[0][0]])
    _, crossed = table(book["销售额（元）：品类 × 渠道前 2"], "品类")
    assert len(crossed) == 4 and "其他" in crossed
    _, products = table(book["华东 2"], "产品")
    assert len(products) == 5 and [chart.tagname for chart in book["华东 2"]._charts] == ["doughnutChart"]
    assert [chart.tagname for chart in book["汇总"]._charts] == ["barChart", "barChart"]
    assert len(book["汇总"]._charts[0].series) == 2  # this year's and last year's
    text = text_of(make(plan("pdf"), spec)[0])
    for words in ("华东", "品类×渠道前2", "销售额上年同期", "毛利（元）：地区"):
        assert words in text
    english = text_of(make(replace(plan("pdf"), language="en"), spec)[0])
    assert "East" in english and "Category×Channel,top2" in english


def test_what_rows_are_ordered_by_comes_first(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    spec = replace(demo_specs["sales"], sheets=(SheetSpec(Titles("x", "x"), ("product",), top=4, rank="quantity"),))
    heads, rows = table(openpyxl.load_workbook(make(plan(), spec)[0])["x"], "产品")
    sold = [row[0] for row in rows.values()][:4]
    assert heads[1] == "销量（件）" and sold == sorted(sold, reverse=True) and len(rows) == 6


def test_a_filter_that_leaves_nothing(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    spec = replace(demo_specs["sales"], sheets=SHEETS[:1])
    asked = plan(filters=(Filter("region", ("华北",), ("华北",)),))
    sheet = openpyxl.load_workbook(make(asked, spec)[0])["华东"]
    assert "没有数据" not in str(list(sheet.iter_rows(values_only=True)))  # months without a sale are 0
    products = replace(SHEETS[0], group_by=("product",))
    book = openpyxl.load_workbook(make(asked, replace(spec, sheets=(products,)))[0])
    assert book["华东"]["A2"].value == "没有数据" and not book["华东"]._charts
    assert "没有数据" in text_of(make(replace(asked, format="pdf"), replace(spec, sheets=(products,)))[0])


def test_a_pie_of_too_many_parts_is_bars_and_says_so(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    path, file = make(plan(group_by=("store",), chart="pie"), demo_specs["sales"])
    assert file.notice is not None and "饼图" in file.notice
    assert [chart.tagname for chart in openpyxl.load_workbook(path)["汇总"]._charts] == ["barChart"]
    assert "饼图" in str(make(plan("pdf", group_by=("store",), chart="pie"), demo_specs["sales"])[1].notice)


def test_without_charts(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    spec = replace(demo_specs["sales"], sheets=SHEETS, charts=CHARTS)
    path, _ = make(plan(chart="none"), spec)
    with zipfile.ZipFile(path) as archive:
        assert not [name for name in archive.namelist() if "chart" in name]


def test_a_csv_of_a_comparison(make: Make, demo_specs: dict[str, ReportSpec], demo_sql: Sql) -> None:
    path, file = make(plan("csv", compare=("year",), group_by=("region",)), demo_specs["sales"])
    lines = path.read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("地区,销售额（元）,销售额 上年同期,销售额 同比增减,销售额 同比,")
    now, ago = (dict(demo_sql(AMOUNTS, *span))["华东"] for span in (QUARTER, YEAR_AGO))
    east = next(line for line in lines if line.startswith("华东,")).split(",")
    assert [float(cell) for cell in east[1:4]] == pytest.approx([now, ago, now - ago])
    assert east[4] == f"{(now - ago) / ago:.4f}" and lines[-1].startswith("合计,")
    assert file.notice == "上年同期: 2025-07-01 周二 至 2025-09-30 周二"
    months = make(plan("csv", bucket="month"), demo_specs["sales"])[0].read_text("utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in months] == ["日期", "7月", "8月", "9月", "合计"]


EVIL = ['=HYPERLINK("http://x")', "@SUM(1)", "-2+3", "\x07bell", "[a]:*?/b"]


def test_texts_of_the_data_and_of_the_config_are_texts(make: Make, tmp_path: Path) -> None:
    rows = [(f"2026-03-{day:02}", text, 5.0) for day, text in enumerate(EVIL, 1)]
    source = sqlite_file(
        tmp_path / "s.sqlite", ORDERS, [*rows, *((f"2025{day[4:]}", text, 1.0) for day, text, _ in rows)]
    )
    template = TemplateSpec("t", header=Titles("=A1 &[File]", "=A1 &[File]"), footer=Titles("&D #read()", "&D #read()"))
    sheets = tuple(SheetSpec(Titles(text, text), ("region",), chart="bar", compare=("year",)) for text in EVIL)
    spec = simple_spec(sheets=sheets, charts=(*sheets[:1],), templates=(template,), template="t")
    path, _ = make(simple_plan("xlsx", compare=("year",)), spec, source)
    with zipfile.ZipFile(path) as archive:
        cells = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
    assert sum(sheet.count("<f>") for sheet in cells) == 1  # the total of the summary
    assert not any("<hyperlink" in sheet for sheet in cells)
    assert all("&amp;&amp;D" in sheet for sheet in cells)  # no code in the footer
    formulas = [html.unescape(formula) for chart in charts for formula in re.findall("<c:f>(.*?)<", chart)]
    place = re.compile(r"(?:'(?:[^']|'')*'|\w+)!\$[A-Z]+\$\d+(?::\$[A-Z]+\$\d+)?")
    assert formulas and all(place.fullmatch(formula) for formula in formulas)
    assert openpyxl.load_workbook(path).sheetnames[1]
    lines = make(simple_plan("csv", compare=("year",)), spec, source)[0].read_text("utf-8-sig").splitlines()
    assert not [line for line in lines if line.lstrip('"')[:1] in ("=", "@", "+", "-")]
    text = text_of(make(simple_plan("pdf", compare=("year",)), spec, source)[0])
    assert "#read()" in text and '=HYPERLINK("http://x")' in text


def test_a_look(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    (tmp_path / "l.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><rect width="90" height="30"/></svg>'
    )
    look = {"logo": str(tmp_path / "l.svg"), "accent": "#0A7D4F", "ink": "#102030", "font": "Noto Sans SC"}
    template = TemplateSpec("t", **look, header=Titles("页眉", "Head"), footer=Titles("页脚", "Foot"), default=True)
    spec = simple_spec(templates=(template,))
    book = openpyxl.load_workbook(make(simple_plan("xlsx"), spec, source)[0])
    summary = book["Summary"]
    assert len(summary._images) == 1 and summary.oddFooter.left.text == "Foot"
    head = next(row[0] for row in summary.iter_rows() if row[0].value == "Region")
    assert (head.fill.fgColor.rgb, head.font.name) == ("FF102030", "Noto Sans SC")
    path, _ = make(simple_plan("pdf", language="zh"), spec, source)
    assert text_of(path).startswith("页眉") and "页脚" in text_of(path)
    gone = replace(template, logo=str(tmp_path / "gone.png"))
    for format in ("pdf", "xlsx"):
        with pytest.raises(ActionFailed) as caught:
            make(simple_plan(format), simple_spec(templates=(gone,)), source)
        assert caught.value.code == "template" and "gone.png" in str(caught.value.detail)


def test_round_charts_are_whole() -> None:
    bars = drawn("bars", "t", ["a", "b", "c"], [("s", [1, 2, 1])], 0, "en")
    for kind in ("pie", "donut"):
        chart = round_chart(kind, "t", ["a", "b", "c"], [1, 2, 1], bars, rest=True)  # type: ignore[arg-type]
        assert [piece.share for piece in chart.slices] == [0.25, 0.5, 0.25]
        assert [piece.text for piece in chart.slices] == ["25.0%", "50.0%", "25.0%"]
        assert [piece.colour for piece in chart.slices] == [0, 1, -1]
        assert chart.slices[0].outline[0] == (0.5, 0) and (1, 0.5) in chart.slices[0].outline
        assert all(0 <= place <= 1 for piece in chart.slices for corner in piece.outline for place in corner)


@given(
    series=st.lists(st.lists(st.floats(0, 1e12), min_size=3, max_size=3), min_size=1, max_size=4),
)
def test_stacks_stand_on_each_other(series: list[list[float]]) -> None:
    named = [(str(number), figures) for number, figures in enumerate(series)]
    chart = stacked("t", ["a", "b", "c"], named, 2, "en", rest=False)
    for at in range(3):
        spans = [span for piece in chart.series if (span := piece.spans[at]) is not None]
        assert spans[0][0] == chart.zero and spans[-1][1] == pytest.approx(chart.points[at].value, abs=1e-4)
        assert all(a[1] == b[0] for a, b in itertools.pairwise(spans)) and spans[-1][1] <= 1


def test_names_of_sheets() -> None:
    names = sheet_names(["a/b", "A b", "x" * 40, "x" * 40, "'", "History", "\n"], ["summary"])
    assert names == ["a b", "A b 2", "x" * 31, "x" * 29 + " 2", "–", "History 2", "– 2"]
