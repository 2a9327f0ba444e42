"""Every rule of every pack that ships runs its own cases, alone and with all packs together."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from packs import FOLDERS, pack, taken

from pointsman.config.load import load
from pointsman.config.rule_files import OPT_IN, builtin_packs, default_packs
from pointsman.domain.rule import Rule
from pointsman.rules import compile_rules, duplicate_ids, failed_cases, missing_cases
from pointsman.rules.terms import compile_term

NAMES = [folder.name for folder in FOLDERS]
RULES = [rule for name in NAMES for rule in pack(name)]


def test_the_packs_that_ship() -> None:
    assert builtin_packs() == NAMES
    assert NAMES == [
        "client-probes", "code-review", "injection-guard", "length-guard", "no-drawing", "ops-faq", "pii-guard",
        "report-export", "smalltalk", "sql-guard",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_cases_hold(name: str) -> None:
    assert [str(case.problem) for case in failed_cases(compile_rules(pack(name)), pack(name))] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_who_answers_for_it_and_has_cases_of_each_kind(rule: Rule) -> None:
    assert missing_cases(rule) is None
    assert (rule.owner, rule.since) == ("pointsman", "2026-11-29")
    assert all(case.why for case in rule.cases if case.kind == "boundary")
    boundary = {case.takes for case in rule.cases if case.kind == "boundary"}
    assert False in boundary  # the edge is only known where something lies outside of it


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_regex_runs_only_where_one_of_its_strings_is_there(rule: Rule) -> None:
    terms = [term for group in rule.groups for term in group.terms if term.kind == "regex"]
    assert [term.value for term in terms if compile_term(term).literals is None] == []  # type: ignore[union-attr]


def test_packs_live_together() -> None:
    """A rule may only lose an example to one of a higher priority that is meant to go before it."""
    assert duplicate_ids(RULES) == []
    failed = failed_cases(compile_rules(RULES), RULES)
    assert [str(case.problem) for case in failed if case.case.takes] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_card_of_a_pack(folder: Path) -> None:
    card = yaml.safe_load((folder / "pack.yaml").read_text(encoding="utf-8"))
    assert set(card) == {"name", "version", "guard", "summary"}
    assert card["name"] == folder.name
    assert card["guard"] is folder.name.endswith("-guard")
    assert set(card["summary"]) == {"zh", "en"}


def test_without_a_config_file_all_are_on_that_harm_nobody() -> None:
    assert sorted(OPT_IN) == ["length-guard"]
    loaded = load(None, None, {})
    assert loaded.config.rules.packs == [f"builtin:{name}" for name in default_packs()]
    assert {file.pack for file in loaded.rules} == set(NAMES) - OPT_IN


ORDINARY = [
    *("ok, now explain why", "this", "是的", "yes", "2", "画重点", "draw a conclusion", "draw up a plan", "计划"),
    *("write a function that resets a password", "如何设计密码重置流程", "帮我写一首诗", "今天天气怎么样"),
    *("What is the capital of France?", "动画电影有哪些", "select a gift for my mother"),
    *(
        "帮我把这段话改得正式一点：谢谢你们的帮助",
        "给客户写一封邮件，说明密码已经重置",
        "解释一下什么是VPN",
        "推荐几款打印机",
    ),
    *("用三句话介绍北京", "把下面的句子翻译成英文：你好，很高兴认识你", "写一份会议室使用规定", "年假和调休有什么区别"),
    *(
        "怎么跟领导请假比较得体",
        "如何给手机安装软件",
        "家里的WiFi信号不好怎么办",
        "手机忘记锁屏密码怎么办",
        "微信账号被封了怎么申诉",
    ),
    *("银行卡密码忘了怎么办", "给我讲一个关于打印机的笑话", "邮件营销怎么做", "画蛇添足是什么意思", "这幅画里有几只猫"),
    *(
        "评价一下梵高的画",
        "写一段描写画家画一座山的文字",
        "做一张课程表",
        "生成一个随机密码",
        "导数怎么求",
        "导出数据的函数怎么写",
    ),
    *(
        "ping 不通网关是什么原因",
        "检查一下我的作文",
        "优化我的简历",
        "SQL注入是什么",
        "什么是提示词工程",
        "帮我想三个文章标题",
    ),
    *(
        "请总结上面的对话",
        "我的笔记本电脑很卡",
        "软件著作权怎么申请",
        "投影仪的原理是什么",
        "会议室预订系统怎么设计",
        "帮我写请假条",
    ),
    *(
        "小明有3个苹果，给了小红1个，还剩几个？",
        "列出五个锻炼身体的方法",
        "离职证明怎么开",
        "公司年会策划方案",
        "用户忘记密码时应该怎样提示",
    ),
    *(
        "how do I draw a cat step by step",
        "explain what a printer driver does",
        "write an out-of-office reply",
        "My phone can't connect to wifi",
    ),
    *(
        "Who invented email?",
        "Give me tips for asking for time off",
        "summarize this chat",
        "How many vacation days do Germans have?",
    ),
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_requests_go_to_the_model(text: str) -> None:
    assert taken(text) in (None, "report_export")  # whose action reads the sentence again


def test_small_talk_leaves_answers_tools_and_images_alone() -> None:
    for rule in pack("smalltalk"):
        conditions = rule.conditions
        assert (conditions.asked, conditions.tools, conditions.images, conditions.structured) == (False,) * 4
        assert all(term.kind == "whole" for group in rule.groups for term in group.terms)


@pytest.mark.parametrize("name", ["ops-faq", "no-drawing", "report-export"])
def test_what_takes_a_request_leaves_tools_and_machines_alone(name: str) -> None:
    """Whoever offers tools may have one for it, and a canned text is no JSON."""
    for rule in pack(name):
        assert (rule.conditions.tools, rule.conditions.images, rule.conditions.structured) == (False,) * 3


def test_answers_of_the_ops_faq_name_what_to_fill_in() -> None:
    for rule in pack("ops-faq"):
        text = rule.parameters["text"]
        assert set(text) == {"zh", "en"}
        assert all("<" in words and ">" in words for words in text.values()), rule.id


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("管理员密码忘了", "ops_reset_admin_password"),  # not the page for users
        ("打印机连不上公司wifi", "ops_printer"),  # equal priority: the first one written
        ("优化这段SQL：```SELECT * FROM t```", "code_review_sql"),
        ("画一只猫", "no_drawing"),
        ("ping", "probe_ping"),
    ],
)
def test_which_of_several_rules_takes_it(text: str, rule: str) -> None:
    assert taken(text) == rule
