"""Expressions to compute, and what is only joined by their signs."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

CASES = [
    ("3*(4+5)", [("3*(4+5)", None)]),
    ("2^10等于多少", [("2^10", None)]),
    ("算 sin(x)+1", [("sin(x)+1", None)]),
    ("解 x^2-4=0", [("x^2-4=0", None)]),
    ("求∫ x^2 dx", [("∫ x^2 dx", None)]),
    ("√16+3", [("√16+3", None)]),
    ("$\\frac{1}{2}+3$", [("$\\frac{1}{2}+3$", None)]),
    ("12×8是多少，100÷4呢", [("12×8", None), ("100÷4", None)]),
    ("2024-05-03 138-1234-5678 3-5 v3.1 a/b/c C++ a-1@b.com 24/7 3:2 42 and/or 1/2", []),
    ("3加5等于几", [("3加5", None)]),
    ("what is 15 - 7?", [("15 - 7", None)]),
    ("1920×1080 分辨率", []),
    ("x = 5; N+1; python>=3.10; 10:30-11:30", []),
    ("compute (1+2)*3.", [("(1+2)*3", None)]),
    ("2x+3=7", [("2x+3=7", None)]),
    ("pages 3 - 5 days; $5 and $10", []),
    ("sqrt(16)", [("sqrt(16)", None)]),
    ("1+1=?", [("1+1=", None)]),
    ("计算 15*24+7", [("15*24+7", None)]),
    ("(3+5)*2-1 等于？", [("(3+5)*2-1", None)]),
    ("log(100)+ln(5)", [("log(100)+ln(5)", None)]),
    ("求 2x^2+3x-5=0 的解", [("2x^2+3x-5=0", None)]),
    ("电话 010-12345678，日期 2024/05/03，版本 1.2.3", []),
    ("我用C++和A/B测试, TCP/IP, and/or, 9-5", []),
    ("100-37=?", [("100-37=", None)]),
    ("比分 3-2，3:1，24/7，5/10", []),
    ("(1/2)+(3/4)", [("(1/2)+(3/4)", None)]),
    ("计算100/4", [("100/4", None)]),
    ("12 * 34", [("12 * 34", None)]),
    ("cos(30°)", [("cos(30°)", None)]),
    ("**bold** and *5* - item", []),
    ("\\(x^2+1\\)", [("\\(x^2+1\\)", None)]),
    ("/usr/local/bin/1 2024-01-01~2024-02-01", []),
    ("3.14*5**2", [("3.14*5**2", None)]),
    ("5 + 3", [("5 + 3", None)]),
    ("price is $5-$10, 50%-60%", []),
    ("$$\\int_0^1 x dx$$", [("$$\\int_0^1 x dx$$", None)]),
    ("1-2周, 3~5人, 2-3个", []),
    ("∫sin(x)dx", [("∫sin(x)dx", None)]),
    ("100-37", [("100-37", None)]),
    ("256/8", [("256/8", None)]),
    ("24/7", []),
    ("3-5", []),
    ("7*24小时，N+1，2B+2C", []),
    ("what is 12 x 5", [("12 x 5", None)]),
    ("y=e^x", [("y=e^x", None)]),
    ("∫_0^1 x^2 dx", [("∫_0^1 x^2 dx", None)]),
    ("lim(x→0) sin(x)/x", [("lim(x→0) sin(x)/x", None)]),
    ("e^(iπ)+1=0", [("e^(iπ)+1=0", None)]),
    ("10/10, 2024-2025学年", []),
]


@pytest.mark.parametrize(("text", "found"), CASES)
def test_maths(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("maths", text)] == found
