"""What stands around a calculation, how numbers are spoken, and sums of every day."""

from __future__ import annotations

import pytest

from pointsman.calculation import NotUnderstood, read
from pointsman.calculation.around import spelt
from pointsman.calculation.spoken import plainly
from pointsman.calculation.written import plain


def shown(text: str) -> str:
    problem = read(text)
    return f"{problem.kind} {', '.join(plain(node) for node in problem.nodes)}"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("客户催得急，3*4是多少，谢谢啦", "3*4"),
        ("在开会，帮我算下 128/4，过程不用写", "128/4"),
        ("my boss asks: 3*4, thanks", "3*4"),
        ("Hi there! what is 3*4 (in plain words)", "3*4"),
        ("calculate the deriviative of x^2", "derivative of x^2"),
        ("2^x=64，x等于几", "solve 2^x=64"),
        ("x^2 + x - 12 = 0, roots?", "solve x^2 + x - 12 = 0"),
        ("去年营收320万，今年400万，增长百分之几", "从320万增长到400万，增长了百分之几"),
        ("以2为底8的对数", "log_2(8)"),
        ("对x求导：x^3", "derivative of x^3"),
        ("前5个偶数的和", "sum of the first 5 even numbers"),
    ],
)
def test_the_same_in_other_words(text: str, same: str) -> None:
    assert shown(text) == shown(same)


@pytest.mark.parametrize(
    "text",
    [
        "翻译成英文：1+1等于2", "用 python 写：3*4", "why, 1+1=2", "下班了，886", "请三天假，从明天开始", "电话：010-62836791",
        "Part no. 400-12", "写一首诗，七言", "会议改到三点，请转告", "summarise this: revenue up 12%, costs down 3%", "Price: 1,380",
        "先涨价20%，再打八折，100元的现在多少",
    ],
)  # fmt: skip
def test_what_is_no_calculation_stays_none(text: str) -> None:
    with pytest.raises(NotUnderstood):
        read(text)


@pytest.mark.parametrize(
    ("written", "plainly_written"),
    [
        ("零下40℃", "-40℃"), ("华氏100度", "100℉"), ("三斤半", "3.5斤"), ("3 and a half hours", "3.5 hours"),
        ("7 eighths minus 1 third", "(7/8) minus (1/3)"), ("2 sq meters", "2 meters^2"), ("5 ft 9 in cm", "5 ft 9 inch in cm"),
        ("15 US gallons", "15 gallons"), ("tan 60度", "tan 60°"), ("2 seconds", "2 seconds"), ("square root of 9", "square root of 9"),
    ],
)  # fmt: skip
def test_how_it_is_spoken(written: str, plainly_written: str) -> None:
    assert plainly(written) == plainly_written


def test_only_words_that_are_nearly_known_are_spelt_anew() -> None:
    assert spelt("intergal deriviative international percentile") == "integral derivative international percentile"


def test_a_negative_number_in_words_is_raised_whole() -> None:
    assert shown("负七的平方") == shown("(-7)^2") != shown("-7^2")
