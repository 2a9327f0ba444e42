"""What a reply must be, by each kind of checker; and what is said of one that is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.bench.quality.checkers import BadChecker, checker_of, json_in, numbers_in, without_thoughts

_PERSON = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.mark.parametrize(
    ("checker", "right", "wrong"),
    [
        ({"kind": "exact", "value": "Paris"}, ["paris.", "  “Ｐａｒｉｓ” "], ["Paris, France", ""]),
        ({"kind": "exact", "value": ["是", "对"]}, ["对。", "是"], ["不对"]),
        ({"kind": "exact", "value": "Yes", "strict": True}, ["Yes\n"], ["yes", "Yes."]),
        ({"kind": "contains", "all": ["PUMP"], "none": ["sorry"]}, ["the pump broke"], ["Sorry, the pump", "pipe"]),
        ({"kind": "contains", "any": ["周四", "星期四"]}, ["在星期四"], ["周五"]),
        ({"kind": "regex", "pattern": r"^\d{4}-\d{2}$", "whole": True}, ["2024-07\n"], ["on 2024-07"]),
        ({"kind": "regex", "pattern": r"wc\s+-l"}, ["use wc  -l"], ["wc"]),
        ({"kind": "number", "value": 1234.5}, ["It is 1,234.5.", "１２３４．５"], ["1234.5, or 12", "none"]),
        ({"kind": "number", "value": 10, "tolerance": 0.5}, ["9.6"], ["9.4"]),
        ({"kind": "number", "value": 200, "percent": 1}, ["= -3, no: 201.9"], ["203"]),
        ({"kind": "number", "value": 3, "which": "first"}, ["3 of 9"], ["9 of 3"]),
        ({"kind": "number", "value": 3, "which": "any"}, ["1, 2, 3, 4"], ["1, 2"]),
        ({"kind": "choice", "value": "B"}, ["B", "(b)", "The answer is B.", "A or B?\nB"], ["A", "A or B", "Bad"]),
        ({"kind": "choice", "value": "no", "choices": ["yes", "no"]}, ["no."], ["yes", "nothing"]),
        ({"kind": "json_schema", "schema": _PERSON}, ['{"name": "x"}', '```json\n{"name": ""}\n```'], ["{}", "name"]),
        ({"kind": "json_schema", "schema": {"type": "array"}, "equals": [1, 2]}, ["[1, 2]"], ["[1]", '{"a": 1}']),
        ({"kind": "length", "max": 3, "unit": "words"}, ["a b c", ""], ["a b c d"]),
        ({"kind": "length", "min": 2, "max": 2, "unit": "lines"}, ["a\n\nb"], ["a"]),
        ({"kind": "length", "min": 1}, ["x"], [" "]),
        ({"kind": "language", "value": "zh"}, ["你好"], ["hello", ""]),
        ({"kind": "not", "checker": {"kind": "contains", "any": ["no"]}}, ["yes"], ["no"]),
        (
            {"kind": "all", "checkers": [{"kind": "language", "value": "en"}, {"kind": "length", "max": 5}]},
            ["hi"],
            ["hello there", "你好"],
        ),
        (
            {"kind": "any", "checkers": [{"kind": "exact", "value": "1"}, {"kind": "exact", "value": "one"}]},
            ["One"],
            ["two"],
        ),
    ],
)
def test_replies(checker: dict[str, Any], right: list[str], wrong: list[str]) -> None:
    check = checker_of(checker)
    assert [check(reply) for reply in right] == [1.0] * len(right)
    assert [check(reply) for reply in wrong] == [0.0] * len(wrong)


def test_a_mean_gives_parts() -> None:
    parts = [{"kind": "contains", "all": [word]} for word in ("a", "b", "c", "d")]
    assert checker_of({"kind": "mean", "checkers": parts})("b and d") == 0.5 + 0.25  # "and" has an a


@pytest.mark.parametrize(
    ("checker", "english", "chinese"),
    [
        ("exact", "a checker is a mapping with a kind", "必须是带 kind 的映射"),
        ({"kind": "exakt", "value": "x"}, 'did you mean "exact"', "是不是“exact”"),
        ({"kind": "exact"}, "needs 'value'", "缺少 'value'"),
        ({"kind": "number", "value": 1, "tolerence": 2}, 'did you mean "tolerance"', "是不是“tolerance”"),
        ({"kind": "number", "value": "4"}, "value must be a number", "value 必须是数字"),
        ({"kind": "number", "value": 4, "which": "best"}, "valid: last, first, any", "合法取值：last、first、any"),
        ({"kind": "regex", "pattern": r"(?=x)y"}, "RE2 refuses the pattern", "RE2 不接受这个正则"),
        ({"kind": "regex", "pattern": "("}, "missing )", "RE2 不接受这个正则"),
        ({"kind": "choice", "value": "E"}, "none of the choices A, B, C, D", "不在 choices A, B, C, D 之中"),
        ({"kind": "json_schema", "schema": {"type": "objekt"}}, "it is no JSON schema", "不是 JSON Schema"),
        ({"kind": "contains"}, "contains needs all, any or none", "contains 需要 all、any 或 none"),
        ({"kind": "length", "unit": "pages"}, "valid: characters, words, lines", "合法取值：characters, words, lines"),
        ({"kind": "language", "value": "fr"}, "valid: zh, en", "合法取值：zh、en"),
        ({"kind": "all", "checkers": []}, "a list with something in it", "必须是非空列表"),
    ],
)
def test_what_is_wrong_is_said(checker: Any, english: str, chinese: str) -> None:
    with pytest.raises(BadChecker) as error:
        checker_of(checker)
    assert english in error.value.args[0] and chinese in error.value.args[0].zh


def test_checkers_are_not_nested_without_end() -> None:
    checker: dict[str, Any] = {"kind": "exact", "value": "x"}
    for _ in range(9):
        checker = {"kind": "not", "checker": checker}
    with pytest.raises(BadChecker):
        checker_of(checker)


def test_thoughts_are_left_out() -> None:
    assert without_thoughts("<think>4? no, 5</think>\n5") == "5"
    assert without_thoughts("<thinking>and so on") == ""
    assert without_thoughts("5 <think>") == "5 <think>"


def test_numbers_and_json_of_replies() -> None:
    assert numbers_in("1,000 - .5 and -2e3, 1,2") == [1000.0, 0.5, -2000.0, 1.0, 2.0]
    assert json_in("3") == 3 and json_in("so: 3") is None


_KINDS = (
    {"kind": "exact", "value": "x"},
    {"kind": "contains", "any": ["x"]},
    {"kind": "regex", "pattern": "x"},
    {"kind": "number", "value": 1},
    {"kind": "choice", "value": "A"},
    {"kind": "json_schema", "schema": {}},
    {"kind": "length", "max": 9},
    {"kind": "language", "value": "en"},
)


@given(st.text(max_size=60), st.sampled_from(_KINDS))
def test_any_reply_has_a_grade(reply: str, checker: dict[str, Any]) -> None:
    assert checker_of(checker)(reply) in (0.0, 1.0)
