"""Precision both ways: what is negated, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.rule import Conditions, Group, Rule, Term
from pointsman.rules import compile_rules, negation
from pointsman.rules.cases import plain_features
from pointsman.rules.fold import fold


def words(*values: str) -> tuple[Term, ...]:
    return tuple(Term("word", value) for value in values)


RULE = Rule(
    id="export",
    pack="p",
    priority=1,
    groups=(
        Group("verb", words("导出", "生成", "export", "generate")),
        Group("what", words("报表", "PDF", "report")),
    ),
    none=(),
    conditions=Conditions(),
    action="x",
)


def taken(text: str, rule: Rule = RULE) -> bool:
    hit = compile_rules([rule]).match(text, plain_features(text), entry="auto", endpoint="chat", role=None)
    return hit is not None


NEGATED = """
不要导出昨天的报表PDF
别导出报表
请勿导出报表
先不导出报表
先不要导出报表
不用导出报表了
不必导出报表
无需生成报表
不需要生成PDF报表
没有必要生成报表
没必要导出报表
禁止导出报表
严禁导出报表
千万别再帮我导出报表
不要把昨天的报表导出成PDF
我不想导出报表
不导出报表
今天暂不导出报表
报表无法导出
报表不能导出
报表没有导出
取消导出报表
停止生成报表
导出报表，不要PDF
导出昨天的报表，算了
导出昨天的报表PDF，不用了，谢谢
先别导出报表，等我确认再导出
别急着导出报表
别着凉，也别导出报表
报表用不着导出
不准导出报表
不得导出报表
不可导出报表
特别是不要导出报表
别忘了不要导出报表
不要\u200b导出报表
不　要！别导出报表
Don't export the report
don’t export the report
dont export the report
do not export the report
Please do not generate any report
never export the report
There is no need to export the report
no need to generate a report
I don't want to export the report
export the report, not a pdf
export the csv without the report
export report, no PDF
cancel the export of the report
stop the export of my report
I cannot export the report
export a table instead of a report
export the report... never mind
export the report. forget it
don't 导出报表
为什么不能导出报表
""".strip().splitlines()

FREE = """
导出昨天的报表PDF
别忘了导出昨天的报表PDF
不要忘了导出报表
不要忘记导出报表
别忘记导出报表
特别导出报表
请分别导出报表
按级别导出报表
导出级别报表
分类别导出报表
识别后导出报表
区别在哪，导出报表
不得不导出报表
不能不导出报表
为什么不导出报表
何不导出报表
能不能导出报表
可不可以导出报表
要不要导出报表
需不需要导出报表
要不导出报表吧
不要用蓝色，导出昨天的报表PDF
不要担心格式，导出报表
不用担心格式直接导出报表
不用客气，导出报表
不仅要导出报表，还要发邮件
不但要导出报表
不只是导出报表
不要画图片而是导出报表
不过导出报表要快
导出报表，不要包含图片
导出报表，不要太大
导出不同地区的报表
对不起，导出报表
差不多了，导出报表
除了别的，导出报表
别名为甲的报表导出
don't forget to export the report
don’t forget to export the report
Don't hesitate to export the report
not only export the report but mail it
Not just a summary: export the report
why not export the report
why don't you export the report
export the report without delay
never mind the colours, export the report
nothing else, export the report
notable: export the report
export the report, no colours
I know how to export the report
if you cannot print, export the report
""".strip().splitlines()


@pytest.mark.parametrize("text", NEGATED)
def test_negated(text: str) -> None:
    assert not taken(text)


@pytest.mark.parametrize("text", FREE)
def test_not_negated(text: str) -> None:
    assert taken(text)


def test_a_negator_inside_a_term_of_the_rule_is_what_the_rule_wants() -> None:
    rule = Rule("x", "p", 1, (Group("g", words("无法登录", "登录")),), (), Conditions(), "x")
    assert taken("我无法登录", rule)
    assert not taken("不要登录", rule)


def test_a_term_that_begins_inside_the_negator_is_negated() -> None:
    rule = Rule("x", "p", 1, (Group("g", words("要导出")),), (), Conditions(), "x")
    assert taken("我要导出", rule)
    assert not taken("不要导出", rule)


def test_negation_can_be_ignored() -> None:
    rule = Rule("x", "p", 1, (Group("g", words("登录")),), (), Conditions(), "x", negatable=False)
    assert taken("无法登录", rule)


PIECES = ["不", "不要", "不需要", "没有", "别", "特别", "instead of ", "no ", "don't ", "导出", "报表", "é", "x"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.integers(1, 20))
def test_a_text_searched_piece_by_piece_has_the_same_negators(text: str, window: int) -> None:
    folded = fold(text)
    whole = negation.negators(folded)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negation, "_WINDOW", window)
        assert list(negation.negators(folded)) == list(whole)


def test_negators_stand_where_the_text_has_them() -> None:
    folded = fold("é😀不要报表，don't x")
    assert [folded.text[scope.start : scope.end] for scope in negation.scopes(folded)] == ["不要", "don't"]


@pytest.mark.parametrize(
    "text",
    [
        "不是让你导出报表",
        "导出报表是没必要的",
        "导出报表没有必要",
        "export the 报表? no",
        "export 报表, no thanks",
        "I refuse to export the 报表",
    ],
)
def test_more_ways_to_say_no(text: str) -> None:
    assert not taken(text)


@pytest.mark.parametrize("text", ["有必要导出报表", "导出报表 yes or no", "没问题，导出报表", "export 报表 no 12"])
def test_what_only_looks_like_it(text: str) -> None:
    assert taken(text)
