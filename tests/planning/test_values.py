"""Words for values, which may come from a database: any text may stand there, and none narrows a report by chance."""

from __future__ import annotations

import datetime

import msgspec
import pytest

from pointsman.actions.report.demo_reports import demo_reports
from pointsman.domain.report import DimensionValue, ReportPlan, ReportSpec
from pointsman.domain.request import Request, Turn
from pointsman.planning.clarify import Clarification
from pointsman.planning.draft import Draft, draft_of
from pointsman.planning.plan import plan_of
from pointsman.planning.resume import resume

TODAY = datetime.date(2026, 11, 29)


def catalog(*values: DimensionValue) -> tuple[ReportSpec, ...]:
    """The demo's, with these values in place of its regions."""
    first, *others = demo_reports()
    regions, *dimensions = first.dimensions
    regions = msgspec.structs.replace(regions, values=values)
    return msgspec.structs.replace(first, dimensions=(regions, *dimensions)), *others


def value(stored: str, *words: str) -> DimensionValue:
    return DimensionValue(stored, words)


def chosen(text: str, *values: DimensionValue) -> tuple[str, ...]:
    draft = draft_of(text, catalog(*values), TODAY)
    assert draft.is_request, draft
    return draft.filters[0].values if draft.filters else ()


def answered(begun: str, answer: str, *values: DimensionValue) -> ReportPlan | Clarification:
    specs = catalog(*values)
    question = plan_of(draft_of(begun, specs, TODAY), specs, "zh", TODAY)
    assert isinstance(question, Clarification)
    turns = (Turn("user", begun), Turn("assistant", question.text), Turn("user", answer))
    found = resume(Request("r", "chat", "auto", turns), specs, TODAY)
    assert found is not None, question.text
    return plan_of(found.draft, specs, "zh", TODAY)


JUNK = (
    *(
        "的",
        "一",
        "a",
        "i",
        "份",
        "要",
        "数据",
        "报表",
        "销售",
        "销售报表",
        "导出",
        "上月",
        "pdf",
        "地区",
        "门店",
        "销售额",
    ),
    *(
        " ",
        "",
        ".*",
        "^.*$",
        "[",
        "(?:",
        "\\",
        "<b>苏州</b>",
        "{{7*7}}",
        "**",
        "\n",
        "\0",
        "\1",
        "\2",
        "1",
        "x" * 10_000,
    ),
)


@pytest.mark.parametrize("word", JUNK)
def test_no_word_of_a_database_narrows_a_plain_request(word: str) -> None:
    for text in (
        "导出上月的销售报表",
        "导出一份上月销售数据，PDF",
        "把上月门店销售报表导出为Excel",
        "i need a sales report for last month",
    ):
        assert chosen(text, value("苏州", "Suzhou", word), value("杭州", word)) == ()
        assert chosen(text, value(word), value("杭州")) == ()
    assert chosen("导出上月苏州的销售报表", value("苏州", "Suzhou", word), value("杭州")) == ("苏州",)


@pytest.mark.parametrize("word", ["沪", ".*", "<b>苏州</b>", "{{7*7}}", "A-1", "C++", "苏州（工业园）"])
def test_odd_words_are_found_as_they_stand(word: str) -> None:
    assert chosen(f"导出上月{word}销售报表", value("苏州", word), value("杭州")) == ("苏州",)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("export last month's sales for region A as PDF", ("A",)),
        ("export last month's sales for A as PDF", ("A",)),
        ("export a report of last month's sales", ()),
        ("export a sales report for last month", ()),
        ("导出上月公司区域的销售报表", ("公司",)),
        ("导出上月公司的销售报表", ()),
    ],
)
def test_a_word_that_adds_nothing_is_a_value_only_where_nothing_else_can_stand(
    text: str, values: tuple[str, ...]
) -> None:
    assert chosen(text, value("A"), value("公司"), value("苏州")) == values


@pytest.mark.parametrize(
    ("text", "word"), [("导出一份上月销售报表", "一"), ("导出上月东北销售报表", "东"), ("导出上月文件版销售报表", "文")]
)
def test_a_piece_of_a_longer_word_is_no_value(text: str, word: str) -> None:
    draft = draft_of(text, catalog(value(word), value("北")), TODAY)
    assert draft.filters == () and (draft.unknown == "东北" or draft.is_request)


def test_a_word_of_several_values_means_all_of_them() -> None:
    known = (value("苏州", "江苏", "SZ"), value("南京", "江苏"), value("杭州", "浙江"))
    draft = draft_of("导出上月江苏的销售报表", catalog(*known), TODAY)
    assert draft.filters[0].values == ("苏州", "南京") and draft.filters[0].labels == ("苏州", "南京")
    draft = draft_of("导出上月浙江和SZ的销售报表", catalog(*known), TODAY)
    assert draft.filters[0].values == ("杭州", "苏州") and draft.filters[0].labels == ("浙江", "SZ")


def test_a_value_s_own_name_means_that_value() -> None:
    known = (value("苏州", "江苏"), value("江苏"), value("EAST"), value("East"))
    assert chosen("导出上月江苏销售报表", *known) == ("江苏",)
    assert chosen("export last month's sales for east", *known) == ("EAST", "East")


@pytest.mark.parametrize(
    "stored", ["销售", "数据", "地区", "上月", "pdf", "的", "苏\n州", "是下面哪一个？", "要哪一份报表？"]
)
def test_any_value_can_be_picked_from_the_choices(stored: str) -> None:
    plan = answered("导出上月华西区销售报表", "2", value("杭州"), value(stored, " ".join(stored.split())))
    assert (
        isinstance(plan, ReportPlan) and plan.filters[0].values == (stored,) and str(plan.period.start) == "2026-10-01"
    )


def test_thousands_of_words_take_milliseconds() -> None:
    import time

    known = tuple(value(f"城市{n:04}", f"City {n}", f"别名{n}", f"c{n}") for n in range(5000))
    specs = catalog(*known)

    def read() -> Draft:
        return draft_of("导出上月别名77的销售报表", specs, TODAY)

    assert read().filters[0].values == ("城市0077",)
    began = time.thread_time()
    for _ in range(5):
        read()
    assert (time.thread_time() - began) / 5 < 0.05
