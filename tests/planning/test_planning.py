"""Requests for reports: understood whole or not at all, asked back and never guessed."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from pointsman.actions.report.demo_reports import demo_reports
from pointsman.domain.policy import PeriodReading
from pointsman.domain.report import ReportPlan
from pointsman.domain.request import Request, Turn
from pointsman.planning.clarify import Clarification, read_back
from pointsman.planning.draft import draft_of
from pointsman.planning.plan import plan_of
from pointsman.planning.resume import resume

TODAY = datetime.date(2026, 11, 29)
CATALOG = demo_reports()
SET = Path(__file__).parents[1] / "sets" / "report_requests.jsonl"


def planned(text: str, tongue: str = "zh") -> ReportPlan | Clarification:
    draft = draft_of(text, CATALOG, TODAY)
    assert draft.is_request, (text, draft.strange)
    return plan_of(draft, CATALOG, tongue, TODAY)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "report", "form", "start", "filters"),
    [
        ("把上周五销售报表导出为PDF", "sales", "pdf", "2026-11-20", ()),
        ("导出上季度华东区销售汇总", "sales", "xlsx", "2026-07-01", (("region", ("华东",)),)),
        ("把昨天的数据做成Excel发我", "sales", "xlsx", "2026-11-28", ()),
        ("export last month's sales for East China as Excel", "sales", "xlsx", "2026-10-01", (("region", ("华东",)),)),
        ("生成上月PDF版门店业绩报表", "stores", "pdf", "2026-10-01", ()),
        (
            "麻烦给老板出一份本月华东和华北的销售报表，CSV格式，谢谢",
            "sales",
            "csv",
            "2026-11-01",
            (("region", ("华东", "华北")),),
        ),
    ],
)
def test_understood(text: str, report: str, form: str, start: str, filters: tuple[object, ...]) -> None:
    plan = planned(text)
    assert isinstance(plan, ReportPlan)
    assert (plan.report, plan.format, str(plan.period.start)) == (report, form, start)
    assert tuple((f.dimension, f.values) for f in plan.filters) == filters


def test_grouping_is_read() -> None:
    plan = planned("按产品导出本月销售")
    assert isinstance(plan, ReportPlan) and plan.group_by == ("product",)
    plan = planned("export this month's sales by region and store as csv", "en")
    assert isinstance(plan, ReportPlan) and plan.group_by == ("region", "store") and plan.format == "csv"
    plan = planned("按地区、门店导出本月销售")
    assert isinstance(plan, ReportPlan) and plan.group_by == ("region", "store") and not plan.filters


@pytest.mark.parametrize("text", ["生成PDF", "make a PDF of this meeting agenda", "给我", "下载"])
def test_a_format_or_a_verb_alone_asks_for_no_report(text: str) -> None:
    assert not draft_of(text, CATALOG, TODAY).is_request


def test_the_format_that_is_picked_completes() -> None:
    begun = "导出上月销售报表，PDF和Excel都要"
    plan = completed(begun, question(begun), "2")
    assert isinstance(plan, ReportPlan) and plan.format == "xlsx"


@pytest.mark.parametrize(
    ("text", "slot", "first"),
    [
        ("生成PDF版门店业绩报表", "period", "上周"),
        ("导出上季度华西区销售汇总", "value", "华东"),
        ("导出03/04/2026的销售报表", "period", "2026-03-04"),
        ("导出上月销售报表，PDF和Excel都要", "format", "PDF"),
        ("导出上月人民路店销售报表", "value", "上海南京路店"),
    ],
)
def test_asked_and_never_guessed(text: str, slot: str, first: str) -> None:
    asked = planned(text)
    assert isinstance(asked, Clarification) and asked.slot == slot and asked.choices[0] == first
    read = read_back(asked.text)
    assert read is not None and read.slot == slot and read.choices == asked.choices and read.tongue == "zh"


def test_two_reports_that_fit_are_asked() -> None:
    import msgspec

    catalog = tuple(msgspec.structs.replace(spec, default=False) for spec in CATALOG)
    draft = draft_of("把昨天的数据做成Excel发我", catalog, TODAY)
    asked = plan_of(draft, catalog, "en", TODAY)
    assert isinstance(asked, Clarification) and asked.slot == "report" and len(asked.choices) == 3


def conversation(*texts: str) -> Request:
    turns = [Turn("user" if index % 2 == 0 else "assistant", text) for index, text in enumerate(texts)]
    return Request("r", "chat", "auto", tuple(turns))


def completed(*texts: str) -> ReportPlan | Clarification | None:
    found = resume(conversation(*texts), CATALOG, TODAY)
    return plan_of(found.draft, CATALOG, found.tongue, TODAY) if found else None


def question(text: str, tongue: str = "zh") -> str:
    asked = planned(text, tongue)
    assert isinstance(asked, Clarification)
    return asked.text


@pytest.mark.parametrize(
    "answer",
    ["3", "第三个", "三", "上月", "要上月的", "last month", "选3", "3。", "３", "the third one", "3 要PDF", "选上月吧"],
)
def test_the_next_turn_completes(answer: str) -> None:
    begun = "生成PDF版门店业绩报表"
    plan = completed(begun, question(begun), answer)
    assert isinstance(plan, ReportPlan)
    assert (plan.report, plan.format, str(plan.period.start), plan.language) == ("stores", "pdf", "2026-10-01", "zh")


@pytest.mark.parametrize("answer", ["7", "0", "1,2", "随便", "whatever", "要PDF"])
def test_an_answer_that_settles_nothing_is_asked_again(answer: str) -> None:
    begun = "生成门店业绩报表"
    again = completed(begun, question(begun), answer)
    assert isinstance(again, Clarification) and again.slot == "period"


@pytest.mark.parametrize("answer", ["算了", "取消", "不用了", "cancel", "never mind"])
def test_never_mind_ends_it(answer: str) -> None:
    begun = "生成门店业绩报表"
    found = resume(conversation(begun, question(begun), answer), CATALOG, TODAY)
    assert found is not None and found.cancelled


def test_several_values_or_all_of_them() -> None:
    begun = "导出上月华西区销售汇总"
    plan = completed(begun, question(begun), "1、3")
    assert isinstance(plan, ReportPlan) and plan.filters[0].values == ("华东", "华南")
    plan = completed(begun, question(begun), "全部")
    assert isinstance(plan, ReportPlan) and plan.filters == ()


@pytest.mark.parametrize(
    "text", ["导出上月门店报表和销售报表", "export last month's product report and sales report as csv"]
)
def test_two_reports_that_are_named_are_asked(text: str) -> None:
    asked = planned(text)
    assert isinstance(asked, Clarification) and asked.slot == "report" and len(asked.choices) == 2


def test_a_dimension_that_is_named_groups_and_never_narrows() -> None:
    plan = planned("导出上月门店销售报表为CSV")  # 门店: the stores, and in the demo a channel of that name too
    assert isinstance(plan, ReportPlan) and plan.group_by == ("store",) and plan.filters == ()
    plan = planned("export last week's store and product reports")
    assert isinstance(plan, ReportPlan) and plan.group_by == ("store", "product")
    plan = planned("导出上月线下销售报表")
    assert isinstance(plan, ReportPlan) and plan.filters[0].values == ("门店",)


def test_an_unknown_word_is_shown_whole() -> None:
    asked = planned("导出上月新疆区销售报表")
    assert isinstance(asked, Clarification) and "“新疆区”" in asked.text


def test_details_are_no_pdf() -> None:
    asked = planned("把上周的销售明细导出为PDF")
    assert isinstance(asked, Clarification) and asked.choices == ("Excel", "CSV", "PDF")
    plan = completed("把上周的销售明细导出为PDF", asked.text, "3")
    assert isinstance(plan, ReportPlan) and plan.format == "pdf"


def test_a_recipient_is_no_filter() -> None:
    plan = planned("导出上月销售报表给华东的同事")
    assert isinstance(plan, ReportPlan) and plan.filters == ()


def test_a_text_beyond_a_sentence_or_two_is_not_read() -> None:
    draft = draft_of("导出上月销售报表 " * 40_000, CATALOG, TODAY)
    assert not draft.is_request and not draft.reports


def test_an_answer_may_leave_another_question() -> None:
    begun = "导出华西区销售汇总"
    first = question(begun)
    second = completed(begun, first, "华东")
    assert isinstance(second, Clarification) and second.slot == "period"
    plan = completed(begun, first, "华东", second.text, "上季度")
    assert isinstance(plan, ReportPlan)
    assert plan.filters[0].values == ("华东",) and str(plan.period.start) == "2026-07-01"


@pytest.mark.parametrize(
    "other", ["写首诗吧", "上月天气怎么样", "为什么要选", "hello", "what is a mutex?", "5月天的歌", ""]
)
def test_changing_the_subject_drops_it(other: str) -> None:
    begun = "生成PDF版门店业绩报表"
    assert completed(begun, question(begun), other) is None


def test_no_other_message_of_an_assistant_is_taken_for_a_question() -> None:
    assert completed("你好", "你好！有什么可以帮你的？", "2") is None
    assert resume(conversation("2"), CATALOG, TODAY) is None


def test_the_frozen_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Requests and near misses written without sight of the code: not one near miss may be taken for a request."""
    rows = [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]
    taken = [row for row in rows if draft_of(row["text"], CATALOG, TODAY).is_request]
    false = [row["text"] for row in taken if not row["is_report"]]
    wanted = [row for row in rows if row["is_report"]]
    with capsys.disabled():
        print(f"\nreport requests: {len(taken) - len(false)} of {len(wanted)} understood whole, {len(false)} false")
    assert false == []
    assert len(taken) >= 0.4 * len(wanted)
    for row in taken:
        forms = draft_of(row["text"], CATALOG, TODAY).formats
        assert row["format"] is None or forms == (row["format"],), row["text"]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("导出上周销售报表，明天要", "2026-11-16"),
        ("export last month's sales report, I need it by next Monday", "2026-10-01"),
    ],
)
def test_a_time_to_come_is_when_the_report_is_wanted(text: str, start: str) -> None:
    [period] = draft_of(text, CATALOG, TODAY).periods
    assert str(period.start) == start


def test_the_reading_of_periods_is_the_policys() -> None:
    [period] = draft_of("导出财年Q1销售报表", CATALOG, TODAY, PeriodReading(fiscal_start=4)).periods
    assert str(period.start) == "2026-04-01"
    [period] = draft_of("导出12月销售报表", CATALOG, TODAY, PeriodReading(prefer="future")).periods
    assert str(period.start) == "2026-12-01"
