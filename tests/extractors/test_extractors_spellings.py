"""The same value in other spellings: traditional characters, full width, characters that show nothing in between."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract


@pytest.mark.parametrize(
    ("kind", "text", "piece", "value"),
    [
        ("amount", "預算3.5萬元左右", "3.5萬元", {"amount": 35000, "currency": "CNY"}),
        ("amount", "500\u200b元", "500\u200b元", {"amount": 500, "currency": "CNY"}),
        ("amount", "五百圓", "五百圓", {"amount": 500, "currency": "CNY"}),
        ("number", "三萬兩千", "三萬兩千", 32000),
        ("phone", "1\u200b3812345678。", "1\u200b3812345678", "13812345678"),
        ("email", "a\u200b@b.cn", "a\u200b@b.cn", "a@b.cn"),
        ("period", "去\u200b年的", "去\u200b年", None),
    ],
)
def test_spellings(kind: str, text: str, piece: str, value: object) -> None:
    [find] = extract(kind, text)
    assert text[find.start : find.end] == piece
    assert value is None or find.value == value
