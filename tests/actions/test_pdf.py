"""PDF: the figures are those of an independent sum, and texts of the data are only ever texts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actions.orders import (
    LAST_FRIDAY,
    LAST_QUARTER,
    NOW,
    ORDERS,
    SOME,
    Make,
    simple_plan,
    simple_spec,
    sqlite_file,
)
from pointsman.actions.report import pdf
from pointsman.actions.report.content import Content
from pointsman.actions.report.document import facts
from pointsman.actions.report.figures import Figures, Group
from pointsman.actions.report.look import Look
from pointsman.actions.report.page import Page
from pointsman.actions.report.typesetting import TEMPLATE
from pointsman.domain.report import (
    DimensionSpec,
    DimensionValue,
    Filter,
    MeasureSpec,
    Period,
    ReportPlan,
    ReportSpec,
    TemplateSpec,
    Titles,
)
from pointsman.domain.said import in_zh
from pointsman.ports.action import ActionFailed
from thorough import tries

Sql = Callable[..., list[tuple[Any, ...]]]


def text_of(path: Path) -> str:
    """All the text, without white space: typesetting puts it where it likes."""
    with pypdf.PdfReader(path) as reader:
        return re.sub(r"\s|\u200b", "", "".join(page.extract_text() for page in reader.pages))


def condition(period: Period, filters: tuple[Filter, ...]) -> tuple[str, list[str]]:
    """The test's own WHERE, written anew."""
    words, values = ["sold_on >= ? AND sold_on < ?"], [period.start.isoformat(), period.end.isoformat()]
    for chosen in filters:
        words.append(f"{chosen.dimension} IN ({', '.join('?' * len(chosen.values))})")
        values += chosen.values
    return " AND ".join(words), values


EAST = Filter("region", ("华东",), ("华东区",))
TWO = Filter("region", ("华东", "华北"), ("East China", "North China"))
ONLINE = Filter("channel", ("线上",), ("Online",))
CASES = [
    ("sales", LAST_FRIDAY, (), (), "zh"),
    ("sales", LAST_QUARTER, (EAST,), (), "zh"),
    (
        "sales",
        Period(datetime.date(2026, 10, 1), datetime.date(2026, 11, 1), "month", "last month"),
        (TWO, ONLINE),
        (),
        "en",
    ),
    ("stores", LAST_QUARTER, (), (), "en"),
    ("products", Period(datetime.date(2026, 1, 1), datetime.date(2026, 7, 1), "half", "上半年"), (), (), "zh"),
    ("sales", LAST_QUARTER, (), ("region", "store", "product"), "en"),
]


@pytest.mark.parametrize(("report", "period", "filters", "group_by", "language"), CASES)
def test_every_total_is_an_independent_sum(
    report: str,
    period: Period,
    filters: tuple[Filter, ...],
    group_by: tuple[str, ...],
    language: str,
    make: Make,
    demo_specs: dict[str, ReportSpec],
    demo_sql: Sql,
) -> None:
    spec = demo_specs[report]
    plan = ReportPlan(report, "pdf", period, filters, group_by, language)  # type: ignore[arg-type]
    path, file = make(plan, spec)
    text = text_of(path)
    where, values = condition(period, filters)
    expressions = {
        "amount": ("round(sum(CAST(round(amount * 100) AS INTEGER)) / 100.0, 2)", "{:,.2f}"),
        "profit": ("round(sum(CAST(round(profit * 100) AS INTEGER)) / 100.0, 2)", "{:,.2f}"),
        "quantity": ("sum(quantity)", "{:,}"),
        "orders": ("count(*)", "{:,}"),
        "average": ("avg(amount)", "{:,.2f}"),
    }
    for measure in spec.measures:
        expression, shape = expressions[measure.name]
        total = demo_sql(f"SELECT {expression} FROM sales WHERE {where}", *values)[0][0]
        assert text.count(shape.format(total)) >= 2, f"{measure.name}: on top and in the total's row"
        assert file.totals[measure.name] == pytest.approx(total, abs=0.005)
        groups = group_by or spec.group_by
        grouped = demo_sql(f"SELECT {expression} FROM sales WHERE {where} GROUP BY {', '.join(groups)}", *values)
        for (figure,) in grouped:
            assert shape.format(figure) in text, measure.name
    assert file.rows == demo_sql(f"SELECT count(*) FROM sales WHERE {where}", *values)[0][0]
    assert f"{file.rows:,}" in text
    # the understood range and filters, the time of making, the pages
    assert period.start.isoformat() in text and period.text.replace(" ", "") in text
    assert (period.end - datetime.timedelta(days=1)).isoformat() in text
    for chosen in filters:
        assert all(label.replace(" ", "") in text for label in chosen.labels)
    assert "2026-11-2515:42(UTC+08:00)" in text
    with pypdf.PdfReader(path) as reader:
        pages = len(reader.pages)
        fonts = [font for page in reader.pages for font in page["/Resources"]["/Font"].values()]  # type: ignore[index]
        assert all("NotoSansSC" in font.get_object()["/BaseFont"] for font in fonts)
        for number, page in enumerate(reader.pages, 1):
            one = re.sub(r"\s", "", page.extract_text())
            assert (f"第{number}页，共{pages}页" if language == "zh" else f"Page{number}of{pages}") in one
    assert (pages > 3) == bool(group_by)


def test_a_long_table_repeats_its_head(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    path, file = make(ReportPlan("sales", "pdf", LAST_QUARTER, (), ("store", "product"), "en"), demo_specs["sales"])
    with pypdf.PdfReader(path) as reader:
        assert len(reader.pages) > 2
        assert all("Units sold (pcs)" in page.extract_text() for page in reader.pages)
    assert file.notice is None


def test_labels_are_in_the_language_of_the_document(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    english = text_of(make(ReportPlan("sales", "pdf", LAST_FRIDAY, language="en"), demo_specs["sales"])[0])
    chinese = text_of(make(ReportPlan("sales", "pdf", LAST_FRIDAY, language="zh"), demo_specs["sales"])[0])
    assert "EastChina" in english and "Salesreport" in english and "华东" not in english
    assert "华东" in chinese and "销售报表" in chinese and "EastChina" not in chinese


def test_more_groups_than_fit(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_GROUPS", 2)
    rows = [("2026-03-01", f"r{n}", float(n)) for n in range(1, 6)]
    path, file = make(simple_plan("pdf"), simple_spec(), sqlite_file(tmp_path / "s.sqlite", ORDERS, rows))
    text = text_of(path)
    assert file.notice is not None and "first 2 rows" in file.notice
    assert "Others6.0040.0%" in text and "Total15.00100.0%" in text and "first2rows" in text


def test_without_groups_the_table_is_the_course_of_time(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    measures = (
        MeasureSpec("average", Titles("均值", "Mean"), "average", "amount", 2),
        MeasureSpec("least", Titles("最小", "Least"), "minimum", "amount", 2),
        MeasureSpec("most", Titles("最大", "Most"), "maximum", "amount", 2),
        MeasureSpec("rows", Titles("行", "Rows"), "count"),
    )
    path, file = make(simple_plan("pdf"), simple_spec(measures=measures, group_by=()), source)
    text = text_of(path)
    assert file.totals == {"average": 9.0, "least": -3.75, "most": 20.25, "rows": 3.0}
    assert "Mar15.3810.5020.252" in text and "Apr-3.75-3.75-3.751" in text and "Total9.00-3.7520.253" in text
    assert "May–––0" in text


def test_nothing_to_report(make: Make, demo_specs: dict[str, ReportSpec]) -> None:
    old = Period(datetime.date(2024, 5, 1), datetime.date(2024, 6, 1), "month", "2024年5月")
    with pytest.raises(ActionFailed) as caught:
        make(ReportPlan("sales", "pdf", old, (EAST,), language="zh"), demo_specs["sales"])
    failure = caught.value
    assert failure.code == "empty"
    assert (
        "销售报表" in in_zh(failure.message)
        and "2024-05-01" in in_zh(failure.message)
        and "2024-05-31" in in_zh(failure.message)
        and "华东区" in in_zh(failure.message)
    )
    assert "Sales report" in failure.message and "2024-05-31" in failure.message and "Region: 华东区" in failure.message


HOSTILE = [
    '#import "x.typ"',
    '#read("/etc/passwd")',
    "$ x $",
    "\\",
    "*bold* _it_",
    "`code` ```raw```",
    "#{panic()}",
    "] [ } { ) (",
    "<label> @ref",
    "= Heading",
    "//comment /* x */",
    "\"quoted\" 'text'",
    "\x00\x07\x1b[31m",
    "a\u202eb\u2028c",
    "👩‍👩‍👧 🚀",
    "../../etc/passwd",
    "{{7*7}} ${7*7} <script>alert(1)</script>",
]


def test_texts_of_the_data_are_texts(make: Make, tmp_path: Path) -> None:
    rows = [("2026-03-01", text, 1.0 + place) for place, text in enumerate(HOSTILE)]
    source = sqlite_file(tmp_path / "shop.sqlite", ORDERS, rows)
    plan = simple_plan(
        "pdf",
        filters=(Filter("region", tuple(HOSTILE), ('#read("/etc/passwd")', "*x*")),),
        period=Period(datetime.date(2026, 1, 1), datetime.date(2027, 1, 1), "year", "#panic() $x$"),
    )
    spec = simple_spec(titles=Titles("#报表 *", "#import *Orders*"))
    text = text_of(make(plan, spec, source)[0])
    for hostile in ('#import"x.typ"', '#read("/etc/passwd")', "$x$", "*bold*_it_", "`code`", "#{panic()}", "=Heading"):
        assert hostile in text
    assert "#import*Orders*" in text and "#panic()$x$" in text and "root:" not in text


def _figures(labels: list[str]) -> Figures:
    return Figures(
        rows=len(labels),
        totals=(float(len(labels)),),
        group_titles=("#x",),
        groups=tuple(Group((label,), (1.0,)) for label in labels),
        bucket="day",
        course=(),
        by_time=False,
    )


@settings(max_examples=tries(8, 25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labels=st.lists(st.text(st.characters(codec="utf-8"), max_size=60), min_size=1, max_size=30))
def test_any_text_gives_a_document(labels: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    work = tmp_path_factory.mktemp("pdf")
    spec, plan, figures = simple_spec(), simple_plan("pdf"), _figures(labels)
    content = Content(spec, plan, figures, (), None, facts(spec, plan, figures.rows, figures.bucket, NOW), NOW)
    pdf.write_pdf(work / "x.pdf", work, content, Look(), None)
    assert (work / "x.pdf").read_bytes().startswith(b"%PDF-")


def test_a_long_word_stays_in_its_column(make: Make, tmp_path: Path) -> None:
    import pdfplumber

    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, [("2026-03-01", "x" * 400, 1.0), ("2026-03-02", "y", 2.0)])
    path, _ = make(simple_plan("pdf"), simple_spec(), source)
    with pdfplumber.open(path) as document:
        page = document.pages[0]
        assert max(char["x1"] for char in page.chars) < page.width - 40
        assert sum(char["text"] == "x" for char in page.chars) >= 400


def owned(file: Path) -> ReportSpec:
    return simple_spec(template="own", templates=(TemplateSpec("own", file=str(file)),))


def test_a_template_of_the_users_own(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (folder / "secret.txt").write_text("secret")
    own = folder / "my.typ"
    own.write_text('#let d = json("data.json")\n#image("logo.svg")\nMine: #d.title, #d.table.total.last()')
    assert "Mine:Orders,100.0%" in text_of(make(simple_plan("pdf"), owned(own), source)[0])
    copy = folder / "copy.typ"
    copy.write_text(TEMPLATE.read_text())
    assert "Total27.00" in text_of(make(simple_plan("pdf"), owned(copy), source)[0])
    for wrong in ('#read("secret.txt")', '#read("/etc/passwd")', '#read("../../../../etc/passwd")', "#nonsense"):
        own.write_text(wrong)
        with pytest.raises(ActionFailed) as caught:
            make(simple_plan("pdf"), owned(own), source)
        assert caught.value.code == "template" and "my.typ" in str(caught.value.detail)
    with pytest.raises(ActionFailed) as caught:
        make(simple_plan("pdf"), owned(folder / "none.typ"), source)
    assert caught.value.code == "template"


def test_the_template_says_what_it_gets() -> None:
    said = TEMPLATE.read_text()[:1100]
    assert all(field in said for field in Page.__struct_fields__)


def test_words_of_a_value_in_the_language(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, [("2026-03-01", "01", 1.0), ("2026-03-01", None, 2.0)])
    known = (DimensionValue("01", ("华东区", "East China")),)
    spec = simple_spec(dimensions=(DimensionSpec("region", Titles("地区", "Region"), "region", values=known),))
    english = text_of(make(simple_plan("pdf"), spec, source)[0])
    chinese = text_of(make(simple_plan("pdf", language="zh"), spec, source)[0])
    assert "EastChina" in english and "(blank)" in english
    assert "华东区" in chinese and "（空）" in chinese
