"""The form of a report in words: comparison, ranking, time, charts, templates. What is not understood whole is left."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from planning.test_planning import question
from pointsman.actions.report.demo_reports import demo_reports
from pointsman.domain.report import ReportPlan, TemplateSpec
from pointsman.domain.request import Request, Turn
from pointsman.planning.clarify import Clarification
from pointsman.planning.draft import draft_of
from pointsman.planning.plan import plan_of
from pointsman.planning.resume import resume
from pointsman.planning.templates import template_for

TODAY = datetime.date(2026, 11, 29)
BOARD = TemplateSpec("board", words=("董事会",), roles=("director",), users=("alice",))
HOUSE = TemplateSpec("house", default=True)
PLAIN = TemplateSpec("plain look", keys=("bot",), groups=("ops",))
CATALOG = tuple(replace(spec, templates=(BOARD, HOUSE, PLAIN)) for spec in demo_reports())
_FORM = ("bucket", "compare", "top", "rank", "chart", "template")


def form(text: str) -> dict[str, Any]:
    """What the request says of the form, without what it leaves open; `by` is what it is grouped by."""
    draft = draft_of(text, CATALOG, TODAY)
    assert draft.is_request, (text, draft.strange, draft.unknown)
    plan = plan_of(draft, CATALOG, "zh", TODAY)
    assert isinstance(plan, ReportPlan), plan
    said = {name: value for name in _FORM if (value := getattr(plan, name)) not in (None, ())}
    return said | ({"by": plan.group_by} if plan.group_by != ("region",) else {})


BOTH = ("year", "previous")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("导出上月销售报表，同比", {"compare": ("year",)}),
        ("导出上月销售报表，带同比和环比", {"compare": BOTH}),
        ("导出上月销售同环比，按地区", {"compare": BOTH}),
        ("导出上月同比销售数据", {"compare": ("year",)}),
        ("导出上月环比销售报表", {"compare": ("previous",)}),
        ("导出上月销售报表，含环比增长率", {"compare": ("previous",)}),
        ("导出上月销售报表，与去年同期对比", {"compare": ("year",)}),
        ("导出上月销售报表，较去年同期", {"compare": ("year",)}),
        ("导出上月销售报表，和上期相比", {"compare": ("previous",)}),
        ("导出本月销售报表，和上月对比", {"compare": ("previous",)}),
        ("导出本月销售报表，环比上月", {"compare": ("previous",)}),
        ("导出今年上半年销售报表，和去年上半年对比", {"compare": ("year",)}),
        ("导出上周销售报表，对比上上周", {"compare": ("previous",)}),
        ("对比1月和2月的销售，导出Excel", {"compare": ("previous",)}),
        ("导出上月销售报表，与去年对比", {"compare": ("year",)}),
        ("export last month's sales year over year", {"compare": ("year",)}),
        ("export last month's sales with year-on-year growth", {"compare": ("year",)}),
        ("export last month's sales compared with last year", {"compare": ("year",)}),
        ("export last month's sales compared to the same period last year", {"compare": ("year",)}),
        ("export Q3 sales versus the previous quarter", {"compare": ("previous",)}),
        ("export this month's sales vs last month", {"compare": ("previous",)}),
        ("export last week's sales against the previous period", {"compare": ("previous",)}),
        ("导出上月前十销售报表", {"top": 10, "rank": "amount"}),
        ("导出上季度销售额前10的门店", {"top": 10, "rank": "amount", "by": ("store",)}),
        ("导出上季度利润前10名门店", {"top": 10, "rank": "profit", "by": ("store",)}),
        ("导出上月销量最高的5个产品", {"top": 5, "rank": "quantity", "by": ("product",)}),
        ("给我来一份上季度门店排名的Excel", {"rank": "amount", "by": ("store",)}),
        ("导出上月门店按利润排名", {"rank": "profit", "by": ("store",)}),
        ("导出上月各门店销售额，从高到低", {"rank": "amount", "by": ("store",)}),
        ("export last quarter's top 10 stores by profit as Excel", {"top": 10, "rank": "profit", "by": ("store",)}),
        ("Please export last month's top 20 products", {"top": 20, "rank": "amount", "by": ("product",)}),
        ("export last month's sales ranked by profit", {"rank": "profit"}),
        ("export the five best stores of last month, sales", {"top": 5, "rank": "amount", "by": ("store",)}),
        ("按月导出去年销售报表", {"bucket": "month", "by": ()}),
        ("导出去年每月销售报表", {"bucket": "month", "by": ()}),
        ("导出上月每日销售报表", {"bucket": "day", "by": ()}),
        ("按月和地区导出今年销售报表", {"bucket": "month"}),
        ("导出去年月度销售报表", {"bucket": "month", "by": ()}),
        ("导出上月月度销售报表", {}),  # of one month it is a name
        ("export last year's sales by month and region", {"bucket": "month"}),
        ("export last year's monthly sales", {"bucket": "month", "by": ()}),
        ("Prepare the monthly sales report for February", {}),
        ("导出上月销售报表，带图表", {"chart": "auto"}),
        ("导出上月各地区销售饼图", {"chart": "pie"}),
        ("导出上月各地区销售占比饼图", {"chart": "pie"}),
        ("生成去年销售折线图", {"chart": "line"}),
        ("导出今年和去年的销售对比", {"compare": ("previous",)}),
        ("compare Q1 and Q2 sales and export as Excel", {"compare": ("previous",)}),
        ("导出上周销售日报", {"bucket": "day", "by": ()}),
        ("export the daily sales report of last month", {"bucket": "day", "by": ()}),
        ("导出上月销售报表，用环形图展示", {"chart": "donut"}),
        ("导出上月销售报表，不要图表", {"chart": "none"}),
        ("export last month's sales by region with a chart", {"chart": "auto"}),
        ("export last month's sales by region with a pie chart", {"chart": "pie"}),
        ("export last month's sales without charts", {"chart": "none"}),
        ("用董事会模板导出上月销售报表PDF", {"template": "board"}),
        ("导出上月销售报表，用“董事会”的版式", {"template": "board"}),
        ("export last month's sales report in the board template", {"template": "board"}),
        ("export last month's sales with the plain look layout", {"template": "plain look"}),
    ],
)
def test_understood(text: str, said: dict[str, Any]) -> None:
    assert form(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "上月销售报表对比",  # with what?
        "导出上月对比销售数据",
        "对比上月销售报表生成PDF",
        "导出上月同期销售数据",
        "导出上月销售同比分析",
        "导出上月销售报表，和前年对比",  # neither the year before nor the one before that period
        "导出上月销售报表，用新模板",
        "导出上月销售报表模板",
        "按年龄导出上月销售",
        "按月和周导出去年销售",
        "按月、地区和门店导出去年销售",
        "导出上月销售，前10和前20",
        "导出上月各地区前3名门店",  # in each region, not of all
        "导出上月前10名门店的产品销售",
        "export last month's top 5 stores by region, sales",
        "每天给我导出昨天的销售报表",  # how often, not by day
        "每周一导出上周销售报表",
        "export last year's profit each month, sales report",
        "导出1月和2月的销售对比",  # of which is the report?
        "导出上月销售的饼图和折线图",
        "导出上月年度销售报表",
        "导出前10%的销售",
        "生成上月趋势销售报告",
        "export last month's sales growth",
        "export last month's sales versus budget",
        "export last month's top sales tips",
        "export last month's sales in the annual template",
    ],
)
def test_what_is_not_understood_whole_goes_to_the_model(text: str) -> None:
    assert not draft_of(text, CATALOG, TODAY).is_request


def test_a_number_of_days_or_months_is_a_period_and_no_ranking() -> None:
    assert form("导出前3个月销售报表") == {} == form("导出前10天销售报表")


def test_two_templates_are_too_many() -> None:
    assert not draft_of("导出上月销售报表，board模板，house模板", CATALOG, TODAY).is_request


def test_a_chart_is_no_csv() -> None:
    draft = draft_of("导出上月销售报表CSV，带图表", CATALOG, TODAY)
    asked = plan_of(draft, CATALOG, "zh", TODAY)
    assert isinstance(asked, Clarification) and (asked.slot, asked.choices[0]) == ("format", "Excel")
    plan = answered("导出上月销售报表CSV，带图表", "CSV")
    assert (plan.format, plan.chart) == ("csv", None)
    asked = plan_of(draft_of("导出上月销售报表CSV，用board模板", CATALOG, TODAY), CATALOG, "zh", TODAY)
    assert isinstance(asked, Clarification) and asked.slot == "format"  # nor has it a look
    plan = answered("导出上月销售报表CSV，带图表", "PDF")
    assert (plan.format, plan.chart) == ("pdf", "auto")


def answered(begun: str, answer: str) -> ReportPlan:
    turns = (Turn("user", begun), Turn("assistant", question(begun)), Turn("user", answer))
    found = resume(Request("r", "chat", "auto", turns), CATALOG, TODAY)
    assert found is not None
    plan = plan_of(found.draft, CATALOG, found.tongue, TODAY)
    assert isinstance(plan, ReportPlan), plan
    return plan


def test_an_answer_may_say_the_form_too() -> None:
    plan = answered("导出销售报表，同比", "上月，按门店，前5名，饼图")
    assert (plan.compare, plan.group_by, plan.top, plan.chart) == (("year",), ("store",), 5, "pie")


def test_whom_a_template_is_meant_for() -> None:
    spec = CATALOG[0]
    assert template_for(spec, "alice", "bot", "ops", "clerk") == "board"  # the user before the key
    assert template_for(spec, "bob", "bot", None, "director") == "plain look"  # the key before the role
    assert template_for(spec, None, "x", "ops", "director") == "plain look"  # the group before the role
    assert template_for(spec, None, "x", None, "director") == "board"
    assert template_for(spec, None, "anonymous", None, None) == "house"
    assert template_for(replace(spec, template="board"), None, "x", None, None) == "board"
    assert template_for(replace(spec, templates=()), "alice", "x", None, None) is None


def test_a_plan_is_plain_data() -> None:
    plan = answered("导出销售报表，同比", "上月，按门店，前5名，饼图")
    assert msgspec.convert(msgspec.to_builtins(plan), ReportPlan) == plan
