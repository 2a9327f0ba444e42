"""Extracts as terms of rules: conditions, excludes, slots, in either form of a text."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.extractors import KINDS
from pointsman.rules import compile_rules, parse_rules, slot_values
from pointsman.rules.cases import plain_features
from pointsman.rules.extracts import Extracted
from pointsman.rules.fold import fold

TEXTS = {
    "period": ("上周五的数据", "上周五"),
    "number": ("一共三百二十件", "三百二十"),
    "amount": ("报销¥1,200.50可以吗", "¥1,200.50"),
    "percentage": ("涨了15％吧", "15％"),
    "file": ("看看 Report.PDF 吧", "Report.PDF"),
    "code": ("看看\n```Python\nx = 1\n```\n好吗", "```Python\nx = 1\n```"),
    "sql": ("跑一下 SELECT * FROM Orders;", "SELECT * FROM Orders"),
    "maths": ("算 3*(4+5)", "3*(4+5)"),
    "url": ("打开 https://Example.com/A?b=1。", "https://Example.com/A?b=1"),
    "email": ("发到 Li.Si@example.com", "Li.Si@example.com"),
    "phone": ("电话 138-1234-5678", "138-1234-5678"),
    "id_card": ("身份证 11010519491231002X", "11010519491231002X"),
    "bank_card": ("卡号 4111 1111 1111 1111", "4111 1111 1111 1111"),
    "secret": ("密码是 Hunter22x", "Hunter22x"),
}


def hit(when: dict[str, Any], text: str) -> dict[str, str] | None:
    rules = parse_rules([{"id": "r", "when": when, "answer": "x", "negation": "ignore"}], pack="p")
    found = compile_rules(rules).match(text, plain_features(text), entry="auto")
    return None if found is None else slot_values(found, text)


def test_there_is_a_text_for_each_kind() -> None:
    assert set(TEXTS) == set(KINDS)


@pytest.mark.parametrize("kind", TEXTS)
def test_each_kind_is_a_condition_and_a_slot(kind: str) -> None:
    text, piece = TEXTS[kind]
    when = {"all": [{"extract": kind, "as": "it"}]}
    values = hit(when, text)
    assert values is not None and values["it"].startswith(piece[:4]) and values["it"].rstrip(";") == piece
    assert hit(when, "今天天气怎么样呀" if kind != "period" else "天气怎么样呀") is None
    assert hit(
        {"any": ["看", "跑", "算", "打开", "发", "的", "一共", "可以", "涨", "电话", "身份证", "卡号", "密码"]}, text
    )
    assert hit({"any": [text[:1]], "none": [{"extract": kind}]}, text) is None


@pytest.mark.parametrize(
    ("kind", "of", "text", "takes"),
    [
        ("file", [".PDF", "xlsx"], "看看 report.pdf", True),
        ("file", "csv", "看看 report.pdf", False),
        ("code", "python", "```python\nx\n```", True),
        ("code", "python", "```js\nx\n```", False),
        ("amount", "usd", "付了 $20", True),
        ("amount", "cny", "付了 $20", False),
        ("sql", "destructive", "DROP TABLE users", True),
        ("sql", "destructive", "DELETE FROM users WHERE id = 3", False),
        ("sql", "delete", "DELETE FROM users WHERE id = 3", True),
        ("sql", "mysql", "SELECT `a` FROM `b` LIMIT 3, 4", True),
        ("sql", "postgres", "SELECT `a` FROM `b` LIMIT 3, 4", False),
        ("period", "quarter", "看看 Q3 的数据", True),
        ("period", "month", "看看 Q3 的数据", False),
    ],
)
def test_a_kind_is_narrowed_down(kind: str, of: str | list[str], text: str, takes: bool) -> None:
    assert (hit({"all": [{"extract": kind, "of": of}]}, text) is not None) is takes


def test_two_extracts_of_a_group_count_apart() -> None:
    when = {
        "all": [{"at_least": 2, "of": [{"extract": "phone"}, {"extract": "email"}, {"extract": "phone", "of": []}]}]
    }
    with pytest.raises(Exception, match=r"phone has no kinds|is empty"):
        hit(when, "x")
    when = {"all": [{"at_least": 2, "of": [{"extract": "phone"}, {"extract": "email"}]}]}
    assert hit(when, "13812345678") is None
    assert hit(when, "13812345678, a@example.com") is not None


def test_places_are_those_of_the_original() -> None:
    text = "把\u200b销\u200b售 Ｑ３ 的报表发到 a@example.com"
    folded = fold(text)
    [(start, end)] = Extracted("email").occurrences(folded)
    assert text[slice(*folded.original(start, end))] == "a@example.com"


def test_a_template_takes_extracts_as_slots() -> None:
    when = {"template": "把{period}的{what}发到{email:to}", "slots": {"what": ["报表", "数据"]}}
    assert hit(when, "把上周五的报表发到 li@example.com。") == {
        "template": "把上周五的报表发到 li@example.com",
        "period": "上周五",
        "what": "报表",
        "to": "li@example.com",
        "question": "把上周五的报表发到 li@example.com。",
    }
    assert hit(when, "把某天的报表发到 li@example.com") is None
