"""Chinese numerals, against a slow writer of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.extractors.numerals import number_of, zh_number

DIGITS = "零一二三四五六七八九"


def section(n: int) -> str:
    """How a number below 10,000 is written in full, 零 and all."""
    out, gap = "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = n // power % 10
        if digit:
            out += ("零" if gap and out else "") + DIGITS[digit] + name
            gap = False
        else:
            gap = True
    return out


def written(n: int) -> str:
    out = ""
    for power, name in ((10**8, "亿"), (10**4, "万"), (1, "")):
        part = n // power % 10000
        if part:
            out += ("零" if out and part < 1000 else "") + section(part) + name
    return out


@given(st.integers(1, 10**12 - 1))
def test_what_is_written_is_read(n: int) -> None:
    assert zh_number(written(n)) == n


@given(st.integers(10, 19))
def test_ten_needs_no_one(n: int) -> None:
    assert zh_number(written(n).removeprefix("一")) == n


@given(st.text("零〇一二两三四五六七八九十百千万亿", max_size=12))
def test_no_row_of_characters_crashes(word: str) -> None:
    value = zh_number(word)
    assert value is None or 0 <= value < 10**16


def test_spoken_short() -> None:
    assert [zh_number(w) for w in ("三百二", "两千三", "三万五", "一亿二", "一百零二")] == [
        320,
        2300,
        35000,
        120000000,
        102,
    ]


def test_no_numerals() -> None:
    words = ("万一", "千万", "百", "三三两两", "二零二四", "一五一十", "十百", "一千百", "零零", "")
    assert [zh_number(w) for w in words] == [None] * len(words)


def test_scales() -> None:
    assert [number_of("1.1", "万"), number_of("3,450.5"), number_of("2", " million"), number_of("三点五", "亿")] == [
        11000,
        3450.5,
        2000000,
        350000000,
    ]
