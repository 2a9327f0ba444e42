"""Amounts and percentages, and the words that only look like them."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

AMOUNTS = [
    ("¥500", [("¥500", {"amount": 500, "currency": "CNY"})]),
    ("500元", [("500元", {"amount": 500, "currency": "CNY"})]),
    ("3.5万元", [("3.5万元", {"amount": 35000, "currency": "CNY"})]),
    ("五百块", [("五百块", {"amount": 500, "currency": "CNY"})]),
    ("it is $1,200.50.", [("$1,200.50", {"amount": 1200.5, "currency": "USD"})]),
    ("USD 300", [("USD 300", {"amount": 300, "currency": "USD"})]),
    ("20 欧元", [("20 欧元", {"amount": 20, "currency": "EUR"})]),
    ("1.5亿人民币", [("1.5亿人民币", {"amount": 150000000, "currency": "CNY"})]),
    ("$3 million", [("$3 million", {"amount": 3000000, "currency": "USD"})]),
    ("一元二次方程，二元函数，一块儿去，3块巧克力", []),
    ("20 pounds of flour", []),
    (
        "£20 and 15 euros, 1000 yen",
        [
            ("£20", {"amount": 20, "currency": "GBP"}),
            ("15 euros", {"amount": 15, "currency": "EUR"}),
            ("1000 yen", {"amount": 1000, "currency": "JPY"}),
        ],
    ),
    ("HK$88，50港币", [("HK$88", {"amount": 88, "currency": "HKD"}), ("50港币", {"amount": 50, "currency": "HKD"})]),
    ("3块5", [("3块5", {"amount": 3.5, "currency": "CNY"})]),
    ("echo $1 $HOME", [("$1", {"amount": 1, "currency": "USD"})]),
    ("单元 2 元素 3.1.2元", []),
    ("五块钱", [("五块钱", {"amount": 5, "currency": "CNY"})]),
    ("100-200元", [("200元", {"amount": 200, "currency": "CNY"})]),
    (
        "RMB 5000, 人民币500元",
        [("RMB 5000", {"amount": 5000, "currency": "CNY"}), ("人民币500元", {"amount": 500, "currency": "CNY"})],
    ),
    ("$5k", [("$5k", {"amount": 5000, "currency": "USD"})]),
    ("5 million dollars", [("5 million dollars", {"amount": 5000000, "currency": "USD"})]),
    ("预算是3500元左右", [("3500元", {"amount": 3500, "currency": "CNY"})]),
    ("工资一万二，奖金两千块钱", [("两千块钱", {"amount": 2000, "currency": "CNY"})]),
    (
        "it costs 99.99 USD or €80",
        [("99.99 USD", {"amount": 99.99, "currency": "USD"}), ("€80", {"amount": 80, "currency": "EUR"})],
    ),
    ("月薪15k", []),
    ("200万美元的订单", [("200万美元", {"amount": 2000000, "currency": "USD"})]),
    ("三百五十元", [("三百五十元", {"amount": 350, "currency": "CNY"})]),
    ("10000日元", [("10000日元", {"amount": 10000, "currency": "JPY"})]),
    ("-¥500", [("-¥500", {"amount": -500, "currency": "CNY"})]),
    ("五十万元人民币", [("五十万元人民币", {"amount": 500000, "currency": "CNY"})]),
    ("元旦快乐，单元测试，公元2024年，元宇宙", []),
    ("10块电池", []),
    ("100块，够吗", [("100块", {"amount": 100, "currency": "CNY"})]),
    ("¥ 1,299.00", [("¥ 1,299.00", {"amount": 1299, "currency": "CNY"})]),
    ("I have 5 dollars and fifty cents", [("5 dollars", {"amount": 5, "currency": "USD"})]),
    ("CNY 88.8", [("CNY 88.8", {"amount": 88.8, "currency": "CNY"})]),
    ("US$1.2 million", [("US$1.2 million", {"amount": 1200000, "currency": "USD"})]),
    ("2.5亿元", [("2.5亿元", {"amount": 250000000, "currency": "CNY"})]),
    ("两百多块", [("两百多块", {"amount": 200, "currency": "CNY"})]),
    ("五毛钱 100个 50岁", []),
    ("3元组 三元催化", []),
    ("$HOME ${x} $1a", []),
    (
        "人民币三百万元整，三块五，五块五毛，五块三个",
        [
            ("人民币三百万元", {"amount": 3000000, "currency": "CNY"}),
            ("三块五", {"amount": 3.5, "currency": "CNY"}),
            ("五块五毛", {"amount": 5.5, "currency": "CNY"}),
        ],
    ),
    ("3.5w元", [("3.5w元", {"amount": 35000, "currency": "CNY"})]),
]
PERCENTAGES = [
    ("15%", [("15%", 15)]),
    ("百分之十五", [("百分之十五", 15)]),
    ("15 percent", [("15 percent", 15)]),
    ("三成利润", [("三成", 30)]),
    ("15％", [("15％", 15)]),
    ("1.5‰", [("1.5‰", 0.15)]),
    ("完成，一成不变，五成功，达成", []),
    ("10 % 3 and %20 and a%20b", []),
    ("涨了-2.5%，10%-20%", [("-2.5%", -2.5), ("10%", 10), ("20%", 20)]),
    ("七成五", [("七成五", 75)]),
    ("千分之三", [("千分之三", 0.3)]),
    ("50% off, 100%!", [("50%", 50), ("100%", 100)]),
    ("增长了12.5%，占百分之三十点五", [("12.5%", 12.5), ("百分之三十点五", 30.5)]),
    ("打八折，九成新", [("九成", 90)]),
    ("成绩很好，成为，做成，三成员", []),
    ("up 3 percent, 5 per cent", [("3 percent", 3), ("5 per cent", 5)]),
    ("x % y, 7 % 2 == 1, printf('%d')", []),
    ("百分之百", [("百分之百", 100)]),
    ("利率上调25个基点，3个百分点", [("3个百分点", 3)]),
    ("5 percentage points and percentile 90", []),
    ("100percent, a 7-percent rise", [("100percent", 100), ("7-percent", 7)]),
]


@pytest.mark.parametrize(("text", "found"), AMOUNTS)
def test_amount(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("amount", text)] == found


@pytest.mark.parametrize(("text", "found"), PERCENTAGES)
def test_percentage(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("percentage", text)] == found
