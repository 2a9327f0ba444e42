"""What holds for every kind, whatever the text."""

from __future__ import annotations

import datetime
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.extractors import KINDS, Extract, extract, may_hold
from thorough import tries

TODAY = datetime.date(2026, 11, 29)
PIECES = st.sampled_from(
    [
        "500元", "$1,200.50", "15%", "三百二十", "百分之十五", "三成", "a.py", "销售表.xlsx", "C:\\a\\b.csv",
        "```", "```python", "~~~", "SELECT * FROM t",
        "DELETE FROM t WHERE", "with a as (", "drop table x", "'", '"', "`", "/*", "*/", "--", ";", "3*(4+5)",
        "x^2", "sin(", ")", "$", "\\(", "√16",
        "https://a.com/b", "www.", "a@b.cn", "13812345678", "+86 ", "010-12345678", "400-820-8820",
        "11010519491231002X", "4111 1111 1111 1111",
        "4111111111111111", "密码是 ", "password: ", "Abc12345", "sk-",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNryP4J3",
        "上周五", "Q3", "5月3日", "10:30", "１２３",
        "％", "\ud800", "\x00", " ", "\n", "。", "，", "的", "a", "1", "-", ".", ",", "万", "元", "块", "é", "😀",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=12).map(" ".join))
KIND = st.sampled_from(KINDS)
TEXT_KINDS = [kind for kind in KINDS if kind != "period"]


@settings(max_examples=tries(120, 400))
@given(KIND, TEXTS)
def test_finds_lie_in_the_text_in_order_and_apart(kind: str, text: str) -> None:
    end = 0
    for found in extract(kind, text, today=TODAY):
        assert isinstance(found, Extract)
        assert found.kind == kind
        assert end <= found.start < found.end <= len(text)
        assert found.of is None or isinstance(found.of, str)
        end = found.end


@settings(max_examples=tries(120, 400))
@given(KIND, TEXTS)
def test_may_hold_is_necessary(kind: str, text: str) -> None:
    data = text.encode("utf-8", "replace")
    if extract(kind, text, today=TODAY):
        assert may_hold(kind, data)


@given(
    KIND, st.lists(PIECES, max_size=6).map(" ".join), st.sampled_from(["你好，", "日志：\n", "é ", "😀 ", "谢谢。\n"])
)
def test_what_stands_before_moves_a_find_and_nothing_else(kind: str, text: str, lead: str) -> None:
    """Behind a line of its own a text holds what it holds alone: offsets are of characters, not of bytes."""
    if kind == "period" or "~~~" in text or "```" in text:
        return
    alone = extract(kind, text)
    moved = extract(kind, lead + "\n" + text)
    shift = len(lead) + 1
    assert [(e.start + shift, e.end + shift, e.value, e.of) for e in alone] == [
        (e.start, e.end, e.value, e.of) for e in moved
    ]


@pytest.mark.parametrize(
    ("kind", "text", "of"),
    [
        ("file", "a.PDF", "pdf"), ("code", "```Go\nx\n```", "go"), ("code", "```\nx\n```", None),
        ("sql", "DROP TABLE a", "drop"),
        ("amount", "3美元", "USD"), ("number", "12", None), ("url", "https://a.cn", None), ("period", "上周五", "day"),
    ],
)  # fmt: skip
def test_what_a_rule_may_narrow_by(kind: str, text: str, of: str | None) -> None:
    assert [e.of for e in extract(kind, text, today=TODAY)] == [of]


def test_a_period_is_as_it_is_read_elsewhere() -> None:
    (found,) = extract("period", "上周五的报表", today=TODAY)
    assert (found.start, found.end, found.value) == (0, 3, {"start": "2026-11-20", "end": "2026-11-21"})


def test_full_width_characters_are_read_and_offsets_stay() -> None:
    (found,) = extract("number", "共１２３．５个")
    assert (found.start, found.end, found.value) == (1, 6, 123.5)
    assert [e.value for e in extract("phone", "电话１３８１２３４５６７８")] == ["13812345678"]


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_no_more_than_256_finds_and_nothing_past_64_kb(kind: str) -> None:
    sample = {
        "number": "12 ", "amount": "5元 ", "percentage": "5% ", "file": "a.py ", "code": "```\nx\n```\n",
        "sql": "DROP TABLE a; ", "maths": "1+2 ",
        "url": "http://a.cn ", "email": "a@b.cn ", "phone": "13812345678 ", "id_card": "11010519491231002X ",
        "bank_card": "4111111111111111, ", "secret": "password: Ab12cd34 ",
    }[kind]  # fmt: skip
    assert len(extract(kind, sample * 300)) == 256
    assert extract(kind, "。" * 65536 + sample) == ()


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(KeyError):
        extract("colour", "red")
    with pytest.raises(KeyError):
        may_hold("colour", b"red")


@pytest.mark.parametrize("kind", TEXT_KINDS)
@pytest.mark.parametrize(
    "piece",
    [
        "1 ", "1-", "1.1.1 ", "4111 ", "4111111111111112 ", "13812345678 ", "110105194912310021 ", "五块",
        "3块巧克力", "$1.2.3 ", "10 % 3 ", "a.so ", ".py",
        "```a\n", "SELECT ", "select 'x ", "select /* ", "with a as (select ", "UPDATE a SET b=1 ", "SELECT a,",
        "(", "1+", "(1+", "3加5", "\\( $a^2$ ",
        "\\[ \\(a\\) ", "http://x.com/(((", "a@b.", "password: ", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEY-----",
        "://a:bcd@", "一", "😀", "\ud800", "'", '"',
        "a/**/b ", "a/**/", "DR/**/OP x ", "\u00a0", "\u200b", "d\u200b", "Ａ", "\\n", "-- drop table x\n", "-- ",
        "drop table x -- ",
        "/*! drop table x */", "/* drop table x ", "# drop table x\n", "truncate x ", "drop table x, ", "drop table x and ",
        "pragma a_b(", "EXEC a..", "SELECT 1\nGO\n", "GO\n", "mysql ", "mysql -p1 ", "mysql;", "mysql -p'",
    ],
)  # fmt: skip
def test_time_does_not_grow_faster_than_the_text(kind: str, piece: str) -> None:
    """64 KB of anything: 20 ms of this thread, asserted with room for a busy machine."""
    text = (piece * (65536 // len(piece) + 1))[:65536]
    best = 9.0
    for _ in range(3):
        begun = time.thread_time()
        extract(kind, text)
        best = min(best, time.thread_time() - begun)
        if best < 0.05:
            return
    assert best < 0.2
