"""Pieces of spelling, and what of a long query is heard."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.arbiter.cut import TOKENS, cost, cut
from pointsman.arbiter.ngrams import counted, pieces
from pointsman.arbiter.sparse import vocabulary


def test_one_spelling() -> None:
    assert pieces("導出報表") == pieces("导出报表")
    assert pieces("ＶＰＮ Help") == pieces("vpn help")
    assert {"w vpn", "b ^ vpn", "g <vp", "b vpn 连", "连", "连不"} <= set(pieces("VPN 连不上"))
    assert counted("order 10231") == counted("order 99887") != counted("order 1")


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    counts = counted(text)
    words = vocabulary([counts, counted("打印机 printer")], 1, 1000)
    columns, values = words.row(counts)
    assert (numpy.diff(columns) > 0).all() and len(columns) == len(counts)
    assert not counts or abs(float((values * values).sum()) - 1) < 1e-4


@given(st.text(max_size=3000))
def test_what_is_heard_is_bounded(text: str) -> None:
    heard, left_out = cut(text)
    assert cost(heard) <= TOKENS + 1
    assert left_out or heard == " ".join(text.replace("\x00", " ").split())


@pytest.mark.parametrize("size", [10**5, 10**7])
def test_a_huge_query(size: int) -> None:
    text = "请把下面的合同翻译成英文 " + "条款 clause " * (size // 10) + " 谢谢，翻译成英文"
    heard, left_out = cut(text)
    assert (
        left_out and heard.startswith("请把下面的合同翻译成英文") and heard.endswith("翻译成英文") and len(heard) < 250
    )


def test_spaces_are_one() -> None:
    assert cut("  导出\n\n报表\x00 ") == ("导出 报表", False)
