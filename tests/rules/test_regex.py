from __future__ import annotations

import re

import pytest

from pointsman.rules.fold import fold
from pointsman.rules.literals import required_literals
from pointsman.rules.regex import BadRegex, compile_regex


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("ＰＤＦ", "导出pdf"),
        ("（一）", "见（一）条"),
        ("[（(]x", "(x"),
        (r"\S+@\S+", "Me@Example.com"),
        ("É", "é"),
        ("don’t", "DON'T"),
    ],
)
def test_patterns_meet_the_folded_text(source: str, text: str) -> None:
    assert compile_regex(source).search(fold(text).text)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("a(", "RE2 refuses it: missing )"),
        ("(?=a)b", "look-around"),
        (r"(a)\1", "back-references"),
        ("a*", "empty text"),
        ("^", "empty text"),
    ],
)
def test_what_is_refused_says_why(source: str, said: str) -> None:
    with pytest.raises(BadRegex, match=re.escape(said)):
        compile_regex(source)


@pytest.mark.parametrize(
    ("source", "literals"),
    [
        ("导出", {"导出"}),
        (r"ab+c", {"ab"}),
        (r"ab?c", {"a"}),
        (r"\d+号楼", {"号楼"}),
        ("(?:导出|下载)PDF", {"导出", "下载"}),
        ("(?:导出|下载)", {"导出", "下载"}),
        (r"x{2,3}yz", {"xyz"}),
        (r"\bselect\b", {"select"}),
    ],
)
def test_required_literals(source: str, literals: set[str]) -> None:
    assert required_literals(source) == literals


@pytest.mark.parametrize("source", [r"\d+", "a|", "[ab]", "(?i)abc", r"\Qa.b\E", "a*", ".", r"\pN"])
def test_unknown_literals_are_none(source: str) -> None:
    assert required_literals(source) is None


def test_a_repeated_literal_does_not_join_what_follows_the_optional_rest() -> None:
    pattern = compile_regex("x{2,3}yz")
    [literal] = required_literals("x{2,3}yz") or []
    assert pattern.search("xxxyz")
    assert literal in "xxxyz"
    assert literal in "xxyz"
